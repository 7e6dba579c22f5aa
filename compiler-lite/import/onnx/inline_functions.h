// SPDX-License-Identifier: Apache-2.0
// Inlines the functions that a model defines: replaces each call with the function's nodes.
#pragma once

#include "compiler-lite/import/onnx/onnx_model.h"

namespace nestrt::compiler {

// Replaces all calls, including those in subgraphs and functions. Names of values in a function get a prefix that is
// unique for each call. Errors: kInvalidModel for recursion, for calls that do not match the function, and for more
// nodes than the limits allow.
Status inline_functions(OnnxModel& model, const ImportLimits& limits);

}  // namespace nestrt::compiler
