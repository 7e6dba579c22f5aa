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

#include "compiler-lite/graph/folding_limits.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/graph/host_tensor.h"

namespace nestrt::compiler {

struct ImportLimits {
  int64_t file_bytes = (int64_t{1} << 31) - 1;  // protobuf's own limit
  int64_t nodes = 100'000;                      // subgraphs included
  int64_t fields = 4'000'000;                   // in the protobuf encoding: bounds the memory of parsing
  int64_t tensor_bytes = int64_t{1} << 31;      // for one tensor, constant or not
  int64_t constant_bytes = int64_t{4} << 30;    // for all constants of the file
  int64_t folded_bytes = int64_t{1} << 30;      // for all computed ones, beyond the bytes of the file's
  int64_t folding_steps = kFoldingSteps;        // spent on those, beyond kFoldingStepsPerByte of the file's
};

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
