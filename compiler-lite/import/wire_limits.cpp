#include "compiler-lite/import/wire_limits.h"

#include <fmt/core.h>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "runtime/core/budget.h"

namespace nestrt::compiler {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr int kMaxDepth = 64;

class Scanner {
 public:
  Scanner(CodedInputStream& stream, const ImportLimits& limits, int64_t bytes)
      : stream_(stream),
        nodes_(static_cast<uint64_t>(limits.max_nodes(bytes))),
        fields_(static_cast<uint64_t>(limits.fields)) {}

  // Up to the end of the stream or of the limit pushed on it.
  Status message(const Descriptor& descriptor, int depth) {
    if (depth > kMaxDepth)
      return Status(Code::kInvalidModel, fmt::format("messages are nested deeper than {}", kMaxDepth));
    while (const uint32_t tag = stream_.ReadTagNoLastTag()) NESTRT_RETURN_IF_ERROR(field(descriptor, tag, depth));
    return stream_.BytesUntilLimit() > 0 ? malformed() : ok_status();
  }

 private:
  static Status malformed() {
    return Status(Code::kInvalidModel, "not an ONNX model, or cut short: its protobuf encoding is broken");
  }

  Status field(const Descriptor& descriptor, uint32_t tag, int depth) {
    const FieldDescriptor* known = descriptor.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    NESTRT_RETURN_IF_ERROR(count(known));
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      // Groups have no place in ONNX; skipping one would recurse in protobuf.
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

  // Unknown fields cost memory, too: protobuf keeps them.
  Status count(const FieldDescriptor* field) {
    const bool is_node =
        field != nullptr && field->message_type() != nullptr && field->message_type()->name() == "NodeProto";
    if (is_node && !nodes_.charge(1)) return too_many_nodes(static_cast<int64_t>(nodes_.limit()));
    if (fields_.charge(1)) return ok_status();
    return Status(Code::kInvalidModel, fmt::format("more than {} fields, the limit", fields_.limit()));
  }

  CodedInputStream& stream_;
  Budget nodes_, fields_;
};

}  // namespace

Status check_wire_limits(CodedInputStream& stream, const Descriptor& descriptor, const ImportLimits& limits,
                         int64_t bytes) {
  return Scanner(stream, limits, bytes).message(descriptor, 0);
}

}  // namespace nestrt::compiler
