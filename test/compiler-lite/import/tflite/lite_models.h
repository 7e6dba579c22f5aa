// SPDX-License-Identifier: Apache-2.0
// Small TensorFlow Lite models that cover the importer's operator families.
#pragma once

#include <vector>

#include "test/compiler-lite/import/tflite/lite_writer.h"

namespace nestrt::test {

// Values of the format's union BuiltinOptions.
namespace lite_options {
inline constexpr uint8_t kConv2D = 1, kDepthwiseConv2D = 2, kPool2D = 5, kFullyConnected = 8, kSoftmax = 9,
                         kConcatenation = 10, kAdd = 11, kResizeBilinear = 15, kReshape = 17, kMul = 21, kReducer = 27,
                         kSqueeze = 30, kStridedSlice = 32, kSplit = 35, kArgMax = 40, kTransposeConv = 49, kPack = 59,
                         kUnpack = 64, kSequenceLstm = 71, kLeakyRelu = 75, kMirrorPad = 77, kWhile = 93,
                         kDepthToSpace = 94, kBatchMatMul = 101, kVarHandle = 111;
}  // namespace lite_options

// Returns the options of a convolution or pool.
LiteWriter::Options conv_options(tflite::PaddingScheme padding, int32_t stride,
                                 tflite::FusedActivation activation = tflite::FusedActivation::NONE);
LiteWriter::Options depthwise_options(tflite::PaddingScheme padding, int32_t stride, int32_t dilation = 1);
LiteWriter::Options pool_options(tflite::PaddingScheme padding, int32_t stride, int32_t filter);

// Returns `count` numbers between -1 and 1 that depend only on the seed.
std::vector<float> lite_numbers(size_t count, uint32_t seed);
// Returns bytes between -127 and 127.
std::vector<int8_t> lite_bytes_of(size_t count, uint32_t seed);

// A convolution, a depthwise convolution, a pool, a FULLY_CONNECTED of the flattened image, and a softmax.
LiteWriter classifier_model();
// The same with int8 tensors.
LiteWriter quantized_classifier_model();
// Adds `x` to a sum in each of a loop's three steps: y = 3 x.
LiteWriter loop_model();
std::vector<LiteWriter> sample_lite_models();

}  // namespace nestrt::test
