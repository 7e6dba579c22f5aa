// SPDX-License-Identifier: Apache-2.0
// Compares the f32 tile with plain loops. Operands are small integers, so that sums are exact in any order.
#include "kernels/common/gemm_f32/tile16.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "kernels/common/simd/simd.h"
#include "test/support/test_level.h"

namespace nestrt::kernels {
namespace {

using test::test_level, test::TestLevel;

constexpr int64_t kPointStride = 40, kSpare = 77;

struct Case {
  int64_t points, length, last_length, segments, chunks, lanes;
  bool point_bias, residual;
  ops::ActivationKind activation;
  bool evenly_spaced = false, has_bias = true;
};

std::vector<float> integers(std::mt19937& generator, int64_t count) {
  std::vector<float> result(static_cast<size_t>(count));
  for (float& value : result) value = static_cast<float>(std::uniform_int_distribution<int>(-8, 8)(generator));
  return result;
}

void check_tile(const Case& c, std::mt19937& generator) {
  const int64_t pitch = c.points * c.segments * c.length + c.length;
  const std::vector<float> input = integers(generator, c.chunks * pitch);
  const std::vector<float> bias = integers(generator, std::max(kTileBlock, c.points));  // per output, or per point
  const std::vector<float> weights = integers(generator, c.chunks * c.segments * c.length * kTileBlock);
  const std::vector<float> residual = integers(generator, c.points * kPointStride);
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < c.segments * c.points; ++i)
    offsets.push_back(i % 4 == 3 && c.length <= 16 && !c.evenly_spaced ? -1 : i * c.length);
  std::vector<float> output(static_cast<size_t>(kMaxTilePoints * kPointStride), kSpare), expected = output;
  for (int64_t p = 0; p < c.points; ++p)
    for (int64_t o = 0; o < c.lanes; ++o) {
      float sum = c.has_bias ? bias[static_cast<size_t>(c.point_bias ? p : o)] : 0;
      const float* w = weights.data() + o;
      for (int64_t chunk = 0; chunk < c.chunks; ++chunk)
        for (int64_t s = 0; s < c.segments; ++s) {
          const int64_t from = offsets[static_cast<size_t>(s * c.points + p)];
          const int64_t length = chunk + 1 < c.chunks ? c.length : c.last_length;
          for (int64_t k = 0; k < length; ++k, w += kTileBlock)
            sum += from < 0 ? 0 : input[static_cast<size_t>(chunk * pitch + from + k)] * *w;
        }
      const auto at = static_cast<size_t>(p * kPointStride + o);
      expected[at] = apply_activation({c.activation, -20, 30}, c.residual ? sum + residual[at] : sum);
    }
  Tile16 tile;
  tile.points = c.points;
  tile.blocks = 1;
  tile.input = input.data();
  tile.offsets = offsets.data();
  tile.segments = c.segments;
  tile.chunks = c.chunks;
  tile.chunk_stride = pitch;
  tile.length = c.length;
  tile.last_length = c.last_length;
  tile.weights = weights.data();
  if (c.has_bias) (c.point_bias ? tile.point_bias : tile.bias) = bias.data();
  tile.residual = c.residual ? residual.data() : nullptr;
  tile.output = output.data();
  tile.point_stride = kPointStride;
  tile.last_lanes = c.lanes;
  tile.activation = {c.activation, -20, 30};
  tile.evenly_spaced = c.evenly_spaced;
  const std::vector<float> next(weights.size());
  if (c.evenly_spaced) set_prefetch(tile, next.data(), static_cast<int64_t>(next.size()), c.points % 2, 2);
  tile16_function()(tile);
  INFO(c.points << " points, " << c.chunks << " x " << c.segments << " x " << c.length << ", last " << c.last_length);
  CHECK(output == expected);
}

// Returns the numbers of points to test: small ones, and some larger ones up to `most`.
std::vector<int64_t> sizes(int64_t most) {
  std::vector<int64_t> result;
  for (const int64_t points : {1, 2, 3, 4, 5, 6, 7, 9, 12, 14, 17, 22, 24, 49, 54})
    if (points <= most) result.push_back(points);
  return result;
}

// Random rows of `length` elements and one block of weights, whose magnitudes vary widely.
struct Rows {
  std::vector<float> input, weights;
  std::vector<int64_t> offsets;

  Rows(int64_t points, int64_t length, std::mt19937& generator)
      : input(static_cast<size_t>(points * length)), weights(static_cast<size_t>(length * kTileBlock)) {
    std::uniform_real_distribution<float> fraction(-1, 1);
    std::uniform_int_distribution<int> exponent(-40, 40);
    for (float& value : input) value = std::ldexp(fraction(generator), exponent(generator));
    for (float& value : weights) value = std::ldexp(fraction(generator), exponent(generator));
    for (int64_t p = 0; p < points; ++p) offsets.push_back(p * length);
  }

  // Computes the products [count][16] of the rows starting at `first`.
  std::vector<float> product(int64_t first, int64_t count, const Activation& activation = {}) const {
    std::vector<float> output(static_cast<size_t>(count * kTileBlock));
    Tile16 tile;
    tile.points = count;
    tile.blocks = tile.segments = tile.chunks = 1;
    tile.length = tile.last_length = static_cast<int64_t>(weights.size()) / kTileBlock;
    tile.input = input.data() + first * tile.length;
    tile.offsets = offsets.data();
    tile.weights = weights.data();
    tile.output = output.data();
    tile.point_stride = kTileBlock;
    tile.activation = activation;
    tile16_function()(tile);
    return output;
  }
};

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Computes the sums of a tile, [points][columns], with a separate tile for each packed block.
std::vector<float> rows_by_block(const Tile16& tile, int64_t columns) {
  std::vector<float> result(static_cast<size_t>(tile.points * columns));
  for (int64_t block = 0; block < tile.blocks; ++block) {
    std::vector<float> packed(static_cast<size_t>(tile.length * kTileBlock));
    for (int64_t k = 0; k < tile.length; ++k)
      std::copy_n(tile.weights + k * tile.weights_step + block * tile.weights_stride, kTileBlock,
                  packed.data() + k * kTileBlock);
    Tile16 single = tile;
    single.blocks = 1;
    single.weights = packed.data();
    single.weights_step = kTileBlock;
    single.bias = tile.bias + block * kTileBlock;
    single.output = result.data() + block * kTileBlock;
    if (block + 1 < tile.blocks) single.last_lanes = kTileBlock;
    tile16_function()(single);
  }
  return result;
}

// Checks a tile of several blocks whose weights are packed panels, or an unpacked matrix of `blocks` * 16 columns.
void check_blocks(int64_t points, int64_t blocks, int64_t length, bool packed, std::mt19937& generator) {
  const int64_t columns = blocks * kTileBlock;
  const Rows rows(points, length, generator), matrix(blocks * kTileBlock, length, generator);
  const std::vector<float> bias = integers(generator, columns);
  std::vector<float> output(static_cast<size_t>(points * columns));
  Tile16 tile;
  tile.points = points;
  tile.blocks = blocks;
  tile.input = rows.input.data();
  tile.offsets = rows.offsets.data();
  tile.segments = tile.chunks = 1;
  tile.length = tile.last_length = length;
  tile.weights = matrix.input.data();
  tile.weights_step = packed ? kTileBlock : columns;
  tile.weights_stride = packed ? length * kTileBlock : kTileBlock;
  tile.bias = bias.data();
  tile.output = output.data();
  tile.point_stride = columns;
  tile.block_stride = kTileBlock;
  tile.last_lanes = 11;
  tile.activation = {ops::ActivationKind::kRelu};
  tile16_function()(tile);
  INFO(points << " points, " << blocks << " blocks of " << length << (packed ? ", packed" : ", in place"));
  CHECK(output == rows_by_block(tile, columns));
}

}  // namespace

TEST_CASE("A tile of few points and many blocks computes the same sums as tiles of one block") {
  std::mt19937 generator(7);
  const InstructionSet before = current_instruction_set();
  for (const InstructionSet set : supported_instruction_sets()) {
    REQUIRE(force_instruction_set(set));
    const TileLimits limits = tile16_limits();
    for (int64_t points = 1; points <= limits.unpacked_points; ++points)
      for (int64_t blocks = 1; blocks <= limits.blocks_for(points); blocks *= 2)
        for (const int64_t length : {0, 1, 2, 5, 16, 33})
          for (const bool packed : {false, true}) check_blocks(points, blocks, length, packed, generator);
  }
  force_instruction_set(before);
}

TEST_CASE("A tile with evenly spaced points computes the same sums as plain loops") {
  std::mt19937 generator(2);
  const InstructionSet before = current_instruction_set();
  for (const InstructionSet set : supported_instruction_sets()) {
    REQUIRE(force_instruction_set(set));
    for (const int64_t points : sizes(tile16_limits().points))
      for (const auto& [length, last_length] :
           {std::pair<int64_t, int64_t>{2, 2}, {4, 2}, {16, 16}, {16, 8}, {16, 2}, {16, 1}})
        for (const int64_t chunks : {1, 2, 3, 7, 40})
          for (const bool has_bias : {true, false})
            check_tile(
                {points, length, last_length, 1, chunks, 16, false, false, ops::ActivationKind::kNone, true, has_bias},
                generator);
  }
  force_instruction_set(before);
}

TEST_CASE("Tiles prefetch exactly the weights of the next block") {
  constexpr int64_t kElements = 48, kBlock = kElements * kTileBlock;
  const std::vector<float> next(kBlock);
  for (int64_t count = 1; count <= 40; ++count) {
    std::vector<bool> prefetched(kBlock);
    for (int64_t index = 0; index < count; ++index) {
      Tile16 tile;
      set_prefetch(tile, next.data(), kBlock, index, count);
      const int64_t from = tile.prefetch - next.data(), to = from + kElements * tile.prefetch_step;
      REQUIRE(from >= 0);
      REQUIRE(to <= kBlock);
      std::fill(prefetched.begin() + from, prefetched.begin() + to, true);
    }
    CHECK(std::all_of(prefetched.begin(), prefetched.end(), [](bool is) { return is; }));
  }
}

TEST_CASE("A tile of any size computes the same sums as plain loops") {
  std::mt19937 generator(1);
  const InstructionSet before = current_instruction_set();
  for (const InstructionSet set : supported_instruction_sets()) {
    REQUIRE(force_instruction_set(set));
    for (const int64_t points : sizes(tile16_limits().points))
      for (const auto& [length, last_length] :
           {std::pair<int64_t, int64_t>{1, 1}, {2, 2}, {3, 3}, {16, 16}, {16, 8}, {16, 7}, {16, 1}, {27, 27}, {90, 90}})
        for (const int64_t segments : {1, 2, 9})
          for (const int64_t chunks : {1, 2, 3})
            for (const int64_t lanes : {16, 5}) {
              if (test_level() == TestLevel::kQuick && (lanes == 5) == ((segments + chunks) % 2 == 0)) continue;
              const bool point_bias = length == 27, residual = segments == 2;
              const auto kind = chunks == 1   ? ops::ActivationKind::kNone
                                : chunks == 2 ? ops::ActivationKind::kRelu
                                              : ops::ActivationKind::kClip;
              check_tile({points, length, last_length, segments, chunks, lanes, point_bias, residual, kind}, generator);
            }
  }
  force_instruction_set(before);
}

TEST_CASE("The result of a point does not depend on its tile") {
  std::mt19937 generator(2);
  const InstructionSet before = current_instruction_set();
  for (const InstructionSet set : supported_instruction_sets()) {
    REQUIRE(force_instruction_set(set));
    const int64_t most = tile16_limits().points;
    for (const int64_t length : {1, 2, 7, 16, 33, 64}) {
      const Rows rows(most, length, generator);
      std::vector<float> alone;
      for (int64_t p = 0; p < most; ++p) std::ranges::copy(rows.product(p, 1), std::back_inserter(alone));
      for (const int64_t points : sizes(most)) {
        INFO(points << " points of " << length << " on " << name(set));
        const std::vector<float> together = rows.product(most - points, points);
        CHECK(std::memcmp(together.data(), alone.data() + (most - points) * kTileBlock,
                          together.size() * sizeof(float)) == 0);
      }
    }
  }
  force_instruction_set(before);
}

TEST_CASE("Infinities and NaNs affect only their point, and bounds keep NaNs") {
  std::mt19937 generator(3);
  const InstructionSet before = current_instruction_set();
  for (const InstructionSet set : supported_instruction_sets()) {
    REQUIRE(force_instruction_set(set));
    for (const int64_t points : sizes(tile16_limits().points))
      for (const int64_t length : {1, 3, 32}) {
        Rows rows(points, length, generator);
        for (float& weight : rows.weights) weight = std::abs(weight) + 1;
        const std::vector<float> finite = rows.product(0, points);
        const int64_t nan = points - 1, infinite = points / 2;
        rows.input[static_cast<size_t>(infinite * length)] = -kInfinity;
        rows.input[static_cast<size_t>(nan * length + length - 1)] = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> sums = rows.product(0, points);
        const std::vector<float> relu = rows.product(0, points, {ops::ActivationKind::kRelu});
        const std::vector<float> clip = rows.product(0, points, {ops::ActivationKind::kClip, -2, 3});
        INFO(points << " points of " << length << " on " << name(set));
        for (int64_t i = 0; i < points * kTileBlock; ++i) {
          const auto at = static_cast<size_t>(i);
          const int64_t point = i / kTileBlock;
          const float expected = point == infinite ? -kInfinity : finite[at];
          const bool same = sums[at] == expected && relu[at] == std::max(expected, 0.0f) &&
                            clip[at] == std::clamp(expected, -2.0f, 3.0f);
          const bool nans = std::isnan(sums[at]) && std::isnan(relu[at]) && std::isnan(clip[at]);
          if (!(point == nan ? nans : same)) FAIL_CHECK("element " << i << ": " << sums[at] << ", " << relu[at]);
        }
      }
  }
  force_instruction_set(before);
}

}  // namespace nestrt::kernels
