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
// A small image through convolutions in blocks of 16 channels (direct and depthwise, packed weights), pooling, and
// back to plain: Reorder, Conv, Conv, Pool, Reorder.
PlanBuilder blocked_plan();
// y = a convolution of plain tensors with weights in the model's order, 1x4x5x5.
PlanBuilder plain_conv_plan();
// The same into blocks of 16 channels, whose kernels want packed weights, and back: Conv, Reorder.
PlanBuilder unpacked_conv_plan();
// An image through convolutions in blocks of 16 channels, "expand" of one tap from 16 to 32 channels, "filter", which
// is depthwise, and "project" of one tap; what "expand" gives, tensor 2, 1x32x96x96, is more than a cache holds.
PlanBuilder inverted_residual_plan();
// Operators that move elements: Pad, Resize, Transpose, Gather, Reduce.
PlanBuilder movement_plan();
// Operators that go by what the data say, and one with a state: TopK, Scatter, GridSample, Recurrent,
// NonMaxSuppression.
PlanBuilder selection_plan();
// An s8 convolution, branch 1, with a residual and an exponent for each of its output channels, in blocks of 16,
// between what its operands and its result need: xb, rb -> conv, operator 4, -> yb.
PlanBuilder divisible_plan(int64_t channels);
// An s8 convolution, branch 1, whose accumulators become f32, with an exponent for each of its output channels, in
// blocks of 16, between what its operands need and a ReLU: xb -> conv, operator 2, -> yb.
PlanBuilder wide_plan(int64_t channels);
// Operators that treat channels one by one, s8 in blocks of 16, each a branch: 1 a depthwise convolution with a
// residual and an exponent for each channel, 2 the maximum and 3 the average of its windows, 4 their sum, 5 a ReLU, 6 a
// Requantize; before and after them what brings x and r there and y back.
PlanBuilder channelwise_plan(int64_t channels);
// The prevailing colour of an image of 1x3x32x32, red, green or blue: the mean of each channel, then a softmax. It
// states no preprocessing; the output's name needs mending to become a file's.
PlanBuilder colour_plan();
// Maps instead of classes: y = relu(image), 1x3x8x8.
PlanBuilder maps_plan();
// Two classes by a fully connected layer: Pool, Dense, Softmax.
PlanBuilder classifier_plan();

}  // namespace nestrt::test
