// SPDX-License-Identifier: Apache-2.0
// Checks a model with the ONNX library.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "nestrt/status.h"

namespace onnx {
class ModelProto;
}

namespace nestrt::compiler {

// Runs the checker and the strict shape inference, and adds inferred shapes to the model. Errors: kUnsupported with the
// library's message.
Status check_onnx_model(onnx::ModelProto& model);
// Checks a serialized model. Errors include kInvalidModel if the bytes are not a model.
Status check_onnx_model(std::span<const std::byte> bytes);

}  // namespace nestrt::compiler
