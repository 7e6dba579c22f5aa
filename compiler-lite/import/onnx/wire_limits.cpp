// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/onnx/wire_limits.h"

#include <fmt/core.h>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "runtime/core/budget.h"
#include "runtime/plan/format/format.h"

namespace nestrt::compiler {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr int kMaxDepth = 64;
constexpr uint64_t kMessageBytesPerByte = 10;  // multiplied by the bytes of the file

// Estimates of protobuf's memory use, in this order: an object, including its allocation and the list's pointer to it;
// a repeated field; any other field; an element of a growing list of numbers; a string.
constexpr uint64_t kObjectBytes = 64, kListBytes = 24, kMemberBytes = 8, kNumberBytes = 16, kStringBytes = 64;

uint64_t bytes_of_message(const Descriptor& descriptor) {
  uint64_t bytes = kObjectBytes;
  for (int i = 0; i < descriptor.field_count(); ++i)
    bytes += descriptor.field(i)->is_repeated() ? kListBytes : kMemberBytes;
  return bytes;
}

// Returns the memory use of a field, excluding its characters or packed numbers. Protobuf keeps unknown fields too.
uint64_t bytes_of_field(const FieldDescriptor* field) {
  if (field == nullptr || field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) return kStringBytes;
  return field->message_type() == nullptr ? kNumberBytes : bytes_of_message(*field->message_type());
}

class Scanner {
 public:
  Scanner(CodedInputStream& stream, const ImportLimits& limits, int64_t bytes)
      : stream_(stream),
        nodes_(static_cast<uint64_t>(limits.max_nodes(bytes))),
        tensors_(nodes_),
        values_(nodes_),
        memory_(Budget::of_file(static_cast<uint64_t>(limits.message_bytes), kMessageBytesPerByte,
                                static_cast<uint64_t>(bytes))) {}

  // Scans up to the end of the stream or to the limit that the caller pushed.
  Status message(const Descriptor& descriptor, int depth) {
    if (depth > kMaxDepth)
      return Status(Code::kInvalidModel, fmt::format("messages are nested deeper than {}", kMaxDepth));
    while (const uint32_t tag = stream_.ReadTagNoLastTag()) NESTRT_RETURN_IF_ERROR(field(descriptor, tag, depth));
    return stream_.BytesUntilLimit() > 0 ? malformed() : ok_status();
  }

 private:
  static Status malformed() {
    return Status(Code::kInvalidModel, "not an ONNX model, or truncated: its protobuf encoding is invalid");
  }

  Status field(const Descriptor& descriptor, uint32_t tag, int depth) {
    const FieldDescriptor* known = descriptor.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    NESTRT_RETURN_IF_ERROR(count(known));
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      // ONNX does not use groups. Skipping one would recurse in protobuf.
      const bool skipped = WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_START_GROUP &&
                           WireFormatLite::SkipField(&stream_, tag);
      return skipped ? ok_status() : malformed();
    }
    uint32_t length = 0;
    if (!stream_.ReadVarint32(&length) || length > static_cast<uint32_t>(INT32_MAX)) return malformed();
    if (known == nullptr || known->type() != FieldDescriptor::TYPE_MESSAGE) {
      return stream_.Skip(static_cast<int>(length)) ? ok_status() : malformed();
    }
    const CodedInputStream::Limit outer = stream_.PushLimit(static_cast<int>(length));
    if (stream_.BytesUntilLimit() != static_cast<int>(length)) return malformed();
    NESTRT_RETURN_IF_ERROR(message(*known->message_type(), depth + 1));
    stream_.PopLimit(outer);
    return ok_status();
  }

  Status count(const FieldDescriptor* field) {
    if (!memory_.charge(bytes_of_field(field))) return too_many("bytes of memory for its fields", memory_);
    if (field == nullptr) return ok_status();
    const std::string_view type = field->message_type() == nullptr ? std::string_view() : field->message_type()->name();
    if (type == "NodeProto" && !nodes_.charge(1)) return too_many_nodes(static_cast<int64_t>(nodes_.limit()));
    if (type == "TensorProto" && !tensors_.charge(1)) return too_many("tensors", tensors_);
    if (type == "ValueInfoProto" && !values_.charge(1)) return too_many("inputs, outputs and values", values_);
    const bool is_operand = field->containing_type()->name() == "NodeProto" && is_names(*field);
    return is_operand && !operands_.charge(1) ? too_many("operands of nodes", operands_) : ok_status();
  }

  static bool is_names(const FieldDescriptor& field) {
    return field.is_repeated() && field.type() == FieldDescriptor::TYPE_STRING;
  }

  static Status too_many(std::string_view what, const Budget& budget) {
    return Status(Code::kInvalidModel,
                  fmt::format("more than {} {}, the limit for a file of its size", budget.limit(), what));
  }

  CodedInputStream& stream_;
  Budget nodes_, tensors_, values_;
  Budget operands_{plan_format::kMaxOperands};
  Budget memory_;
};

}  // namespace

Status check_wire_limits(CodedInputStream& stream, const Descriptor& descriptor, const ImportLimits& limits,
                         int64_t bytes) {
  return Scanner(stream, limits, bytes).message(descriptor, 0);
}

}  // namespace nestrt::compiler
