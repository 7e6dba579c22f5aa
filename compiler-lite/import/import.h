// From an ONNX file to the compiler's Graph.
//
// Every node is translated to operators of the plan, with types and shapes inferred at once; what depends on constants
// only is computed on the spot, so shape arithmetic (Shape, Gather, Concat, ...) leaves no trace in the Graph. Types:
// float16, bfloat16 and double become f32, everywhere; int64, int32, int8, uint8 and bool stay.
//
// The file is untrusted: whatever it holds, import fails with a Status and bounded memory, never a crash. Data kept
// outside the file is read only from regular files inside the model's folder.
// Errors: kInvalidModel (malformed, inconsistent or hostile), kUnsupported (what nestrt does not implement; all unknown
// operators in one message), kInvalidArgument (options that do not fit the model), kNotFound, kIo.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/graph/host_tensor.h"
#include "compiler-lite/import/onnx/limits.h"

namespace nestrt::compiler {

struct ImportOptions {
  std::map<std::string, Shape> input_shapes;   // fixes dynamic dimensions
  std::map<std::string, HostTensor> bindings;  // inputs that become constants
  ImportLimits limits;
};

Result<Graph> import_onnx(const std::string& path, const ImportOptions& options = {});
// The bytes of an ONNX file that keeps no data outside.
Result<Graph> import_onnx(std::span<const std::byte> model, const ImportOptions& options = {});

// The TensorProto files (input_0.pb, output_0.pb) that accompany ONNX models, converted as import converts constants.
Result<HostTensor> read_tensor_proto(const std::string& path);

}  // namespace nestrt::compiler
