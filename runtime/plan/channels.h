// Operators whose output channels can be divided: parts of them are computed apart, one after the other or at the same
// time on several units, into the same tensors and with the same bits. Which ones, their rows of the table of operators
// say (Division in nestrt/kernel.h). They make one image in more than one block of 16 channels, of which consecutive
// ones lie together.
#pragma once

#include <cstdint>

#include "nestrt/kernel.h"
#include "nestrt/unit.h"

namespace nestrt {

// Parts consist of whole blocks, but for the last one of an operator. Programs for units with wider blocks have
// multiples of theirs.
inline constexpr uint32_t kChannelBlock = 16;

// The number of output channels; 0 for an operator that cannot be divided. Asks nothing of the spec: the rules of the
// operator need not have been checked.
uint32_t divisible_channels(const OperatorSpec& spec);
// The same of an operator of a plan whose tensors have been verified.
uint32_t divisible_channels(const plan::Tables& plan, uint32_t operator_index);
// The same of a branch's only operator; 0 for a branch of several.
uint32_t divisible_channels(const plan::Tables& plan, const plan::Branch& branch);

// Whether these are some blocks, or all, of an operator with so many output channels.
bool is_part(uint32_t channels, ChannelRange part);

// The axis along which an input is cut as the output is along axis 1; kUncut where every part reads all of it.
// Requires a divisible operator.
int channel_axis(const ops::Attributes& attributes, size_t input);

// What the first `channels` along such an axis take of an operand's bytes. Requires a divisible operator.
int64_t bytes_of_channels(const TensorSpec& operand, int axis, uint32_t channels);

}  // namespace nestrt
