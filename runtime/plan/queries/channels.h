// SPDX-License-Identifier: Apache-2.0
// Operators whose output can be split by channels: parts are computed separately, one after another or concurrently on
// several units, into the same tensors and with bit-identical results. The table of operators defines which ones
// (Division in runtime/kernel/kernel.h). Each has one image as its output, with more than one block of 16 channels;
// consecutive blocks are contiguous.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestrt/driver/channel_range.h"
#include "runtime/kernel/kernel.h"

namespace nestrt {

// Slices consist of whole blocks, except the last slice of an operator, or of consecutive rows of blocks if the
// operator can be split by rows (nestrt/driver/channel_range.h). Programs for units with wider blocks have multiples of
// blocks.
inline constexpr uint32_t kChannelBlock = 16;

// Returns the number of output channels; 0 for an operator that cannot be split. Does not require that the operator's
// rules have been checked.
uint32_t divisible_channels(const OperatorSpec& spec);
// Returns the same for an operator of a plan whose tensors are verified.
uint32_t divisible_channels(const plan::Tables& plan, uint32_t operator_index);
// Returns the same for a branch's only operator; 0 for a branch of several operators.
uint32_t divisible_channels(const plan::Tables& plan, const plan::Branch& branch);

// Returns the number of rows of the operator's output if slices may begin and end within a block of channels, otherwise
// 1. Requires: a divisible operator.
uint32_t divisible_rows(const OperatorSpec& spec);
// Returns the same for a branch's only operator.
uint32_t divisible_rows(const plan::Tables& plan, const plan::Branch& branch);

// Returns whether `part` is a valid slice of an operator with the given output channels and divisible_rows(), or the
// whole operator.
bool is_part(uint32_t channels, uint32_t rows, ChannelRange part);

// Returns "16-64"; with rows "16:5-48:10".
std::string to_string(ChannelRange part);

// Returns the fraction of an output with shape `output` that `part` computes.
double share_of(const Shape& output, ChannelRange part);

// Whole blocks of channels, including a partial last one, or some rows of one block.
struct ChannelRows {
  uint32_t begin = 0, end = 0;           // channels
  uint32_t first_row = 0, last_row = 0;  // [first_row, last_row); all rows if both are 0

  bool has_all_rows() const { return last_row == 0; }
  bool operator==(const ChannelRows&) const = default;
};

// Decomposes a valid part (is_part()) into at most three ChannelRows, in memory order: rows of the block in which it
// begins, whole blocks, and rows of the block in which it ends. `rows` is the number of rows of the output.
std::vector<ChannelRows> rectangles_of(uint32_t channels, uint32_t rows, ChannelRange part);

// Returns the axis along which an input is split when the output is split along axis 1; kUncut if every part reads all
// of it. Requires: a divisible operator.
int channel_axis(const ops::Attributes& attributes, size_t input);

// Returns the number of bytes that the first `channels` along that axis of an operand occupy. Requires: a divisible
// operator.
int64_t bytes_of_channels(const TensorSpec& operand, int axis, uint32_t channels);

}  // namespace nestrt
