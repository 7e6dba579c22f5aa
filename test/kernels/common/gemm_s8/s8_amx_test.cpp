// SPDX-License-Identifier: Apache-2.0
// Compares AMX tiles with plain loops and checks the interleaving of planes.
#include "kernels/common/gemm_s8/s8_amx.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "kernels/common/math/integers.h"
#include "kernels/common/simd/simd.h"
#include "test/support/skip.h"

namespace nestrt::test {

#if HWY_ARCH_X86
namespace {

using namespace kernels;

bool has_tiles() {
  const auto sets = supported_instruction_sets();
  return std::find(sets.begin(), sets.end(), InstructionSet::kAvx512Amx) != sets.end();
}

std::vector<int8_t> random_bytes(std::mt19937& generator, int64_t count) {
  std::uniform_int_distribution<int> any(-128, 127);
  std::vector<int8_t> result(static_cast<size_t>(count));
  for (int8_t& value : result) value = static_cast<int8_t>(any(generator));
  return result;
}

struct TileCase {
  int64_t points, depth, steps, blocks, tiles;
};

void check_tiles(std::mt19937& generator, const TileCase& c) {
  INFO(c.points << " points, depth " << c.depth << ", " << c.steps << " steps, " << c.blocks << " blocks, " << c.tiles
                << " tiles");
  const int64_t stride = c.depth * c.steps, outputs = c.blocks * kTileBlock, step_bytes = c.depth * kTileBlock;
  const std::vector<int8_t> input = random_bytes(generator, 2 * kAmxPoints * stride);
  // The weights of the last step overlap those of the previous step.
  const std::vector<int8_t> weights = random_bytes(generator, c.blocks * c.steps * step_bytes);
  const int64_t last = (c.steps - 1) * step_bytes - (c.steps > 1 ? 4 * kTileBlock : 0);
  std::vector<int64_t> steps;
  for (int64_t s = 0; s < c.steps; ++s) steps.push_back((c.steps - 1 - s) * c.depth);
  std::vector<int32_t> start(static_cast<size_t>(outputs));
  for (int32_t& value : start) value = static_cast<int32_t>(generator());
  std::vector<int32_t> sums(static_cast<size_t>(2 * kAmxPoints * outputs));
  AmxTile tile;
  for (int64_t t = 0; t < c.tiles; ++t) {
    tile.points[t] = input.data() + t * c.points * stride;
    tile.sums[t] = sums.data() + t * kAmxPoints * outputs;
  }
  tile.point_stride = stride;
  tile.steps = steps.data();
  tile.num_steps = c.steps;
  tile.weights = weights.data();
  tile.weights_step = step_bytes;
  tile.weights_last = last;
  tile.weights_stride = c.steps * step_bytes;
  tile.blocks = c.blocks;
  tile.needs_prefetch = c.points % 2 == 0;
  tile.start = start.data();
  {
    const AmxUse use(amx_shape(c.points, c.depth));
    amx_run(tile);
  }
  const auto plain_sum = [&](int64_t t, int64_t p, int64_t o) {
    auto sum = static_cast<uint32_t>(start[static_cast<size_t>(o)]);
    for (int64_t s = 0; s < c.steps; ++s) {
      const int8_t* const x = tile.points[t] + p * stride + steps[static_cast<size_t>(s)];
      const int8_t* const w = weights.data() + o / kTileBlock * tile.weights_stride +
                              (s + 1 < c.steps ? s * step_bytes : last) + o % kTileBlock * 4;
      for (int64_t i = 0; i < c.depth; ++i) sum += static_cast<uint32_t>(x[i] * w[i / 4 * 4 * kTileBlock + i % 4]);
    }
    return static_cast<int32_t>(sum);
  };
  int64_t wrong = 0;
  for (int64_t t = 0; t < c.tiles; ++t)
    for (int64_t p = 0; p < c.points; ++p)
      for (int64_t o = 0; o < outputs; ++o) wrong += tile.sums[t][p * outputs + o] != plain_sum(t, p, o);
  CHECK(wrong == 0);
}

// Returns the plane and the position of a byte of a point, as documented in the header, or -1 for a zero.
int64_t plane_byte(int64_t planes, int64_t byte) {
  const int64_t channels = planes * kTileBlock, whole = channels / kAmxDepth * kAmxDepth;
  if (byte < whole) return byte;
  const int64_t rest = channels - whole, skipped = whole == 0 ? 0 : kAmxDepth - rest;
  const int64_t at = byte - whole - skipped;
  return at < 0 || at >= rest ? -1 : whole + at;
}

}  // namespace

TEST_CASE("AMX tiles compute the same sums as plain loops, modulo 2^32") {
  if (!has_tiles()) return skip("this machine has no AMX");
  std::mt19937 generator(1);
  for (const int64_t points : {1, 7, 16})
    for (const int64_t depth : {4, 16, 48, 64})
      for (const int64_t steps : {1, 2, 5})
        for (const int64_t blocks : {1, 2})
          for (const int64_t tiles : {1, 2}) check_tiles(generator, {points, depth, steps, blocks, tiles});
}

TEST_CASE("Planes of 16 channels are interleaved, the last ones at the end of 64 bytes after zeros") {
  if (!has_tiles()) return skip("this machine has no AMX");
  std::mt19937 generator(2);
  for (int64_t planes = 1; planes <= 9; ++planes) {
    for (const int64_t distance : {16, 32}) {
      constexpr int64_t kPoints = 5, kPlane = 200;
      const std::vector<int8_t> from = random_bytes(generator, planes * kPlane);
      const int64_t bytes = round_up(planes * kTileBlock, kAmxDepth);
      std::vector<int8_t> to(static_cast<size_t>(kPoints * bytes), 1), expected;
      amx_interleave({from.data(), kPlane, distance, planes, kPoints, to.data()});
      for (int64_t p = 0; p < kPoints; ++p)
        for (int64_t i = 0; i < bytes; ++i) {
          const int64_t byte = plane_byte(planes, i);
          const int64_t at = byte / kTileBlock * kPlane + p * distance + byte % kTileBlock;
          expected.push_back(byte < 0 ? int8_t{0} : from[static_cast<size_t>(at)]);
        }
      CHECK(to == expected);
    }
  }
}
#endif

}  // namespace nestrt::test
