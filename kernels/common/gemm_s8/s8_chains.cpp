// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_s8/s8_chains.h"

#include <algorithm>
#include <cstdlib>

namespace nestrt::kernels {
namespace {

constexpr int64_t kHalfOutputs = 32;          // bytes of the weights of half a block of outputs for four inputs
constexpr int64_t kGroup = 2 * kHalfOutputs;  // bytes of the weights of a whole block of outputs for four inputs
constexpr int32_t kNeonCentre = 64;
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

// Computes the chain bytes for half a block. Flushes every second step if that always fits, because alternating
// branches are predictable. `most`: the largest sum of weight magnitudes that fits a 16-bit sum. `ends_early`: stop
// before trailing zeros.
void half_block(const int8_t* weights, int64_t steps, int64_t most, bool ends_early, uint8_t* chains) {
  const auto largest = [&](int64_t step, int64_t count) {
    return largest_sum(weights + step * kS8ChainStepBytes, count * 4);
  };
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

void find_neon_chains(std::span<const int8_t> weights, int64_t block_bytes, bool not_negative, uint8_t* chains) {
  const int64_t steps = block_bytes / kS8ChainStepBytes, largest_input = not_negative ? kNeonCentre : 128;
  for (int64_t at = 0; at < std::ssize(weights); at += block_bytes)
    for (int64_t half = 0; half < 2; ++half, chains += steps)
      half_block(weights.data() + at + half * kHalfOutputs, steps, INT16_MAX / largest_input, half == 1, chains);
}

// For each 16-bit sum: the sums of the positive and of the negative weights that it multiplies with a group of inputs.
struct SignSums {
  static constexpr int64_t kPairs = kGroup / 2;

  SignSums() = default;
  explicit SignSums(const int8_t* weights) {
    for (int64_t i = 0; i < kPairs; ++i) {
      const int16_t a = weights[2 * i], b = weights[2 * i + 1];
      positive[i] = static_cast<int16_t>(std::max<int16_t>(a, 0) + std::max<int16_t>(b, 0));
      negative[i] = static_cast<int16_t>(-std::min<int16_t>(a, 0) - std::min<int16_t>(b, 0));
    }
  }
  SignSums operator+(const SignSums& other) const {
    SignSums sum;
    for (int64_t i = 0; i < kPairs; ++i) {
      sum.positive[i] = static_cast<int16_t>(positive[i] + other.positive[i]);
      sum.negative[i] = static_cast<int16_t>(negative[i] + other.negative[i]);
    }
    return sum;
  }
  // Returns whether the sums fit in 16 bits. Additions wrap, so only the complete sums have to fit.
  bool fit() const {
    constexpr int16_t kMost = INT16_MAX / INT8_MAX;
    int16_t largest = 0;
    for (int64_t i = 0; i < kPairs; ++i) largest = std::max({largest, positive[i], negative[i]});
    return largest <= kMost;
  }

  int16_t positive[kPairs], negative[kPairs];
};

S8StepSums sums_of_step(const int8_t* weights) {
  const SignSums first = SignSums(weights) + SignSums(weights + kGroup);
  const SignSums second = SignSums(weights + 2 * kGroup) + SignSums(weights + 3 * kGroup);
  if ((first + second).fit()) return S8StepSums::kWhole;
  return first.fit() && second.fit() ? S8StepSums::kHalves : S8StepSums::kGroups;
}

void find_x86_chains(std::span<const int8_t> weights, int64_t, bool, uint8_t* chains) {
  for (int64_t at = 0; at < std::ssize(weights); at += kS8ChainStepBytes)
    *chains++ = static_cast<uint8_t>(sums_of_step(weights.data() + at));
}

}  // namespace

constinit const S8ChainRules kS8NeonChains{2, kNeonCentre, true, find_neon_chains};
constinit const S8ChainRules kS8X86Chains{1, 0, false, find_x86_chains};

}  // namespace nestrt::kernels
