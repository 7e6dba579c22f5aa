// SPDX-License-Identifier: Apache-2.0
// Limits the memory that an ONNX file can require, before protobuf builds objects from it. Two bytes of a file may
// become a hundred bytes of memory.
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

// Scans a message of type `descriptor` and `bytes` bytes in wire format. Errors: kInvalidModel if the bytes are
// malformed, if messages are nested more than 64 deep, if there are more nodes, tensors, values or operands than
// `limits` allows (the node limit also applies to tensors and to values), or if the fields need too much memory. Every
// message and every list element counts as a field. A packed list counts as one field; in memory, it needs at most
// eight times its size in the file.
Status check_wire_limits(google::protobuf::io::CodedInputStream& stream, const google::protobuf::Descriptor& descriptor,
                         const ImportLimits& limits, int64_t bytes);

}  // namespace nestrt::compiler
