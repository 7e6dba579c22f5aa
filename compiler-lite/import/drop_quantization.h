// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Makes the activations of a QDQ or QLinear model real numbers, so that quantize() can give them other scales: readers
// of dequantized integers read the numbers that were quantized. A range that starts at zero stays as a clip, because
// quantizers remove the Relu or clip that it replaces. Weights keep the values of their integers. Integers that are
// inputs or outputs of the model stay.
// Returns the number of values that became real. Errors: those of adding operators.
Result<int> drop_quantization(Graph& graph);

}  // namespace nestrt::compiler
