// SPDX-License-Identifier: Apache-2.0
// Views: outputs that share memory with an input, so that nothing is computed.
//   Reshape  output and input are the same bytes
//   Slice    the output is a contiguous part of the input
//   Concat   an input is the corresponding contiguous part of the output (any number of the inputs)
// Inputs and outputs of an operator share no other bytes in a plan. The compiler places tensors according to these
// rules (compiler-lite/memory/storage.h). Loading a plan verifies them, and runs rely on them.
#pragma once

#include <cstdint>
#include <optional>

#include "nestrt/driver/plan_tables.h"
#include "runtime/kernel/kernel.h"

namespace nestrt {

// Returns the byte offset in `whole` of the slice that starts at coordinate `start` of `axis` and has the shape of
// `part`. Returns nullopt unless the slice is contiguous and stored in the same order as `part`. Requires: verified
// shapes and types; axis and start may have any value.
std::optional<uint64_t> offset_of_part(const TensorSpec& whole, const TensorSpec& part, int axis, int64_t start);

// Returns the offset of a Slice's output according to its attributes, 0 for a Reshape, and nullopt for other operators.
std::optional<uint64_t> offset_in_input(const ops::Attributes& attributes, const TensorSpec& input,
                                        const TensorSpec& output);

// Returns the axis as a non-negative number, for tensors of the given rank.
int axis_of(const ops::Concat& concat, int rank);

// Returns whether the operator needs no work from a unit. Requires: a verified plan.
bool is_view(const plan::Tables& plan, const plan::Operator& op);

}  // namespace nestrt
