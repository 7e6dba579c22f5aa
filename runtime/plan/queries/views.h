// SPDX-License-Identifier: Apache-2.0
// Views: outputs in the same memory as an input, so that nothing is computed.
//   Reshape  output and input are the same bytes
//   Slice    the output is a contiguous part of the input
//   Concat   an input is its contiguous part of the output (any number of the inputs)
// Inputs and outputs of an operator share no other bytes in a plan. The compiler places tensors by these rules
// (compiler-lite/memory/storage.h), and loaded plans are verified and run by them.
#pragma once

#include <cstdint>
#include <optional>

#include "nestrt/driver/plan_tables.h"
#include "runtime/kernel/kernel.h"

namespace nestrt {

// Returns the byte offset in `whole` of the part that starts at coordinate `start` of `axis` and has the shape of
// `part`, if that part is contiguous and stored in the same order; else nullopt. Requires: verified shapes and types;
// any axis and start.
std::optional<uint64_t> offset_of_part(const TensorSpec& whole, const TensorSpec& part, int axis, int64_t start);

// Returns the offset of the output of a Slice, from its attributes, or of a Reshape, which is 0; nullopt for others.
std::optional<uint64_t> offset_in_input(const ops::Attributes& attributes, const TensorSpec& input,
                                        const TensorSpec& output);

// Returns a non-negative axis for tensors of that rank.
int axis_of(const ops::Concat& concat, int rank);

// Returns whether the operator needs no work from a unit. Requires: a verified plan.
bool is_view(const plan::Tables& plan, const plan::Operator& op);

}  // namespace nestrt
