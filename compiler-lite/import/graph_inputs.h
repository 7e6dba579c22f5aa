// SPDX-License-Identifier: Apache-2.0
// Graph inputs with static shapes, and inputs that the caller binds to constants.
#pragma once

#include "nestrt/status.h"

namespace nestrt::compiler {

class GraphBuilder;
struct ImportOptions;
struct OnnxModel;

// Defines every input of the model. Errors: kUnsupported (types), kInvalidArgument (a dynamic dimension that no option
// fixes; options for inputs that do not exist or do not fit).
Status add_inputs(GraphBuilder& builder, const OnnxModel& model, const ImportOptions& options);

}  // namespace nestrt::compiler
