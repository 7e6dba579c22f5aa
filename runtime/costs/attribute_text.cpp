#include "runtime/costs/attribute_text.h"

#include <flatbuffers/minireflect.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "nestrt/plan_reflected_generated.h"

namespace nestrt {
namespace {

// Numbers of a network as its weights are: the same instructions whatever they hold.
constexpr std::string_view kData[] = {"inner_exponent"};

class AttributeWriter final : public flatbuffers::IterationVisitor {
 public:
  std::string take() { return std::move(text_); }

  void StartSequence() override {
    if (depth_++ > 0) text_ += '(';
    first_ = depth_ > 1;
  }
  void EndSequence() override {
    if (--depth_ > 0) text_ += ')';
    first_ = false;
  }
  void Field(size_t, size_t, flatbuffers::ElementaryType, bool, const flatbuffers::TypeTable*, const char* name,
             const uint8_t* value) override {
    if (value == nullptr) return;
    skipped_ = std::find(std::begin(kData), std::end(kData), name) != std::end(kData);
    if (skipped_) return;
    if (!first_) text_ += ' ';
    first_ = false;
    text_.append(name) += '=';
  }
  void Element(size_t index, flatbuffers::ElementaryType, const flatbuffers::TypeTable*, const uint8_t*) override {
    if (index > 0) text_ += ',';
  }

  void Bool(bool value) override { add(static_cast<int>(value), nullptr); }
  void Char(int8_t value, const char* name) override { add(static_cast<int>(value), name); }
  void UChar(uint8_t value, const char* name) override { add(static_cast<int>(value), name); }
  void Int(int32_t value, const char* name) override { add(value, name); }
  void UInt(uint32_t value, const char* name) override { add(value, name); }
  void Long(int64_t value) override { add(value, nullptr); }
  void ULong(uint64_t value) override { add(value, nullptr); }
  void Float(float value) override { add(value, nullptr); }

 private:
  // `name` of an enum's value; null for a number.
  template <typename Number>
  void add(Number value, const char* name) {
    if (skipped_) return;
    if (name != nullptr) {
      text_ += name;
      return;
    }
    char digits[64];  // the shortest that reads back as the same number
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }

  std::string text_;
  int depth_ = 0;
  bool first_ = false;  // of a struct's fields: no space before it
  bool skipped_ = false;
};

}  // namespace

std::string attribute_text(const plan::Operator& op) {
  const flatbuffers::TypeTable& members = *plan::reflected::AttributesTypeTable();
  const auto& member = members.type_codes[static_cast<size_t>(op.attributes_type())];
  AttributeWriter writer;
  flatbuffers::IterateObject(static_cast<const uint8_t*>(op.attributes()), members.type_refs[member.sequence_ref](),
                             &writer);
  return writer.take();
}

}  // namespace nestrt
