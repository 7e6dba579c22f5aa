// SPDX-License-Identifier: Apache-2.0
// Replaces calls of the functions that a model defines by their nodes.
#pragma once

#include "compiler-lite/import/onnx/onnx_model.h"

namespace nestrt::compiler {

// Replaces all calls, also in subgraphs and functions. Names of values in a function get a prefix that is unique for
// each call. Errors: kInvalidModel for recursion, for calls that do not fit, and for more nodes than the limits allow.
Status inline_functions(OnnxModel& model, const ImportLimits& limits);

}  // namespace nestrt::compiler
