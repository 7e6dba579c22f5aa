// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_s8/s8_chains.h"

#include <algorithm>
#include <cstdlib>

namespace nestrt::kernels {
namespace {

constexpr int64_t kHalfOutputs = 32;          // bytes of half a block's outputs for four inputs ...
constexpr int64_t kGroup = 2 * kHalfOutputs;  // ... and of a whole block's
constexpr int64_t kStepBytes = kS8ChainStep * 16;
constexpr uint8_t kAfterHalf = 1, kAfterStep = 2, kLast = 4;

// Returns the largest sum of weight magnitudes over `groups` groups of four inputs, across all sums.
int64_t largest_sum(const int8_t* weights, int64_t groups) {
  int64_t largest = 0;
  for (int64_t i = 0; i < kHalfOutputs; ++i) {
    int64_t sum = 0;
    for (int64_t group = 0; group < groups; ++group) sum += std::abs(int{weights[group * kGroup + i]});
    largest = std::max(largest, sum);
  }
  return largest;
}

// Computes the bytes of half a block. Flushes every second step if that always fits, because alternating branches are
// predictable. `most`: the largest sum of weight magnitudes that fits a 16-bit sum. `ends_early`: stop before trailing
// zeros.
void half_block(const int8_t* weights, int64_t steps, int64_t most, bool ends_early, uint8_t* chains) {
  const auto largest = [&](int64_t step, int64_t count) { return largest_sum(weights + step * kStepBytes, count * 4); };
  bool pairs = true;
  for (int64_t step = 0; step < steps && pairs; step += 2)
    pairs = largest(step, std::min<int64_t>(2, steps - step)) <= most;
  for (int64_t step = 0; step < steps; ++step) {
    const bool after_half = !pairs && largest(step, 1) > most;
    chains[step] = static_cast<uint8_t>((after_half ? kAfterHalf : 0) | (pairs && step % 2 == 0 ? 0 : kAfterStep));
  }
  int64_t last = steps - 1;
  while (ends_early && last > 0 && largest(last, 1) == 0) --last;
  chains[last] |= kLast;
}

}  // namespace

void s8_chains(std::span<const int8_t> weights, int64_t block_bytes, int32_t largest_input, uint8_t* chains) {
  const int64_t steps = block_bytes / kStepBytes;
  for (int64_t at = 0; at < std::ssize(weights); at += block_bytes)
    for (int64_t half = 0; half < 2; ++half, chains += steps)
      half_block(weights.data() + at + half * kHalfOutputs, steps, INT16_MAX / largest_input, half == 1, chains);
}

}  // namespace nestrt::kernels
