// SPDX-License-Identifier: Apache-2.0
// Small plans that many tests run.
#pragma once

#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

// y = relu(x), 2x3.
PlanBuilder relu_plan();
// y = relu(x) + c * x in two branches with a join, 2x8, with a constant and two buffers in the arena.
PlanBuilder branches_plan();
// whole = concat(relu(x), neg(x)), in place; y = 2 * whole, reshaped in place to 8x1; z = abs of its last 3, sliced in
// place.
PlanBuilder views_plan();
// A small image through convolutions in blocks of 16 channels (direct and depthwise, packed weights), pooling, and back
// to plain: Reorder, Conv, Conv, Pool, Reorder.
PlanBuilder blocked_plan();
// y = a convolution of plain tensors with weights in the model's order, 1x4x5x5.
PlanBuilder plain_conv_plan();
// The same into blocks of 16 channels, whose kernels require packed weights, and back: Conv, Reorder.
PlanBuilder unpacked_conv_plan();
// An image through convolutions in blocks of 16 channels: "expand" with one tap from 16 to 32 channels, the depthwise
// "filter", and "project" with one tap. The result of "expand", tensor 2, 1x32x96x96, is larger than a cache.
PlanBuilder inverted_residual_plan();
// Operators that move elements: Pad, Resize, Transpose, Gather, Reduce.
PlanBuilder movement_plan();
// Operators that depend on the data, and one with a state: TopK, Scatter, GridSample, Recurrent, NonMaxSuppression.
PlanBuilder selection_plan();
// Operators on integers whose parameters are operands: DynamicQuantize, MatMulInteger, ConvInteger, MatMulNBits,
// Recurrent with s8 weights, and a Pad with the value as an operand.
PlanBuilder integer_plan();
// An s8 convolution, branch 1, with a residual and an exponent per output channel, in blocks of 16, between the
// conversions of its operands and result: xb, rb -> conv, operator 4, -> yb.
PlanBuilder divisible_plan(int64_t channels);
// An s8 convolution, branch 1, with accumulators converted to f32 and an exponent per output channel, in blocks of 16,
// between the conversions of its operands and a ReLU: xb -> conv, operator 2, -> yb.
PlanBuilder wide_plan(int64_t channels);
// Operators that treat channels separately, s8 in blocks of 16, each a branch: 1 a depthwise convolution with a
// residual and an exponent per channel, 2 the maximum and 3 the average of its windows, 4 their sum, 5 a ReLU, 6 a
// Requantize; before and after them the conversions of x, r and y.
PlanBuilder channelwise_plan(int64_t channels);
// The prevailing colour of an image of 1x3x32x32, red, green or blue: the mean of each channel, then a softmax. It
// specifies no preprocessing, and the output's name is not a valid file name.
PlanBuilder colour_plan();
// Maps instead of classes: y = relu(image), 1x3x8x8.
PlanBuilder maps_plan();
// Two classes by a fully connected layer: Pool, Dense, Softmax.
PlanBuilder classifier_plan();

}  // namespace nestrt::test
