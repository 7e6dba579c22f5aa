// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/isolation/part_codec.h"

#include <cstring>
#include <type_traits>

namespace nestrt::vendor {
namespace {

constexpr uint8_t kNoType = 0xff;

class PartWriter {
 public:
  template <typename T>
  void list(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const uint64_t count = values.size();
    append(std::as_bytes(std::span(&count, 1)));
    append(std::as_bytes(values));
  }
  void number(uint64_t value) { append(std::as_bytes(std::span(&value, 1))); }
  void text(const std::string& value) { list(std::span(value.data(), value.size())); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(std::span<const std::byte> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  std::vector<std::byte> bytes_;
};

// Returns zeros and empty lists once the bytes are exhausted.
class PartReader {
 public:
  explicit PartReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  std::vector<T> list() {
    const uint64_t count = number();
    if (count > bytes_.size() / sizeof(T)) {
      is_valid_ = false;
      return {};
    }
    std::vector<T> values(count);
    take(values.data(), count * sizeof(T));
    return values;
  }
  uint64_t number() {
    uint64_t value = 0;
    if (sizeof value > bytes_.size())
      is_valid_ = false;
    else
      take(&value, sizeof value);
    return value;
  }
  std::string text() {
    const std::vector<char> letters = list<char>();
    return {letters.begin(), letters.end()};
  }
  // Returns a number of entries, each of which has at least one byte.
  uint64_t count() {
    const uint64_t value = number();
    if (value > bytes_.size()) is_valid_ = false;
    return is_valid_ ? value : 0;
  }
  bool is_valid() const { return is_valid_; }

 private:
  void take(void* to, uint64_t size) {
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  std::span<const std::byte> bytes_;
  bool is_valid_ = true;
};

void write_port(PartWriter& writer, const PortSpec& port) {
  writer.number(port.bytes);
  writer.text(port.name);
  writer.number(port.type ? static_cast<uint8_t>(*port.type) : kNoType);
  writer.list(port.shape.dims());
  writer.list(std::span<const float>(port.scales));
  writer.list(std::span<const int32_t>(port.zero_points));
  writer.number(static_cast<uint32_t>(port.axis));
}

Result<PortSpec> read_port(PartReader& reader) {
  PortSpec port;
  port.bytes = reader.number();
  port.name = reader.text();
  if (const uint64_t type = reader.number(); type != kNoType) port.type = static_cast<DataType>(type);
  const std::vector<int64_t> dims = reader.list<int64_t>();
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank)) return Status(Code::kInternal, "a port has too many axes");
  port.shape = Shape(dims);
  port.scales = reader.list<float>();
  port.zero_points = reader.list<int32_t>();
  port.axis = static_cast<int32_t>(reader.number());
  return port;
}

}  // namespace

std::vector<std::byte> encode_part(const Part& part) {
  PartWriter writer;
  for (const auto* const ports : {&part.inputs, &part.outputs}) {
    writer.number(ports->size());
    for (const PortSpec& port : *ports) write_port(writer, port);
  }
  writer.number(part.files.size());
  for (const Part::File& file : part.files) {
    writer.text(file.name);
    writer.number(file.offset);
    writer.number(file.size);
  }
  return writer.take();
}

Result<Part> decode_part(std::span<const std::byte> description, std::span<const std::byte> blob) {
  PartReader reader(description);
  Part part;
  part.blob = blob;
  for (auto* const ports : {&part.inputs, &part.outputs}) {
    for (uint64_t left = reader.count(); left > 0 && reader.is_valid(); --left) {
      NESTRT_ASSIGN_OR_RETURN(ports->emplace_back(), read_port(reader));
    }
  }
  for (uint64_t left = reader.count(); left > 0 && reader.is_valid(); --left) {
    Part::File& file = part.files.emplace_back();
    file.name = reader.text();
    file.offset = reader.number();
    file.size = reader.number();
  }
  return reader.is_valid() ? Result<Part>(std::move(part)) : Status(Code::kInternal, "a part's description is damaged");
}

}  // namespace nestrt::vendor
