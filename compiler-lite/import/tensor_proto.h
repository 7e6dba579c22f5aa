// TensorProto -> OnnxTensor. Includes protobuf: for the reader only.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "compiler-lite/import/onnx_model.h"

namespace nestrt::compiler {

// `folder`: where external data lie; null refuses them.
// Errors: kInvalidModel (dimensions, sizes), kUnsupported (types); they name the tensor.
Result<OnnxTensor> decode_tensor(const onnx::TensorProto& proto, const std::string* folder, const ImportLimits& limits);

}  // namespace nestrt::compiler
