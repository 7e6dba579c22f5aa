// SPDX-License-Identifier: Apache-2.0
// Import of an ONNX file into the compiler's Graph.
//
// Every node becomes operators of the plan; types and shapes are inferred immediately. Operators with constant inputs
// are evaluated during import, so shape arithmetic (Shape, Gather, Concat, ...) leaves no nodes. float16, bfloat16 and
// double become f32; int64, int32, int8, uint8 and bool stay.
//
// The file is untrusted: for any content, import fails with a Status within bounded memory and does not crash. External
// data is read only from regular files inside the model's folder.
// Errors: kInvalidModel (malformed, inconsistent or hostile), kUnsupported (not implemented by nestrt; all unknown
// operators in one message), kInvalidArgument (options that do not fit the model), kNotFound, kIo.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/graph/host_tensor.h"
#include "compiler-lite/import/onnx/limits.h"

namespace nestrt::compiler {

struct ImportOptions {
  std::map<std::string, Shape> input_shapes;   // fixes dynamic dimensions
  std::map<std::string, HostTensor> bindings;  // inputs that become constants
  // Sets Graph::qdq_rounding. If empty, the model's metadata decides (kRoundingKey); the default is half to even.
  std::optional<ops::Rounding> qdq_rounding;
  // Makes the activations of a quantized model real numbers; see drop_quantization.h. Only for quantizing them again.
  bool drops_quantization = false;
  ImportLimits limits;
};

Result<Graph> import_onnx(const std::string& path, const ImportOptions& options = {});
// `model`: the bytes of an ONNX file without external data.
Result<Graph> import_onnx(std::span<const std::byte> model, const ImportOptions& options = {});

// Reads a TensorProto file (input_0.pb, output_0.pb) of an ONNX model, converted in the same way as the constants of a
// model.
Result<HostTensor> read_tensor_proto(const std::string& path);

}  // namespace nestrt::compiler
