// Operators whose output channels can be divided: parts of them are computed apart, one after the other or at the same
// time on several units, into the same tensors and with the same bits. Which ones, their rows of the table of operators
// say (Division in runtime/kernel/kernel.h). They make one image in more than one block of 16 channels, of which
// consecutive ones lie together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestrt/driver/channel_range.h"
#include "runtime/kernel/kernel.h"

namespace nestrt {

// Parts consist of whole blocks, but for the last one of an operator, or, where rows can be divided, of rows of blocks
// that follow one another (nestrt/driver/channel_range.h). Programs for units with wider blocks have multiples of
// theirs.
inline constexpr uint32_t kChannelBlock = 16;

// The number of output channels; 0 for an operator that cannot be divided. Asks nothing of the spec: the rules of the
// operator need not have been checked.
uint32_t divisible_channels(const OperatorSpec& spec);
// The same of an operator of a plan whose tensors have been verified.
uint32_t divisible_channels(const plan::Tables& plan, uint32_t operator_index);
// The same of a branch's only operator; 0 for a branch of several.
uint32_t divisible_channels(const plan::Tables& plan, const plan::Branch& branch);

// The rows of such an operator's output, where parts of it may also begin and end within a block of channels; else 1.
// Requires a divisible operator.
uint32_t divisible_rows(const OperatorSpec& spec);
// The same of a branch's only operator.
uint32_t divisible_rows(const plan::Tables& plan, const plan::Branch& branch);

// Whether this is a part, or all, of an operator with so many output channels and divisible_rows().
bool is_part(uint32_t channels, uint32_t rows, ChannelRange part);

// "16-64"; with rows "16:5-48:10".
std::string to_string(ChannelRange part);

// What share of an output of that shape a part computes.
double share_of(const Shape& output, ChannelRange part);

// Whole blocks of channels, the last of an operator counted as one, or some rows of one block.
struct ChannelRows {
  uint32_t begin = 0, end = 0;           // channels
  uint32_t first_row = 0, last_row = 0;  // [first_row, last_row); all where both are 0

  bool has_all_rows() const { return last_row == 0; }
  bool operator==(const ChannelRows&) const = default;
};

// A part, which is_part(), as at most three of these, in the order in which they lie: those of a block that it begins
// within, all of some blocks, and those of a block that it ends within. `rows`: of the output.
std::vector<ChannelRows> rectangles_of(uint32_t channels, uint32_t rows, ChannelRange part);

// The axis along which an input is cut as the output is along axis 1; kUncut where every part reads all of it.
// Requires a divisible operator.
int channel_axis(const ops::Attributes& attributes, size_t input);

// What the first `channels` along such an axis take of an operand's bytes. Requires a divisible operator.
int64_t bytes_of_channels(const TensorSpec& operand, int axis, uint32_t channels);

}  // namespace nestrt
