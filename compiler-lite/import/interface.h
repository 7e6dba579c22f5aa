// SPDX-License-Identifier: Apache-2.0
// Applies the options that change the inputs and outputs of an imported model.
#pragma once

#include <string>

#include "compiler-lite/graph/graph.h"
#include "nestrt/preprocessing.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// Returns true if an input can hold an image: f32 [N, 1 or 3, H, W] or [N, H, W, 1 or 3].
bool is_image(const Value& value);

// Attaches the preprocessing to the one input that can hold an image: [N, 1 or 3, H, W] or [N, H, W, 1 or 3].
// A mean of 0 and a scale of 1 keep those that the model states.
// Errors: kInvalidArgument if the model has no image input or several, or if the values do not fit it.
Status attach_preprocessing(Graph& graph, const Preprocessing& preprocessing);

// Makes an inner value an output as well. Errors: kInvalidArgument if no node computes it.
Status expose(Graph& graph, const std::string& name);

}  // namespace nestrt::compiler
