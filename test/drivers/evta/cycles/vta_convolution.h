// SPDX-License-Identifier: Apache-2.0
// Convolutions scheduled as in TVM's VTA operator library. Tiles consist of full-width rows, and input channels are
// processed one block at a time. Two virtual threads use half of the on-chip memories each and alternate over the
// output channels. Micro-ops are loaded once. Shift, bias, clip and store follow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta::test {

// A square convolution, padded so that only the stride reduces its size. Channels are counted in blocks.
struct Convolution {
  const char* name;
  uint32_t size;  // height and width of the input
  uint32_t in_blocks;
  uint32_t out_blocks;
  uint32_t kernel;
  uint32_t stride;
  uint32_t count;  // number in the network

  uint32_t pad() const { return kernel / 2; }
  uint32_t out_size() const { return (size - 1) / stride + 1; }
  uint64_t micro_ops() const { return uint64_t{out_size()} * out_size() * out_blocks * in_blocks * kernel * kernel; }
};

// Returns the convolutions of ResNet-18 that VTA runs: C2 to C11.
std::span<const Convolution> resnet18_convolutions();

// The work of one virtual thread.
struct ConvolutionTile {
  uint32_t rows;
  uint32_t out_blocks;
};

// Returns nullopt if the tile does not divide the output or does not fit half of a memory.
std::optional<std::vector<Instruction>> schedule(const Convolution& convolution, const ConvolutionTile& tile,
                                                 const Configuration& configuration);

}  // namespace nestrt::evta::test
