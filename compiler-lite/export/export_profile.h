// SPDX-License-Identifier: Apache-2.0
// Export profiles: files that specify the form of ONNX that a vendor's compiler accepts.
#pragma once

#include <string>
#include <string_view>

#include "compiler-lite/export/export.h"
#include "nestrt/result.h"

namespace YAML {
class Node;
}

namespace nestrt::compiler {

// Applies the keys of a map to `form`:
//   {opset: 17, attributes: all | stated, gemm: trans_b | plain, flatten: keep | reshape,
//    operators: whole | decomposed, zero_points: all | required, weights: per_channel | per_tensor,
//    biases: s32 | f32, producer: NAME}
// Errors: kInvalidArgument with the line.
Status read_export_keys(const YAML::Node& map, ExportForm& form);

// Applies the keys of a file to `form`. Errors: those of read_export_keys(); kNotFound, kIo.
Status parse_export_profile(const std::string& text, std::string_view name, ExportForm& form);
Status read_export_profile(const std::string& path, ExportForm& form);

}  // namespace nestrt::compiler
