// SPDX-License-Identifier: Apache-2.0
// Postprocessing of the scores of ai.onnx.ml models, [rows, classes or targets].
#pragma once

#include <vector>

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

// Applies the attribute post_transform.
Result<ValueId> post_transform(NodeContext& node, ValueId scores);

// Returns the labels in attribute `name`. Errors: kUnsupported for labels that are strings.
Result<std::vector<int64_t>> class_labels(NodeContext& node, const char* name);

// Sets output 0 to the label with the highest score of each row, the first one on a tie.
Status set_labels(NodeContext& node, ValueId scores, const std::vector<int64_t>& labels);

}  // namespace nestrt::compiler
