// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/evta/cycles/vta_convolution.h"

#include <algorithm>

#include "test/drivers/evta/cycles/vta_stream.h"

namespace nestrt::evta::test {
namespace {

constexpr Module kLoad = Module::kLoad, kCompute = Module::kCompute, kStore = Module::kStore;
constexpr uint32_t kThreads = 2;

constexpr Convolution kResnet18[] = {
    {"C2", 56, 4, 4, 3, 1, 4},    {"C3", 56, 4, 8, 3, 2, 1},   {"C4", 56, 4, 8, 1, 2, 1},   {"C5", 28, 8, 8, 3, 1, 3},
    {"C6", 28, 8, 16, 3, 2, 1},   {"C7", 28, 8, 16, 1, 2, 1},  {"C8", 14, 16, 16, 3, 1, 3}, {"C9", 14, 16, 32, 3, 2, 1},
    {"C10", 14, 16, 32, 1, 2, 1}, {"C11", 7, 32, 32, 3, 1, 3},
};

Transfer rows(Memory memory, uint32_t dram_base, uint32_t y_size, uint32_t x_size, uint32_t x_stride) {
  Transfer transfer;
  transfer.memory = memory;
  transfer.dram_base = dram_base;
  transfer.y_size = static_cast<uint16_t>(y_size);
  transfer.x_size = static_cast<uint16_t>(x_size);
  transfer.x_stride = static_cast<uint16_t>(x_stride);
  return transfer;
}

Loop loop(uint32_t iter_out, uint32_t iter_in, uint32_t micro_ops) {
  Loop loop;
  loop.iter_out = iter_out;
  loop.iter_in = iter_in;
  loop.uop_end = micro_ops;
  return loop;
}

class Schedule {
 public:
  Schedule(const Convolution& convolution, const ConvolutionTile& tile) : conv_(convolution), tile_(tile) {}

  std::vector<Instruction> build() {
    for (uint32_t thread = 0; thread < kThreads; ++thread) stream_.push(kCompute, kLoad);
    for (uint32_t thread = 0; thread < kThreads; ++thread) stream_.push(kStore, kCompute);
    for (uint32_t row = 0; row < conv_.out_size(); row += tile_.rows)
      for (uint32_t block = 0; block < conv_.out_blocks; block += kThreads * tile_.out_blocks) add_tiles(row, block);
    for (uint32_t thread = 0; thread < kThreads; ++thread) stream_.pop(kCompute, kLoad);
    for (uint32_t thread = 0; thread < kThreads; ++thread) stream_.pop(kStore, kCompute);
    stream_.finish();
    return stream_.instructions();
  }

 private:
  void add_tiles(uint32_t row, uint32_t block) {
    const uint32_t vectors = tile_.rows * conv_.out_size();
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      stream_.pop(kStore, kCompute);
      stream_.gemm(loop(tile_.out_blocks, vectors, 1), true, loaded_);
    }
    for (uint32_t channel = 0; channel < conv_.in_blocks; ++channel) add_step(row, block, channel);
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      stream_.load(rows(Memory::kAcc, block + thread * tile_.out_blocks, 1, tile_.out_blocks, tile_.out_blocks));
      stream_.alu(loop(tile_.out_blocks, vectors, 1), AluOpcode::kShr, true, loaded_);
      stream_.alu(loop(tile_.out_blocks, vectors, 1), AluOpcode::kAdd, false, loaded_);
      stream_.alu(loop(tile_.out_blocks, vectors, 1), AluOpcode::kMax, true, loaded_);
      stream_.alu(loop(tile_.out_blocks, vectors, 1), AluOpcode::kMin, true, loaded_);
      stream_.push(kCompute, kStore);
    }
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      stream_.pop(kCompute, kStore);
      const uint32_t plane = conv_.out_size() * conv_.out_size();
      stream_.store(rows(Memory::kOut, (block + thread * tile_.out_blocks) * plane + row * conv_.out_size(),
                         tile_.out_blocks, vectors, plane));
      stream_.push(kStore, kCompute);
    }
    loaded_ = true;
  }

  // Adds one block of input channels.
  void add_step(uint32_t row, uint32_t block, uint32_t channel) {
    const uint32_t taps = conv_.kernel * conv_.kernel;
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      stream_.pop(kCompute, kLoad);
      stream_.load(input(row, channel));
      stream_.load(rows(Memory::kWgt, ((block + thread * tile_.out_blocks) * conv_.in_blocks + channel) * taps,
                        tile_.out_blocks, taps, conv_.in_blocks * taps));
      stream_.push(kLoad, kCompute);
    }
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      stream_.pop(kLoad, kCompute);
      stream_.gemm(loop(conv_.out_size(), conv_.kernel, conv_.kernel * tile_.out_blocks * tile_.rows), false,
                   loaded_ || channel > 0);
      stream_.push(kCompute, kLoad);
    }
  }

  Transfer input(uint32_t row, uint32_t channel) const {
    const auto pad = static_cast<int>(conv_.pad()), size = static_cast<int>(conv_.size);
    const int first = static_cast<int>(row * conv_.stride) - pad;
    const int last = first + static_cast<int>((tile_.rows - 1) * conv_.stride + conv_.kernel);
    const int begin = std::max(first, 0), end = std::min(last, size);
    Transfer transfer = rows(Memory::kInp, (channel * conv_.size + static_cast<uint32_t>(begin)) * conv_.size,
                             static_cast<uint32_t>(end - begin), conv_.size, conv_.size);
    transfer.y_pad_begin = static_cast<uint8_t>(begin - first);
    transfer.y_pad_end = static_cast<uint8_t>(last - end);
    transfer.x_pad_begin = transfer.x_pad_end = static_cast<uint8_t>(pad);
    return transfer;
  }

  const Convolution& conv_;
  const ConvolutionTile& tile_;
  VtaStream stream_;
  bool loaded_ = false;  // whether the micro-ops are loaded
};

}  // namespace

std::span<const Convolution> resnet18_convolutions() { return kResnet18; }

std::optional<std::vector<Instruction>> schedule(const Convolution& convolution, const ConvolutionTile& tile,
                                                 const Configuration& configuration) {
  const uint32_t inputs =
      ((tile.rows - 1) * convolution.stride + convolution.kernel) * (convolution.size + 2 * convolution.pad());
  const uint32_t weights = tile.out_blocks * convolution.kernel * convolution.kernel;
  const uint32_t accumulators = tile.out_blocks * (tile.rows * convolution.out_size() + 1);
  const bool divides =
      convolution.out_size() % tile.rows == 0 && convolution.out_blocks % (kThreads * tile.out_blocks) == 0;
  const bool fits = kThreads * inputs <= configuration.inp_depth() && kThreads * weights <= configuration.wgt_depth() &&
                    kThreads * accumulators <= configuration.acc_depth();
  if (!divides || !fits) return std::nullopt;
  return Schedule(convolution, tile).build();
}

}  // namespace nestrt::evta::test
