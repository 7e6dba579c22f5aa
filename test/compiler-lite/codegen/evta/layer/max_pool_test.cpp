// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/max_pool.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "compiler-lite/codegen/evta/tuning/tuner.h"
#include "test/compiler-lite/codegen/evta/layer_runner.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using compiler::evta::LayerAxis;
using compiler::evta::LoopOrder;
using compiler::evta::MaxPoolGenerator;
using compiler::evta::MaxPoolLayer;
using compiler::evta::Tiling;

int8_t maximum(const MaxPoolLayer& layer, const int8_t* plane, int64_t row, int64_t column) {
  int8_t result = -128;
  for (int64_t tap = 0; tap < layer.y.kernel * layer.x.kernel; ++tap) {
    const int64_t y = row * layer.y.stride - layer.y.pad_begin + tap / layer.x.kernel;
    const int64_t x = column * layer.x.stride - layer.x.pad_begin + tap % layer.x.kernel;
    if (y < 0 || y >= layer.y.input || x < 0 || x >= layer.x.input) continue;
    result = std::max(result, plane[y * layer.x.input + x]);
  }
  return result;
}

Elements pooled(const MaxPoolLayer& layer, const Elements& input) {
  Elements output;
  for (int64_t plane = 0; plane < layer.images * layer.channels; ++plane) {
    for (int64_t row = 0; row < layer.y.output(); ++row) {
      for (int64_t column = 0; column < layer.x.output(); ++column) {
        output.push_back(maximum(layer, input.data() + plane * layer.y.input * layer.x.input, row, column));
      }
    }
  }
  return output;
}

void check_pool(const MaxPoolLayer& layer, const Tiling& tiling, std::mt19937& generator,
                std::string_view configuration = "1x16_15_15_18_17") {
  INFO(to_string(tiling));
  const auto pool = MaxPoolGenerator::create(*evta::find_configuration(configuration), layer);
  REQUIRE(pool.has_value());
  const auto program = pool->generate(tiling);
  INFO(program.error().to_string());
  REQUIRE(program.has_value());
  const int block = pool->configuration().block();
  const Elements input =
      random_elements(generator, layer.images * layer.channels * layer.y.input * layer.x.input, {-128, -20});
  std::string message;
  const auto output = run(*program, {to_blocks(input, layer.images, layer.channels, block)}, &message);
  INFO(message);
  REQUIRE(!output.empty());
  REQUIRE(from_blocks(output, layer.images, layer.channels, block) == pooled(layer, input));
}

}  // namespace

TEST_CASE("Padding does not affect a max-pool of negative elements") {
  std::mt19937 generator(1);
  const LayerAxis axis = {.input = 9, .kernel = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  const MaxPoolLayer layer = {.name = "pool", .images = 2, .channels = 40, .y = axis, .x = axis};
  const int threads = GENERATE(1, 2);
  for (int64_t rows = 1; rows <= 5; rows += by_level(3, 1, 1)) {
    check_pool(layer, {.rows = rows, .columns = 6 - rows, .out_blocks = rows % 3 + 1, .threads = threads}, generator);
  }
}

TEST_CASE("Max-pools of random windows are bit-identical to the definition") {
  std::mt19937 generator(2);
  const auto random = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  const auto random_axis = [&] {
    const int kernel = random(1, 4);
    const int input = random(1, 10), begin = random(0, kernel - 1);
    return LayerAxis{input, kernel, random(1, 3), begin, std::max(random(0, kernel - 1), kernel - input - begin)};
  };
  const int count = by_level(5, 40, 500);
  for (int i = 0; i < count; ++i) {
    const MaxPoolLayer layer = {.name = "pool", .channels = random(1, 70), .y = random_axis(), .x = random_axis()};
    const Tiling tiling = {.rows = random(1, 5),
                           .columns = random(1, 5),
                           .out_blocks = random(1, 3),
                           .threads = random(1, 2),
                           .order = random(0, 1) == 0 ? LoopOrder::kPixelsInner : LoopOrder::kBlocksInner};
    check_pool(layer, tiling, generator, i % 2 == 0 ? "1x16_15_15_18_17" : "1x32_15_15_18_17");
  }
}

TEST_CASE("The tuner finds a tiling for a large max-pool") {
  const LayerAxis axis = {.input = 112, .kernel = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  const auto pool = MaxPoolGenerator::create(evta::test::stock_configuration(),
                                             {.name = "pool", .channels = 64, .y = axis, .x = axis});
  REQUIRE(pool.has_value());
  const auto tuned = compiler::evta::tune(*pool);
  REQUIRE(tuned.has_value());
  const auto program = pool->generate(tuned->tiling);
  REQUIRE(program.has_value());
  REQUIRE(program->counters.gemms < 2 * 4 * 112 * 112);  // only a small part of the input is loaded twice
}

}  // namespace nestrt::test
