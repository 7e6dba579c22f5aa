// PARTS.yaml: which operators of a model make which part.
//
//   parts:
//     - {name: stem, operators: [conv1, relu1]}          by name
//     - {name: body, backend: NPU, from: [pool1], to: [concat9]}
//                                   all on the ways from one to the other, both included
//     - {name: all, operators: all}                      the whole model
//
// `backend` is CPU where it is not stated. Operators are called by their names in the model, or as the manifest has
// them. NEST-C's partition plans (tools/support/nest_c/nest_c_partition.h) are read too, where they place every
// operator.
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
