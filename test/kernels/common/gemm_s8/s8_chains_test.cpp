// SPDX-License-Identifier: Apache-2.0
// Checks the chains computed from weights: for any inputs, a 16-bit sum never receives more products than fit.
#include "kernels/common/gemm_s8/s8_chains.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <vector>

namespace nestrt::test {
namespace {

constexpr int64_t kStepBytes = kernels::kS8ChainStepBytes;
constexpr uint8_t kAfterHalf = 1, kAfterStep = 2, kLastStep = 4;

std::vector<uint8_t> chains_of(const std::vector<int8_t>& weights, int64_t block_bytes, bool not_negative = false) {
  const kernels::S8ChainRules& rules = kernels::kS8NeonChains;
  std::vector<uint8_t> chains(static_cast<size_t>(rules.bytes(std::ssize(weights))));
  rules.find(weights, block_bytes, not_negative, chains.data());
  return chains;
}

// Returns the largest magnitude that a 16-bit sum reaches if sums are flushed according to `chains`.
int largest_sum(const std::vector<int8_t>& weights, const std::vector<uint8_t>& chains, int64_t block_bytes,
                int32_t largest_input) {
  const int64_t steps = block_bytes / kStepBytes;
  int largest = 0;
  for (int64_t lane = 0; lane < 64; ++lane) {
    for (int64_t block = 0; block * block_bytes < std::ssize(weights); ++block) {
      const uint8_t* of_half = chains.data() + (block * 2 + lane / 32) * steps;
      int sum = 0;
      for (int64_t group = 0; group < steps * 4; ++group) {
        sum += largest_input * std::abs(weights[static_cast<size_t>(block * block_bytes + group * 64 + lane)]);
        largest = std::max(largest, sum);
        const uint8_t flag = of_half[group / 4];
        if ((group % 4 == 1 && (flag & kAfterHalf) != 0) || (group % 4 == 3 && (flag & (kAfterStep | kLastStep)) != 0))
          sum = 0;
      }
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("Chains of s8 products fit in 16 bits") {
  std::mt19937 generator(1);
  for (int i = 0; i < 200; ++i) {
    const int size = std::uniform_int_distribution<int>(1, 127)(generator);
    std::uniform_int_distribution<int> any(-size, size);
    const int64_t block_bytes = std::uniform_int_distribution<int64_t>(1, 9)(generator) * kStepBytes;
    std::vector<int8_t> weights(static_cast<size_t>(2 * block_bytes));
    for (int8_t& weight : weights) weight = static_cast<int8_t>(any(generator));
    CHECK(largest_sum(weights, chains_of(weights, block_bytes), block_bytes, 128) <= 32767);
    const int32_t centre = kernels::kS8NeonChains.centre;
    CHECK(largest_sum(weights, chains_of(weights, block_bytes, true), block_bytes, centre) <= 32767);
  }
}

TEST_CASE("Small weights share a sum for two steps and large ones for half a step") {
  const auto of_equal = [](int8_t weight) {
    return chains_of(std::vector<int8_t>(static_cast<size_t>(3 * kStepBytes), weight), 3 * kStepBytes);
  };
  CHECK(of_equal(31) == std::vector<uint8_t>{0, kAfterStep, kLastStep, 0, kAfterStep, kLastStep});
  constexpr uint8_t last = kAfterStep | kLastStep;
  CHECK(of_equal(63) == std::vector<uint8_t>{kAfterStep, kAfterStep, last, kAfterStep, kAfterStep, last});
  constexpr uint8_t both = kAfterHalf | kAfterStep;
  CHECK(of_equal(64) == std::vector<uint8_t>{both, both, both | kLastStep, both, both, both | kLastStep});
}

TEST_CASE("Padding outputs need one step, and other outputs need the steps up to their last non-zero weight") {
  std::vector<int8_t> weights(static_cast<size_t>(3 * kStepBytes), 0);
  for (int64_t i = 0; i < 3 * kStepBytes; ++i)
    if (i % 64 < 32) weights[static_cast<size_t>(i)] = 63;
  constexpr uint8_t kLast = kAfterStep | kLastStep;
  const std::vector<uint8_t> of_none = chains_of(weights, 3 * kStepBytes);
  CHECK(std::vector(of_none.begin(), of_none.begin() + 3) == std::vector<uint8_t>{kAfterStep, kAfterStep, kLast});
  CHECK((of_none[3] & kLastStep) != 0);
  weights[kStepBytes + 40] = 1;
  const std::vector<uint8_t> of_two_steps = chains_of(weights, 3 * kStepBytes);
  CHECK((of_two_steps[3] & kLastStep) == 0);
  CHECK((of_two_steps[4] & kLastStep) != 0);
}

TEST_CASE("A single large weight shortens the chains of its half block only") {
  std::vector<int8_t> weights(static_cast<size_t>(2 * kStepBytes), 50);
  weights[kStepBytes + 40] = 127;
  constexpr uint8_t last = kAfterStep | kLastStep;
  CHECK(chains_of(weights, 2 * kStepBytes) == std::vector<uint8_t>{kAfterStep, last, kAfterStep, last | kAfterHalf});
}

// Returns the largest magnitude that 16-bit sums of non-negative inputs reach. `kinds`: how each step is summed.
int largest_word(const std::vector<int8_t>& weights, const std::vector<uint8_t>& kinds) {
  int largest = 0;
  for (size_t step = 0; step < kinds.size(); ++step) {
    const size_t groups = kinds[step] == 0 ? 4 : kinds[step] == 1 ? 2 : 1;
    for (size_t pair = 0; pair < 64; pair += 2)
      for (size_t first = 0; first < 4; first += groups) {
        int positive = 0, negative = 0;
        for (size_t i = 0; i < 2 * groups; ++i) {
          const int weight = weights[step * size_t{kStepBytes} + (first + i / 2) * 64 + pair + i % 2];
          (weight > 0 ? positive : negative) += 127 * std::abs(weight);
        }
        largest = std::max({largest, positive, negative});
      }
  }
  return largest;
}

std::vector<uint8_t> x86_chains_of(const std::vector<int8_t>& weights) {
  std::vector<uint8_t> chains(static_cast<size_t>(kernels::kS8X86Chains.bytes(std::ssize(weights))));
  kernels::kS8X86Chains.find(weights, std::ssize(weights), true, chains.data());
  return chains;
}

TEST_CASE("Products of non-negative inputs fit in the 16-bit sums of x86 chains") {
  std::mt19937 generator(3);
  for (int i = 0; i < 200; ++i) {
    const int size = std::uniform_int_distribution<int>(1, 128)(generator);
    std::uniform_int_distribution<int> any(-size, std::min(size, 127));
    std::vector<int8_t> weights(static_cast<size_t>(8 * kStepBytes));
    for (int8_t& weight : weights) weight = static_cast<int8_t>(any(generator));
    CHECK(largest_word(weights, x86_chains_of(weights)) <= 32767);
  }
}

TEST_CASE("x86 chains are as long as the weights of one sign allow") {
  const auto kind_of = [](int8_t even, int8_t odd) {
    std::vector<int8_t> weights(static_cast<size_t>(kStepBytes));
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = i % 2 == 0 ? even : odd;
    return static_cast<kernels::S8StepSums>(x86_chains_of(weights)[0]);
  };
  CHECK(kind_of(32, 32) == kernels::S8StepSums::kWhole);   // 8 * 32 <= 258
  CHECK(kind_of(33, 33) == kernels::S8StepSums::kHalves);  // 4 * 33
  CHECK(kind_of(64, -64) == kernels::S8StepSums::kWhole);  // 4 * 64 of each sign
  CHECK(kind_of(127, -128) == kernels::S8StepSums::kHalves);
  CHECK(kind_of(65, 65) == kernels::S8StepSums::kGroups);
  CHECK(kind_of(127, 127) == kernels::S8StepSums::kGroups);
}

}  // namespace nestrt::test
