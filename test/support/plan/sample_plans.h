// SPDX-License-Identifier: Apache-2.0
// Small plans that many tests run.
#pragma once

#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

// Returns y = relu(x), 2x3.
PlanBuilder relu_plan();
// Returns y = relu(x) + c * x in two branches with a join, 2x8, with a constant and two buffers in the arena.
PlanBuilder branches_plan();
// Returns whole = concat(relu(x), neg(x)), in place; y = 2 * whole, reshaped in place to 8x1; and z = abs of the last 3
// elements, sliced in place.
PlanBuilder views_plan();
// Returns convolutions (direct and depthwise, packed weights) and pooling of a small image in blocks of 16 channels,
// and the conversion to plain: Reorder, Conv, Conv, Pool, Reorder.
PlanBuilder blocked_plan();
// Returns y = a convolution of plain tensors with weights in the model's order, 1x4x5x5.
PlanBuilder plain_conv_plan();
// Returns the same convolution with an output in blocks of 16 channels, whose kernels require packed weights, and the
// conversion to plain: Conv, Reorder.
PlanBuilder unpacked_conv_plan();
// Returns convolutions of an image in blocks of 16 channels: "expand" with one tap from 16 to 32 channels, the
// depthwise "filter", and "project" with one tap. The result of "expand", tensor 2, 1x32x96x96, is larger than a cache.
PlanBuilder inverted_residual_plan();
// Returns operators that move elements: Pad, Resize, Transpose, Gather, Reduce.
PlanBuilder movement_plan();
// Returns operators that depend on the data, and one with a state: TopK, Scatter, GridSample, Recurrent,
// NonMaxSuppression.
PlanBuilder selection_plan();
// Returns operators on integers whose parameters are operands: DynamicQuantize, MatMulInteger, ConvInteger,
// MatMulNBits, Recurrent with s8 weights, and a Pad with the value as an operand.
PlanBuilder integer_plan();
// Returns an s8 convolution (branch 1, operator 4) in blocks of 16, with a residual and an exponent per output channel,
// between the conversions of its operands and its result: xb, rb -> conv -> yb.
PlanBuilder divisible_plan(int64_t channels);
// Returns an s8 convolution (branch 1, operator 2) in blocks of 16, with accumulators converted to f32 and an exponent
// per output channel, between the conversions of its operands and a ReLU: xb -> conv -> yb.
PlanBuilder wide_plan(int64_t channels);
// Returns s8 operators in blocks of 16 that process channels separately, each in its own branch. Branch 1 is a
// depthwise convolution with a residual and an exponent per channel, 2 the maximum and 3 the average of its windows, 4
// their sum, 5 a ReLU, and 6 a Requantize. Conversions of x, r and y precede and follow them.
PlanBuilder channelwise_plan(int64_t channels);
// Returns a classifier of the dominant colour (red, green or blue) of an image of 1x3x32x32: the mean of each channel,
// then a softmax. The plan specifies no preprocessing, and the output's name is not a valid file name.
PlanBuilder colour_plan(int64_t batch = 1);
// Returns y = relu(image), 1x3x8x8: maps instead of classes.
PlanBuilder maps_plan();
// Returns a classifier with two classes and a fully connected layer: Pool, Dense, Softmax.
PlanBuilder classifier_plan();

}  // namespace nestrt::test
