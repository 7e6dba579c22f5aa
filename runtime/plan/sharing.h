// Sharing: operators whose output lies where their input lies, so that there is nothing to compute.
//   Reshape  output and input are the same bytes
//   Slice    the output is a contiguous part of the input
//   Concat   an input is its contiguous part of the output (any number of the inputs)
// No other sharing between an operator's inputs and outputs is legal in a plan.
#pragma once

#include <cstdint>
#include <optional>

#include "nestrt/plan_tables.h"

namespace nestrt {

// Bytes from the start of `whole` to the part of it that starts at coordinate `start` of `axis` and has the shape of
// `part`, where that part is contiguous and stored in the same order; empty where it is not.
// Requires: both tensors have been verified.
std::optional<uint64_t> offset_of_part(const plan::Tensor& whole, const plan::Tensor& part, int axis, int64_t start);

// The same for a Slice, by its attributes; and for a Reshape, where it is 0.
std::optional<uint64_t> offset_in_input(const plan::Operator& op, const plan::Tensor& input,
                                        const plan::Tensor& output);

// True where a unit has nothing to do for the operator. Requires: a verified plan.
bool is_view(const plan::Tables& plan, const plan::Operator& op);

}  // namespace nestrt
