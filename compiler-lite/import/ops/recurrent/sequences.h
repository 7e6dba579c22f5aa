// SPDX-License-Identifier: Apache-2.0
// Sequences of different lengths in one batch.
#pragma once

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

// Converts `lengths`, one integer per sequence, to s64 and limits them to 0 to `steps`.
Result<ValueId> clamped_lengths(NodeContext& node, ValueId lengths, int64_t steps);

// Returns booleans [steps, sequences, 1]: whether the step is within the sequence. Requires: s64 lengths.
Result<ValueId> steps_within(NodeContext& node, ValueId lengths, int64_t steps);

// Returns x, whose axes 0 and 1 are time and batch (time = 0) or batch and time (time = 1), with the first lengths[b]
// steps of each sequence in reverse order. Requires: s64 lengths.
Result<ValueId> reversed_sequences(NodeContext& node, ValueId x, ValueId lengths, int time);

// Returns step lengths[b] - 1 of each sequence of x, [steps, sequences, width], as [sequences, width]; step 0 if the
// length is 0. Requires: s64 lengths.
Result<ValueId> last_steps(NodeContext& node, ValueId x, ValueId lengths);

}  // namespace nestrt::compiler
