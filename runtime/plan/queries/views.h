// Views: outputs that lie where an input lies, so that there is nothing to compute.
//   Reshape  output and input are the same bytes
//   Slice    the output is a contiguous part of the input
//   Concat   an input is its contiguous part of the output (any number of the inputs)
// Inputs and outputs of an operator share no other bytes in a plan. The compiler places tensors by these rules
// (compiler-lite/memory/storage.h), and a loaded plan is verified and run by them.
#pragma once

#include <cstdint>
#include <optional>

#include "nestrt/driver/plan_tables.h"
#include "runtime/kernel/kernel.h"

namespace nestrt {

// Bytes from the start of `whole` to the part of it that starts at coordinate `start` of `axis` and has the shape of
// `part`, where that part is contiguous and stored in the same order; empty where it is not.
// Requires: shapes and types that have been verified; any axis and start.
std::optional<uint64_t> offset_of_part(const TensorSpec& whole, const TensorSpec& part, int axis, int64_t start);

// The same for the output of a Slice, by its attributes; and for that of a Reshape, where it is 0. Empty for others.
std::optional<uint64_t> offset_in_input(const ops::Attributes& attributes, const TensorSpec& input,
                                        const TensorSpec& output);

// Counted from the first axis of tensors with that rank.
int axis_of(const ops::Concat& concat, int rank);

// True where a unit has nothing to do for the operator. Requires: a verified plan.
bool is_view(const plan::Tables& plan, const plan::Operator& op);

}  // namespace nestrt
