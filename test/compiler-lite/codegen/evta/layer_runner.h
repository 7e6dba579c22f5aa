// SPDX-License-Identifier: Apache-2.0
// Random layers for tests, their results according to docs/concepts/numerics.md, and the results of their programs in
// the simulators.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "compiler-lite/codegen/evta/layer/layer.h"
#include "compiler-lite/codegen/evta/program/encoded_program.h"

namespace nestrt::test {

using Elements = std::vector<int8_t>;

Elements random_elements(std::mt19937& generator, int64_t count, kernels::s8::Bounds bounds = {});

// Returns a convolution of one image with random weights and biases, shifts that keep results significant, and the
// given geometry on both axes.
compiler::evta::ConvLayer random_conv(std::mt19937& generator, int64_t in_channels, int64_t out_channels,
                                      const compiler::evta::LayerAxis& axis, int64_t groups = 1);

// Return the sizes of the plain tensors.
int64_t input_size(const compiler::evta::ConvLayer& layer);
int64_t output_size(const compiler::evta::ConvLayer& layer);

// Returns the sums including bias, computed by plain loops over plain tensors.
std::vector<int32_t> accumulators(const compiler::evta::ConvLayer& layer, const Elements& input);
// Returns the layer's results; `residual` may be empty.
Elements reference(const compiler::evta::ConvLayer& layer, const Elements& input, const Elements& residual);

// Convert [planes][channels][pixels] to and from blocks of channels. Missing channels become noise.
std::vector<std::byte> to_blocks(const Elements& plain, int64_t images, int64_t channels, int block);
Elements from_blocks(const std::vector<std::byte>& blocked, int64_t images, int64_t channels, int block);
// Converts the four tensors of accumulator bytes (ConvLayer::wide) from blocks of channels.
std::vector<int32_t> from_bytes(const std::vector<std::byte>& stored, int64_t images, int64_t channels, int block);

// Returns the output buffer after a run in the strict plain simulator. The fast simulator must produce the same buffer
// with different initial memory. Returns an empty buffer, with a message for the log, if the program checker or a
// simulator rejects the program. `inputs`: the blocked input, then the residual if there is one.
std::vector<std::byte> run(const compiler::evta::EncodedProgram& program,
                           const std::vector<std::vector<std::byte>>& inputs, std::string* message);

// Fails the test unless the program computes the layer for random data.
void check_program(const compiler::evta::ConvLayer& layer, const compiler::evta::EncodedProgram& program,
                   std::mt19937& generator);

}  // namespace nestrt::test
