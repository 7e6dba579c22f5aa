// SPDX-License-Identifier: Apache-2.0
// Imports the operators of a subgraph.
#pragma once

#include <string>
#include <vector>

#include "compiler-lite/import/tflite/lite_graph.h"

namespace nestrt::compiler {

class LiteNode;

// Checks all subgraphs of a file. Errors: kUnsupported, with a list of all operators that the importer does not
// support.
Status check_lite_operators(const LiteFile& file);

// Imports all operators of a subgraph whose inputs are defined.
Status import_lite_operators(LiteGraph& graph);

// Imports a subgraph that an operator calls and returns its outputs as stored. `arguments`: its inputs as stored.
// `scope` distinguishes calls. Errors include kInvalidModel if the subgraph does not exist or if calls are nested too
// deeply.
Result<std::vector<ValueId>> call_lite_subgraph(LiteNode& node, int32_t index, const std::vector<ValueId>& arguments,
                                                const std::string& scope);

}  // namespace nestrt::compiler
