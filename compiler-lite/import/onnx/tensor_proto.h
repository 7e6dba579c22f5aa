// SPDX-License-Identifier: Apache-2.0
// Converts a TensorProto to an OnnxTensor.
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

// `files`: source of external data; null rejects it.
// Errors: kInvalidModel (dimensions, sizes), kUnsupported (types); messages name the tensor.
Result<OnnxTensor> decode_tensor(const onnx::TensorProto& proto, ExternalFiles* files, const ImportLimits& limits);

}  // namespace nestrt::compiler
