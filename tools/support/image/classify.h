// What a classifier's output says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/tensor.h"

namespace nestrt::tools {

// How many rows of class scores an output can be, by its type and shape: f32, [N], [B, N], or of rank 4 with two
// further dimensions of one; N at least 2. 0 where it can be none: boxes, maps, sequences.
int64_t class_rows(const TensorInfo& output);
// The same of an output of a plan: none where it is what a TopK gives, of which places are ranks and no classes.
int64_t class_rows(const Plan& plan, size_t output);

// Positions of the `count` largest values, largest first, of equals the first; NaN counts as smallest.
std::vector<size_t> largest(std::span<const float> values, size_t count);

// Networks of 1001 classes have a first one for the background, which labels of ImageNet do not count. What to do where
// labels up to that one are taken as they are; else empty.
std::string remark_on_background(int64_t classes, int64_t offset, int64_t largest_label);

// Where no more of the samples are right than guessing would have right, which is hardly the network's doing: what may
// be wrong. Else, and of few samples, empty.
std::string remark_on_guessing(uint64_t right, uint64_t samples, int64_t classes);

// Values in [0, 1] that add up to 1, within what rounding explains.
bool is_distribution(std::span<const float> values);

// Whether no element is NaN, as of a tensor of integers none is.
bool holds_numbers(const ConstTensorView& tensor);

}  // namespace nestrt::tools
