// A first look at an ONNX file, before protobuf builds objects from it. Two bytes of file may become a hundred bytes of
// memory, so what the file asks for is counted first.
#pragma once

#include "compiler-lite/import/onnx/limits.h"
#include "nestrt/status.h"

namespace google::protobuf {
class Descriptor;
namespace io {
class CodedInputStream;
}
}  // namespace google::protobuf

namespace nestrt::compiler {

// Walks a message of type `descriptor`, of so many bytes, by its wire format. Errors: kInvalidModel where the bytes are
// no such message, are nested more than 64 messages deep, or hold more nodes, tensors, values or operands than `limits`
// (tensors and values: as many as nodes), or fields that take more memory. Every message and every element of a list is
// a field; of a packed list, all of it is one, which takes no more than eight times its bytes.
Status check_wire_limits(google::protobuf::io::CodedInputStream& stream, const google::protobuf::Descriptor& descriptor,
                         const ImportLimits& limits, int64_t bytes);

}  // namespace nestrt::compiler
