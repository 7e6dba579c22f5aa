// SPDX-License-Identifier: Apache-2.0
// Helpers for operators whose output channels can be divided (Division in runtime/kernel/kernel.h). Such an operator
// produces one image in blocks of 16 channels, so consecutive channels are contiguous. Its elements are s8 with scales
// 2^-e, or accumulators as f32.
//
// A plan may be untrusted and its operators unchecked, so these functions verify everything that they rely on.
#pragma once

#include <cstddef>

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Returns whether `tensor` is present, s8, and quantized with exponents.
bool has_exponents(const TensorSpec& tensor);

// Returns whether there are one to four inputs and one output, the output is an image of type `output` as described
// above, and every input that is cut along axis 1 is s8 with the layout of the output.
bool has_blocked_operands(const OperatorSpec& spec, int (*cut_axis)(const ops::Attributes& attributes, size_t input),
                          DataType output = DataType::kS8);

// For operators that process channels independently, implement Division::cut_axis and the part of Division::divides
// that does not depend on attributes. The operators have `num_inputs` inputs. divides_elements() also requires that the
// inputs have the shape of the output.
int cut_channels(const ops::Attributes& attributes, size_t input);
bool divides_channels(const OperatorSpec& spec, size_t num_inputs);
bool divides_elements(const OperatorSpec& spec, size_t num_inputs);

}  // namespace nestrt::kernels
