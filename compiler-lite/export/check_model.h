// The ONNX library's own opinion of a model.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "nestrt/status.h"

namespace onnx {
class ModelProto;
}

namespace nestrt::compiler {

// Its checker and its strict shape inference; states the shapes of what has none yet. Errors: kUnsupported with what
// the library says.
Status check_onnx_model(onnx::ModelProto& model);
// The same of a model's bytes. Errors: also kInvalidModel where they are none.
Status check_onnx_model(std::span<const std::byte> bytes);

}  // namespace nestrt::compiler
