// SPDX-License-Identifier: Apache-2.0
// Chains: sequences of products of an s8 tile that can be summed in 16 bits. They are determined from the weights.
#pragma once

#include <cstdint>
#include <span>

namespace nestrt::kernels {

inline constexpr int64_t kS8ChainStep = 16;    // inputs
inline constexpr int64_t kMinChainPoints = 3;  // tiles with fewer points do not use chains
inline constexpr int32_t kS8ChainCentre = 64;  // offset that centres non-negative inputs around 0

// Computes the chain bytes for weights in the order of kernels/common/gemm_s8/s8_tile.h, in blocks of `block_bytes`.
// There is one byte for each block, half of its outputs, and step of 16 inputs, in that order. Bit 0: flush the 16-bit
// sums after half a step. Bit 1: flush them after the step. Bit 2: last step, after which sums are flushed anyway; for
// the second half, this is the last step with non-zero weights, so that unused outputs take only one step. Inputs have
// magnitudes up to `largest_input`, which is 128 or kS8ChainCentre. Requires: block_bytes is a whole number of steps,
// and s8_has_paired_minima() is false.
void s8_chains(std::span<const int8_t> weights, int64_t block_bytes, int32_t largest_input, uint8_t* chains);
// Returns the number of chain bytes.
constexpr int64_t s8_chains_bytes(int64_t weight_bytes) { return weight_bytes / (kS8ChainStep * 16) * 2; }

}  // namespace nestrt::kernels
