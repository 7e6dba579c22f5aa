// What the operators whose output channels can be divided have in common (Division in nestrt/driver/kernel.h): they
// make one image, s8 with scales 2^-e or accumulators as f32, in blocks of 16 channels, of which consecutive ones lie
// together.
//
// This guards plans that may be anybody's, and the rules of the operator need not have been checked: nothing is relied
// on here before it has been looked at.
#pragma once

#include <cstddef>

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

// Whether it is an s8 tensor that is there, with exponents.
bool has_exponents(const TensorSpec& tensor);

// Whether there are one to four inputs and one output, such an image of that type, and every input that is cut along
// axis 1 is s8 and lies as the output does.
bool lies_in_blocks(const OperatorSpec& spec, int (*cut_axis)(const ops::Attributes& attributes, size_t input),
                    DataType output = DataType::kS8);

// For operators that treat channels one by one: Division::cut_axis, and the part of Division::divides that is not about
// their attributes. They have so many inputs, which for elements have the output's shape.
int cut_channels(const ops::Attributes& attributes, size_t input);
bool divides_channels(const OperatorSpec& spec, size_t num_inputs);
bool divides_elements(const OperatorSpec& spec, size_t num_inputs);

}  // namespace nestrt::kernels
