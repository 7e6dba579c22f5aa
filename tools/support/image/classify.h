// SPDX-License-Identifier: Apache-2.0
// Interprets the output of a classifier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/tensor.h"

namespace nestrt::tools {

// Returns how many rows of class scores an output can be, by its type and shape: f32, [N], [B, N], or rank 4 with two
// further dimensions of one; N is at least 2. Returns 0 for boxes, maps and sequences.
int64_t class_rows(const TensorInfo& output);
// Returns the same for an output of a plan, and 0 for a TopK result, whose indices are ranks instead of classes.
int64_t class_rows(const Plan& plan, size_t output);

// Returns the indices of the `count` largest values in descending order; the first one on a tie. NaN is smallest.
std::vector<size_t> largest(std::span<const float> values, size_t count);

// Returns a hint if a network with 1001 classes, whose first one is the background, is used with ImageNet labels that
// do not count the background. Empty otherwise.
std::string remark_on_background(int64_t classes, int64_t offset, int64_t largest_label);

// Returns a hint about likely mistakes if the accuracy is not above chance. Empty otherwise, and for few samples.
std::string remark_on_guessing(uint64_t right, uint64_t samples, int64_t classes);

// Returns whether the values are in [0, 1] and add up to 1, up to rounding.
bool is_distribution(std::span<const float> values);

// Returns whether no element is NaN, which always holds for integers.
bool holds_numbers(const ConstTensorView& tensor);

}  // namespace nestrt::tools
