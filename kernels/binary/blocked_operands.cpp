// SPDX-License-Identifier: Apache-2.0
#include "kernels/binary/blocked_operands.h"

namespace nestrt::kernels {
namespace {

// The role of an operand in a blocked operation.
enum class Role {
  kSame,     // the output's shape and layout
  kPixel,    // blocked, with one pixel: [N or 1, C, 1...]
  kChannel,  // a plain constant with one value per channel
  kScalar,
  kNone,  // not supported
};

// Returns the operand's dimension along an axis of the output, or 1 if the operand has no such axis.
int64_t aligned_dim(const Shape& shape, const Shape& output, int axis) {
  const int own = axis - (output.rank() - shape.rank());
  return own < 0 ? 1 : shape[own];
}

Role role_of(const TensorSpec& operand, const TensorSpec& output) {
  if (operand.packing != Packing::kNone) return Role::kNone;
  if (operand.shape == output.shape && operand.layout == output.layout) return Role::kSame;
  if (operand.shape.num_elements() == 1) return Role::kScalar;
  for (int axis = 2; axis < output.shape.rank(); ++axis)
    if (aligned_dim(operand.shape, output.shape, axis) != 1) return Role::kNone;
  if (aligned_dim(operand.shape, output.shape, 1) != output.shape[1]) return Role::kNone;
  if (operand.layout == output.layout && operand.shape.rank() == output.shape.rank()) return Role::kPixel;
  const bool one_image = aligned_dim(operand.shape, output.shape, 0) == 1;
  return operand.layout == Layout::kPlain && operand.constant != nullptr && one_image ? Role::kChannel : Role::kNone;
}

}  // namespace

bool has_blocked_operands(const OperatorSpec& spec) {
  const TensorSpec& output = spec.outputs[0];
  return output.shape.rank() >= 2 && role_of(spec.inputs[0], output) != Role::kNone &&
         role_of(spec.inputs[1], output) != Role::kNone;
}

BlockedSteps blocked_steps(const TensorSpec& operand, const TensorSpec& output) {
  const Shape& shape = output.shape;
  const int64_t block = block_size(output.layout), blocks = ceil_div(shape[1], block);
  const Role role = role_of(operand, output);
  BlockedSteps steps;
  steps.is_scalar = role == Role::kScalar;
  steps.is_channels = role == Role::kChannel;
  if (role == Role::kScalar) return steps;
  steps.block = block;
  if (role == Role::kSame) {
    steps.pixel = block;
    steps.block = shape.product(2, shape.rank()) * block;
    steps.image = blocks * steps.block;
  } else if (role == Role::kPixel) {
    steps.image = operand.shape[0] == 1 ? 0 : blocks * block;
  }
  return steps;
}

}  // namespace nestrt::kernels
