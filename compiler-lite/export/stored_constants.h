// SPDX-License-Identifier: Apache-2.0
// Constants in a different form from the graph's.
#pragma once

#include <optional>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Returns the transposed matrix and its quantization. Requires: a constant of rank 2.
Value transposed(const Value& matrix);

struct OneScale {
  Bytes elements;
  plan::Quantization quantization;
};
// Rounds s8, u8 or s32 integers with several scales to the largest of them. Returns nullopt if there is already only
// one scale or if the zero points differ.
std::optional<OneScale> with_one_scale(const Value& integers, const plan::Quantization& quantization);

// Returns the real numbers that integers represent.
std::vector<float> dequantized_elements(const Value& integers, const plan::Quantization& quantization);

}  // namespace nestrt::compiler
