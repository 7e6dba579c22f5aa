// SPDX-License-Identifier: Apache-2.0
// Tests how direct convolutions split their work.
#include "kernels/conv/direct_tasks.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "test/support/kernel/counting_runner.h"

namespace nestrt::test {
namespace {

kernels::ConvGeometry pointwise(int64_t channels, int64_t outputs, int64_t side) {
  kernels::ConvGeometry geometry;
  geometry.in_channels = channels;
  geometry.out_channels = outputs;
  for (const size_t axis : {1, 2}) geometry.axes[axis].input = geometry.axes[axis].output = side;
  return geometry;
}

// Checks that every pixel of every block of outputs is computed exactly once. Returns the number of tasks.
int64_t tasks_of(const kernels::ConvGeometry& geometry, const kernels::TileLimits& limits, int threads) {
  const kernels::DirectTasks tasks(geometry, limits, sizeof(float));
  std::vector<std::byte> scratch(tasks.scratch_bytes());
  CountingRunner runner(threads);
  KernelCall call;
  call.thread_scratch = scratch.data();
  call.parallel = &runner;
  const int64_t pixels = geometry.out_spatial();
  std::vector<int> computed(static_cast<size_t>(pixels * tasks.group_blocks()));
  tasks.run(geometry, call, [&](const kernels::DirectChunk& chunk) {
    for (int64_t block = chunk.blocks.first; block < chunk.blocks.last; ++block)
      for (int64_t pixel = chunk.pixels.first; pixel < chunk.pixels.last; ++pixel)
        ++computed[static_cast<size_t>(block * pixels + pixel)];
  });
  CHECK(std::ranges::all_of(computed, [](int times) { return times == 1; }));
  return runner.tasks;
}

constexpr kernels::TileLimits kLargeTiles{54, 1, 6}, kSmallTiles{14, 2, 1};

}  // namespace

TEST_CASE("Tiles of many pixels leave no thread idle") {
  for (const int threads : {2, 3, 4, 8})
    for (const int64_t outputs : {16, 32, 48}) {
      INFO(threads << " threads, " << outputs << " outputs");
      CHECK(tasks_of(pointwise(8192, outputs, 7), kLargeTiles, threads) >= threads);
    }
}

TEST_CASE("Tiles are not divided if there are enough for every thread") {
  CHECK(tasks_of(pointwise(8192, 128, 7), kLargeTiles, 4) == 8);   // whole blocks of outputs
  CHECK(tasks_of(pointwise(8192, 16, 28), kLargeTiles, 4) == 15);  // whole tiles of pixels
  CHECK(tasks_of(pointwise(832, 48, 7), kLargeTiles, 1) == 1);
  CHECK(tasks_of(pointwise(832, 48, 7), kSmallTiles, 2) <= 8);
}

}  // namespace nestrt::test
