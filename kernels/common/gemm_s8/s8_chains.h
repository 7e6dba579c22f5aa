// How many products of an s8 tile may share a 16-bit sum, found out from the weights.
#pragma once

#include <cstdint>
#include <span>

namespace nestrt::kernels {

inline constexpr int64_t kS8ChainStep = 16;    // inputs
inline constexpr int64_t kMinChainPoints = 3;  // tiles of fewer points do without
inline constexpr int32_t kS8ChainCentre = 64;  // of inputs from 0 on

// For weights in the order of kernels/common/gemm_s8/s8_tile.h of blocks of `block_bytes`: for each block, each half of
// its outputs and each step of 16 inputs a byte, in that order: bit 0 where 16-bit sums have to be added up after half
// a step, bit 1 after it, bit 2 after the last one, after which they are; of the second half, which nothing comes
// after, the last one that has weights other than 0: outputs that are no channels take one step. Inputs have magnitudes
// up to `largest_input`, 128 or kS8ChainCentre. Requires: block_bytes are whole steps, and no weights of -128 meet
// (s8_lowest_meet()).
void s8_chains(std::span<const int8_t> weights, int64_t block_bytes, int32_t largest_input, uint8_t* chains);
// So many bytes.
constexpr int64_t s8_chains_bytes(int64_t weight_bytes) { return weight_bytes / (kS8ChainStep * 16) * 2; }

}  // namespace nestrt::kernels
