// TensorProto -> OnnxTensor.
#pragma once

#include <string>

#include "compiler-lite/import/onnx/external_data.h"
#include "compiler-lite/import/onnx/limits.h"
#include "nestrt/result.h"

namespace onnx {
class TensorProto;
}

namespace nestrt::compiler {

struct OnnxTensor;

// `files`: where external data lie; null refuses them.
// Errors: kInvalidModel (dimensions, sizes), kUnsupported (types); they name the tensor.
Result<OnnxTensor> decode_tensor(const onnx::TensorProto& proto, ExternalFiles* files, const ImportLimits& limits);

}  // namespace nestrt::compiler
