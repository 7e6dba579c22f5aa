// Operators whose output channels can be divided: parts of them are computed apart, one after the other or at the same
// time on several units, into the same tensors and with the same bits.
//
// They are the s8 convolutions (scales 2^-e) of one group that make one image in more than one block of 16 channels
// from packed weights: there, the output, the residual, the weights and the bias of consecutive blocks lie together.
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
// Of an operator of a plan whose tensors have been verified.
uint32_t divisible_channels(const plan::Plan& plan, uint32_t operator_index);
// Of a branch's only operator; 0 for a branch of several.
uint32_t divisible_channels(const plan::Plan& plan, const plan::Branch& branch);

// Whether these are some blocks, or all, of an operator with so many output channels.
bool is_part(uint32_t channels, ChannelRange part);

// What the first `channels` along an axis take of an operand's bytes: axis 1 of the output and of the residual, axis 0
// of weights and bias. Requires a divisible operator.
int64_t bytes_of_channels(const TensorSpec& operand, int axis, uint32_t channels);

}  // namespace nestrt
