// SPDX-License-Identifier: Apache-2.0
// Compares every implementation of the s8 tile, on every instruction set, with plain loops.
#include "kernels/common/gemm_s8/s8_tile.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/common/gemm_s8/s8_chains.h"
#include "kernels/common/quantization/s8_arithmetic.h"
#include "kernels/common/quantization/s8c_arithmetic.h"
#include "test/support/skip.h"

namespace nestrt::test {
namespace {

using kernels::kTileBlock;
using kernels::S8Tile;
using kernels::S8TileFinishes;
using kernels::S8TileKernel;

// A tile and its operands, whose bytes are random or only the extremes.
struct TileOperands {
  std::vector<int8_t> input, weights;
  std::vector<int64_t> offsets;
  std::vector<int32_t> start, centred_start;
  std::vector<uint8_t> chains;
  S8Tile tile;
};

std::vector<int8_t> bytes(std::mt19937& generator, int64_t count, bool extremes) {
  constexpr int lowest = -128;
  std::uniform_int_distribution<int> any(lowest, 127), coin(0, 1);
  std::vector<int8_t> result(static_cast<size_t>(count));
  for (int8_t& value : result)
    value = static_cast<int8_t>(extremes ? (coin(generator) ? 127 : lowest) : any(generator));
  return result;
}

int64_t plain_sum(const S8Tile& tile, int64_t point, int64_t output, bool ones) {
  const int64_t first = output / kTileBlock * tile.weights_stride + output % kTileBlock * 4;
  int64_t sum = 0;
  for (int64_t c = 0; c < tile.chunks; ++c)
    for (int64_t s = 0; s < tile.segments; ++s)
      for (int64_t i = 0; i < tile.length; ++i) {
        const int64_t offset = tile.offsets[s * tile.points + point];
        const int64_t x = ones ? 1 : offset < 0 ? 0 : tile.input[c * tile.chunk_stride + offset + i];
        const int64_t position = (c * tile.segments + s) * tile.length + i;
        sum += x * tile.weights[first + position / 4 * 4 * kTileBlock + position % 4];
      }
  return sum;
}

// Scales the weights down to magnitudes of at most `size`.
void make_smaller(std::vector<int8_t>& weights, int size) {
  for (int8_t& weight : weights) weight = static_cast<int8_t>(weight * size / 128);
}

// Sets chains if the tile uses them. `centred`: no input is negative.
void find_chains(const S8TileKernel& kernel, bool centred, TileOperands& o) {
  const bool one = o.tile.segments == 1 && o.tile.chunks == 1;
  if (kernel.chains == nullptr || (!centred && !kernel.chains->for_any_inputs)) return;
  if (o.tile.length == 0 || o.tile.length % kernels::kS8ChainStep != 0) return;
  if (!one && o.tile.length != kernels::kS8ChainStep) return;
  if (centred) {
    for (int64_t i = 0; i < std::ssize(o.start); ++i) {
      const int64_t more = kernel.chains->centre * plain_sum(o.tile, 0, i, true);
      o.centred_start.push_back(static_cast<int32_t>(static_cast<uint32_t>(o.start[static_cast<size_t>(i)] + more)));
    }
    o.tile.centred_start = o.centred_start.data();
  }
  o.chains.resize(static_cast<size_t>(kernel.chains->bytes(std::ssize(o.weights))));
  kernel.chains->find(o.weights, o.tile.weights_stride, centred, o.chains.data());
  o.tile.chains = o.chains.data();
}

// Removes pairs of -128 weights whose products kernels would add in 16 bits.
void part_lowest(std::vector<int8_t>& weights) {
  constexpr size_t kGroup = 4 * kTileBlock;
  for (size_t i = 0; i < weights.size(); ++i)
    if (i / kGroup % 2 == 1 && weights[i] == -128 && weights[i - kGroup] == -128) weights[i] = -127;
}

int64_t draw(std::mt19937& generator, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(generator);
}

void draw_shape_of_sums(const S8TileKernel& kernel, std::mt19937& generator, S8Tile& tile) {
  tile.points = draw(generator, 1, kernel.limits.points);
  tile.blocks = draw(generator, 1, kernel.limits.blocks);
  const bool one_segment = draw(generator, 0, 3) == 0;
  tile.segments = one_segment ? 1 : draw(generator, 1, 9);
  tile.chunks = one_segment ? 1 : draw(generator, 1, 4);
  tile.length = kernels::kS8Grain * draw(generator, 0, one_segment ? 12 : 2);
}

// Draws the shape of a tile that writes outputs. With chains, the number of points is not limited by the kernel.
void draw_shape_of_outputs(const S8TileKernel& kernel, std::mt19937& generator, S8Tile& tile) {
  if (kernel.finishes == S8TileFinishes::kAll) {
    draw_shape_of_sums(kernel, generator, tile);
    tile.points = draw(generator, kernels::kMinFinishedPoints, kernel.limits.points);
    return;
  }
  tile.points = draw(generator, kernels::kMinChainPoints, 100);
  tile.blocks = 1;
  const bool one_segment = draw(generator, 0, 2) == 0;
  tile.segments = one_segment ? 1 : draw(generator, 1, 2);
  tile.chunks = one_segment ? 1 : draw(generator, 1, 4);
  tile.length = kernels::kS8ChainStep * (one_segment ? draw(generator, 1, 4) : 1);
  tile.padded = draw(generator, 0, 1) == 0;
}

// Clears the weights of the last `inputs` inputs of a pixel, as for padding channels.
void clear_last(int64_t inputs, std::vector<int8_t>& weights) {
  std::fill(weights.end() - std::min(inputs * kTileBlock, std::ssize(weights)), weights.end(), 0);
}

// Clears the weights of half of the last block of outputs, as for padding channels.
void clear_half_of_block(std::vector<int8_t>& weights) {
  constexpr size_t kGroup = 4 * kTileBlock;
  for (size_t i = 0; i < weights.size(); ++i)
    if (i % kGroup >= kGroup / 2) weights[i] = 0;
}

enum class Wanted { kSums, kOutputs };

TileOperands random_operands(const S8TileKernel& kernel, Wanted wanted, std::mt19937& generator) {
  const auto draw = [&](int64_t low, int64_t high) { return test::draw(generator, low, high); };
  const bool extremes = draw(0, 3) == 0;
  TileOperands o;
  S8Tile& tile = o.tile;
  if (wanted == Wanted::kSums)
    draw_shape_of_sums(kernel, generator, tile);
  else
    draw_shape_of_outputs(kernel, generator, tile);
  tile.chunk_stride = 100;
  tile.weights_stride = tile.chunks * tile.segments * tile.length * kTileBlock;
  const bool centred = tile.segments == 1 && draw(0, 1) == 0;
  o.input = bytes(generator, 4 * 100 + 20 * kTileBlock, extremes);
  o.weights = bytes(generator, tile.blocks * tile.weights_stride, extremes);
  if (centred)
    for (int8_t& x : o.input) x = static_cast<int8_t>(x & 127);
  if (draw(0, 1) == 0) make_smaller(o.weights, static_cast<int>(draw(1, 128)));
  if (!kernel.supports_paired_minima) part_lowest(o.weights);
  if (draw(0, 2) == 0) clear_last(8, o.weights);
  if (draw(0, 4) == 0) clear_half_of_block(o.weights);
  // Padding requires segments that are not longer than a block.
  const int64_t least = centred || !tile.padded || tile.length > kTileBlock ? 0 : -20;
  if (tile.points <= 21 && draw(0, 2) == 0)  // adjacent pixels
    for (int64_t i = 0; i < tile.segments * tile.points; ++i) o.offsets.push_back(i % tile.points * kTileBlock);
  else
    for (int64_t i = 0; i < tile.segments * tile.points; ++i) o.offsets.push_back(draw(least, 80));
  for (int64_t i = 0; i < tile.blocks * kTileBlock; ++i) o.start.push_back(static_cast<int32_t>(generator()));
  tile.input = o.input.data();
  tile.weights = o.weights.data();
  tile.offsets = o.offsets.data();
  find_chains(kernel, centred, o);
  return o;
}

// Returns the start values that compensate for `input_offset`, which is added to the inputs.
std::vector<int32_t> start_without(int64_t input_offset, const TileOperands& o) {
  std::vector<int32_t> start;
  for (int64_t i = 0; i < o.tile.blocks * kTileBlock; ++i)
    start.push_back(static_cast<int32_t>(
        static_cast<uint32_t>(o.start[static_cast<size_t>(i)] - input_offset * plain_sum(o.tile, 0, i, true))));
  return start;
}

std::vector<int32_t> plain_sums(const TileOperands& o) {
  std::vector<int32_t> sums;
  for (int64_t p = 0; p < o.tile.points; ++p)
    for (int64_t i = 0; i < o.tile.blocks * kTileBlock; ++i)
      sums.push_back(static_cast<int32_t>(
          static_cast<uint32_t>(o.start[static_cast<size_t>(i)] + plain_sum(o.tile, p, i, false))));
  return sums;
}

void check_tile(const S8TileKernel& kernel, std::mt19937& generator) {
  TileOperands o = random_operands(kernel, Wanted::kSums, generator);
  const std::vector<int32_t> start = start_without(kernel.input_offset, o), expected = plain_sums(o);
  std::vector<int32_t> sums(expected.size());
  o.tile.start = start.data();
  o.tile.sums = sums.data();
  std::vector<int8_t> paired(o.weights.size());
  if (kernel.pairs_weights) {
    kernels::pair_s8_weights(o.weights.data(), std::ssize(o.weights), paired.data());
    o.tile.weights = paired.data();
  }
  kernel.run(o.tile);
  CHECK(sums == expected);
}

// A random epilogue that the kernel computes itself, and its operands.
struct Finish {
  Finish(const S8TileKernel& kernel, const S8Tile& tile, std::mt19937& generator)
      : outputs(static_cast<size_t>(tile.points * tile.blocks * kTileBlock), 55),
        residual(bytes(generator, std::ssize(outputs), false)) {
    const auto draw = [&](int64_t low, int64_t high) { return static_cast<int32_t>(test::draw(generator, low, high)); };
    for (int64_t i = 0; i < tile.blocks * kTileBlock; ++i) {
      shift.push_back(draw(0, 31));
      scale.push_back(std::ldexp(static_cast<float>(draw(1, 1000)), draw(-40, 0)));
    }
    finish.shift = shift.data();
    finish.output = outputs.data();
    finish.block_stride = tile.points * kTileBlock;
    finish.point_stride = kTileBlock;
    finish.bounds = {draw(-128, 0), draw(1, 127)};
    const bool finishes_all = kernel.finishes == S8TileFinishes::kAll;
    if (finishes_all && draw(0, 2) == 0) finish.rounding = ops::Rounding::kHalfEven;
    const int kind = finishes_all ? draw(0, 2) : 0;
    if (kind == 1) {
      finish.scale = scale.data();
      finish.output_zero = draw(-128, 127);
    }
    if (kind == 2) {
      finish.residual = residual.data();
      finish.add = {draw(0, kernels::s8::kMaxAlignment), draw(0, kernels::s8::kMaxAlignment), draw(0, 31)};
    }
  }

  int8_t expected(int32_t sum, int64_t lane, int64_t at) const {
    const auto i = static_cast<size_t>(lane);
    if (finish.scale != nullptr) return kernels::s8c::narrow(sum, scale[i], finish.output_zero, finish.bounds);
    const int32_t shifted = kernels::s8::shift_raised(sum, shift[i], finish.rounding);
    if (finish.residual == nullptr) return kernels::s8::clip(shifted, finish.bounds);
    return kernels::s8::add(kernels::s8::clip(shifted), residual[static_cast<size_t>(at)], finish.add, finish.rounding,
                            finish.bounds);
  }

  std::vector<int8_t> outputs, residual;
  std::vector<int32_t> shift;
  std::vector<float> scale;
  kernels::S8Finish finish;
};

void check_outputs(const S8TileKernel& kernel, std::mt19937& generator) {
  TileOperands o = random_operands(kernel, Wanted::kOutputs, generator);
  Finish f(kernel, o.tile, generator);
  const std::vector<int32_t> start = start_without(kernel.input_offset, o), sums = plain_sums(o);
  std::vector<int8_t> expected(f.outputs.size());
  for (int64_t i = 0; i < std::ssize(sums); ++i) {
    const int64_t lanes = o.tile.blocks * kTileBlock, lane = i % lanes;
    const int64_t at = lane / kTileBlock * f.finish.block_stride + i / lanes * kTileBlock + lane % kTileBlock;
    expected[static_cast<size_t>(at)] = f.expected(sums[static_cast<size_t>(i)], lane, at);
  }
  o.tile.start = start.data();
  o.tile.finish = &f.finish;
  kernel.run(o.tile);
  CAPTURE(o.tile.points, o.tile.blocks, o.tile.segments, o.tile.chunks, o.tile.length, o.tile.padded);
  CHECK(f.outputs == expected);
}

}  // namespace

TEST_CASE("Every s8 tile computes the same sums as plain loops") {
  std::mt19937 generator(1);
  for (InstructionSet set : kernels::supported_instruction_sets()) {
    for (const S8TileKernel& kernel : kernels::s8_tile_kernels(set)) {
      INFO(kernel.name);
      for (int i = 0; i < 300; ++i) check_tile(kernel, generator);
    }
  }
}

TEST_CASE("An s8 tile that writes outputs matches plain loops followed by s8 arithmetic") {
  std::mt19937 generator(2);
  bool any = false;
  for (InstructionSet set : kernels::supported_instruction_sets()) {
    for (const S8TileKernel& kernel : kernels::s8_tile_kernels(set)) {
      if (kernel.finishes == S8TileFinishes::kNone) continue;
      any = true;
      INFO(kernel.name);
      for (int i = 0; i < 600; ++i) check_outputs(kernel, generator);
    }
  }
  if (!any) skip("no tile of this machine writes outputs");
}

TEST_CASE("Weights of -128 are paired if they have the same position in an even group and the next group") {
  const auto meet = [](std::initializer_list<size_t> taps) {
    std::vector<int8_t> weights(size_t{9} * kTileBlock, 1);
    for (const size_t tap : taps) weights[tap * kTileBlock + 3] = -128;
    return kernels::s8_has_paired_minima(weights, kTileBlock);
  };
  CHECK_FALSE(meet({}));
  CHECK_FALSE(meet({1, 2, 5, 8}));
  CHECK(meet({2, 3}));
  CHECK(meet({6, 7, 8}));
}

TEST_CASE("Paired weights of -128 select an s8 tile that supports them") {
  std::vector<int8_t> apart(size_t{4} * 8 * kTileBlock, 1);
  apart[5] = apart[6] = apart[5 + 8 * kTileBlock] = -128;
  std::vector<int8_t> meeting = apart;
  meeting[5 + 4 * kTileBlock] = -128;
  CHECK_FALSE(kernels::s8_has_paired_minima(apart));
  CHECK(kernels::s8_has_paired_minima(meeting));
  const InstructionSet chosen = kernels::current_instruction_set();
  for (InstructionSet set : kernels::supported_instruction_sets()) {
    kernels::force_instruction_set(set);
    CHECK(kernels::s8_tile_kernel(meeting).supports_paired_minima);
    CHECK(kernels::s8_tile_kernel(apart).name == kernels::s8_tile_kernels(set)[0].name);
  }
  kernels::force_instruction_set(chosen);
}

}  // namespace nestrt::test
