// TensorProto -> OnnxTensor.
#pragma once

#include <string>

#include "compiler-lite/import/limits.h"
#include "nestrt/result.h"

namespace onnx {
class TensorProto;
}

namespace nestrt::compiler {

struct OnnxTensor;

// `folder`: where external data lie; null refuses them.
// Errors: kInvalidModel (dimensions, sizes), kUnsupported (types); they name the tensor.
Result<OnnxTensor> decode_tensor(const onnx::TensorProto& proto, const std::string* folder, const ImportLimits& limits);

}  // namespace nestrt::compiler
