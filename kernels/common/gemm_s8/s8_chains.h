// SPDX-License-Identifier: Apache-2.0
// Chains: sequences of products of an s8 tile that fit in a 16-bit sum. The weights determine them, with one set of
// rules per processor family.
#pragma once

#include <cstdint>
#include <span>

namespace nestrt::kernels {

inline constexpr int64_t kS8ChainStep = 16;                      // inputs
inline constexpr int64_t kS8ChainStepBytes = kS8ChainStep * 16;  // weights of a block for a step
inline constexpr int64_t kMinChainPoints = 3;                    // NEON tiles with fewer points do not use chains

struct S8ChainRules {
  int64_t bytes_per_step = 1;  // chain bytes for each block and step
  // A tile subtracts this from its inputs if it knows that none is negative.
  int32_t centre = 0;
  bool for_any_inputs = false;  // false: only for non-negative inputs
  // Computes the chain bytes for weights in the order of kernels/common/gemm_s8/s8_tile.h. `block_bytes` is a whole
  // number of steps. Chain bytes are [block][step] or, with two bytes per step, [block][half of outputs][step].
  void (*find)(std::span<const int8_t> weights, int64_t block_bytes, bool not_negative, uint8_t* chains) = nullptr;

  // Returns the number of chain bytes.
  int64_t bytes(int64_t weight_bytes) const { return weight_bytes / kS8ChainStepBytes * bytes_per_step; }
};

// NEON, one byte per half of a block and step. Bit 0: flush the 16-bit sums after half a step. Bit 1: flush them after
// the step. Bit 2: last step, which always flushes; for the second half, this is the last step with non-zero weights,
// so that unused outputs take only one step. Requires weights for which s8_has_paired_minima() is false.
extern const S8ChainRules kS8NeonChains;

// x86, one S8StepSums per block and step. Sums are flushed after every step.
enum class S8StepSums : uint8_t {
  kWhole,   // all four groups of four inputs share 16-bit sums
  kHalves,  // two groups do
  kGroups,  // none do
};
extern const S8ChainRules kS8X86Chains;

}  // namespace nestrt::kernels
