// SPDX-License-Identifier: Apache-2.0
// PARTS.yaml: assigns operators of a model to parts.
//
//   parts:
//     - {name: stem, operators: [conv1, relu1]}                     by name
//     - {name: body, backend: NPU, from: [pool1], to: [concat9]}    all operators on the paths between, inclusive
//     - {name: all, operators: all}                                 the whole model
//
// `backend` defaults to CPU. Operators use their names in the model or in the manifest. NEST-C's partition plans
// (tools/support/nest_c/nest_c_partition.h) are also supported if they place every operator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/parts/cutting/cut.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// Errors: kInvalidArgument with the line and the remedy.
Result<std::vector<PartSpec>> parse_part_plan(const std::string& text, std::string_view name, const Graph& graph);
Result<std::vector<PartSpec>> read_part_plan(const std::string& path, const Graph& graph);

}  // namespace nestrt::compiler
