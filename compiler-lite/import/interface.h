// What is said of a model's inputs and outputs beside the model itself.
#pragma once

#include <string>

#include "compiler-lite/graph/graph.h"
#include "nestrt/preprocessing.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// Preprocessing belongs to the one input that can hold an image: [N, 1 or 3, H, W].
// Errors: kInvalidArgument where there is none or several, or where the numbers do not fit it.
Status attach_preprocessing(Graph& graph, const Preprocessing& preprocessing);

// Makes an inner value an output too. Errors: kInvalidArgument where no node computes it.
Status expose(Graph& graph, const std::string& name);

}  // namespace nestrt::compiler
