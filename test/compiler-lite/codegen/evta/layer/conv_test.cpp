// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/conv.h"

#include <catch2/catch.hpp>

#include "test/compiler-lite/codegen/evta/layer_runner.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using compiler::evta::ConvGenerator;
using compiler::evta::ConvLayer;
using compiler::evta::LayerAxis;
using compiler::evta::LoopOrder;
using compiler::evta::Tiling;
namespace s8 = kernels::s8;

void check_layer(const evta::Configuration& configuration, const ConvLayer& layer, const Tiling& tiling,
                 std::mt19937& generator) {
  INFO(compiler::evta::to_string(tiling));
  const auto program = compiler::evta::generate(configuration, layer, tiling);
  INFO(program.error().to_string());
  REQUIRE(program.has_value());
  check_program(layer, *program, generator);
}

// Returns a random layer that EVTA supports, small enough for a simulator.
ConvLayer random_layer(std::mt19937& generator) {
  const auto random = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  const auto random_axis = [&] {
    LayerAxis axis;
    axis.kernel = random(1, 4);
    axis.stride = random(1, 3);
    axis.pad_begin = random(0, static_cast<int>(axis.kernel) - 1);
    axis.pad_end = random(0, static_cast<int>(axis.kernel) - 1);
    axis.input = random(static_cast<int>(axis.kernel), 9);
    return axis;
  };
  const int groups = random(0, 3) == 0 ? random(2, 3) : 1;
  ConvLayer layer = random_conv(generator, groups * random(1, 40), groups * random(1, 40), random_axis(), groups);
  layer.x = random_axis();
  layer.images = random(0, 4) == 0 ? 2 : 1;
  layer.weights =
      random_elements(generator, layer.out_channels * (layer.in_channels / groups) * layer.y.kernel * layer.x.kernel);
  if (random(0, 2) == 0) layer.bias.clear();
  layer.shifts.assign(random(0, 1) == 0 ? 1 : static_cast<size_t>(layer.out_channels), 0);
  for (uint8_t& shift : layer.shifts) shift = static_cast<uint8_t>(random(0, 5) == 0 ? random(0, 31) : random(6, 13));
  layer.rounding = static_cast<s8::Rounding>(random(0, 2));
  if (random(0, 1) == 0) layer.bounds = {0, random(1, 127)};
  layer.wide = random(0, 4) == 0;
  if (!layer.wide && random(0, 1) == 0) {
    const bool shift_residual = random(0, 1) == 0;
    layer.residual = s8::AddShifts{shift_residual ? 0 : random(0, 4), shift_residual ? random(0, 6) : 0, random(0, 6)};
  }
  return layer;
}

Tiling random_tiling(std::mt19937& generator) {
  const auto random = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  return {.rows = random(1, 9),
          .columns = random(1, 9),
          .out_blocks = random(1, 4),
          .in_blocks = random(1, 4),
          .threads = random(1, 2),
          .order = random(0, 1) == 0 ? LoopOrder::kPixelsInner : LoopOrder::kBlocksInner};
}

}  // namespace

TEST_CASE("Random layers under random tilings are bit-identical to the definition") {
  const std::string name = GENERATE("1x16_15_15_18_17", "1x32_15_15_18_17", "1x16_16_16_19_18", "1x8_15_14_16_16",
                                    "1x16_14_14_17_16", "1x32_15_14_18_16");
  INFO(name);
  std::mt19937 generator(std::hash<std::string>{}(name));
  const int count = by_level(5, 100, 1000);
  for (int i = 0; i < count; ++i) {
    const ConvLayer layer = random_layer(generator);
    INFO("layer " << i);
    check_layer(*evta::find_configuration(name), layer, random_tiling(generator), generator);
  }
}

TEST_CASE("Every tiling of a small layer produces the same results") {
  std::mt19937 generator(1);
  ConvLayer layer = random_conv(generator, 40, 33, {.input = 5, .kernel = 3, .pad_begin = 1, .pad_end = 1});
  layer.residual = s8::AddShifts{0, 1, 1};
  const int step = by_level(3, 1, 1);
  for (int64_t rows = 1; rows <= 5; rows += step) {
    for (int64_t columns = 1; columns <= 5; columns += 2 * step) {
      for (int64_t blocks = 1; blocks <= 3; ++blocks) {
        for (const int threads : {1, 2}) {
          const LoopOrder order = (rows + blocks) % 2 == 0 ? LoopOrder::kPixelsInner : LoopOrder::kBlocksInner;
          check_layer(evta::test::stock_configuration(), layer, {rows, columns, blocks, 4 - blocks, threads, order},
                      generator);
        }
      }
    }
  }
}

TEST_CASE("A fully connected layer is a convolution of one pixel") {
  std::mt19937 generator(2);
  ConvLayer layer = random_conv(generator, 200, 70, {});
  layer.images = 3;
  const int64_t out_blocks = GENERATE(1, 2, 5);
  check_layer(evta::test::stock_configuration(), layer, {.out_blocks = out_blocks, .in_blocks = 4}, generator);
}

TEST_CASE("Averages and additions are convolutions with identity weights") {
  std::mt19937 generator(3);
  ConvLayer layer;
  layer.name = "sum";
  layer.in_channels = layer.out_channels = layer.groups = 50;
  layer.rounding = GENERATE(s8::Rounding::kHalfUp, s8::Rounding::kFloor, s8::Rounding::kHalfEven);
  const Tiling tiling = {.rows = 2, .columns = 4, .out_blocks = 2};
  SECTION("average of 4x4") {
    layer.y = layer.x = {.input = 12, .kernel = 4, .stride = 4};
    layer.shifts = {4};
  }
  SECTION("addition of exponents 5 and 3 to 2") {
    layer.y = layer.x = {.input = 4};
    layer.shifts = {0};
    layer.residual = s8::add_shifts(5, 3, 2);
  }
  SECTION("addition of exponents 3 and 7 to 4, with a ReLU") {
    layer.y = layer.x = {.input = 4};
    layer.shifts = {0};
    layer.residual = s8::add_shifts(3, 7, 4);
    layer.bounds = {0, 127};
  }
  check_layer(evta::test::stock_configuration(), layer, tiling, generator);
}

TEST_CASE("Biases near the limits of int32 and large shifts are computed exactly") {
  std::mt19937 generator(4);
  ConvLayer layer = random_conv(generator, 16, 20, {.input = 3});
  for (size_t i = 0; i < layer.bias.size(); ++i) layer.bias[i] = i % 2 == 0 ? 2000000000 : -2000000000;
  layer.shifts = {24};
  layer.rounding = GENERATE(s8::Rounding::kHalfUp, s8::Rounding::kHalfEven);
  check_layer(evta::test::stock_configuration(), layer, {.rows = 1, .columns = 3}, generator);
}

TEST_CASE("Ties of every shift are rounded to even") {
  std::mt19937 generator(10);
  ConvLayer layer = random_conv(generator, 16, 32, {.input = 8});
  layer.rounding = s8::Rounding::kHalfEven;
  layer.shifts.resize(32);
  const bool is_small = GENERATE(true, false);  // inputs and weights, so that most sums of small shifts are ties
  for (size_t i = 0; i < layer.shifts.size(); ++i) {
    layer.shifts[i] = static_cast<uint8_t>(i);
    layer.bias[i] = i < 2 ? 0 : int32_t{1} << (i - 1);
    if (is_small) layer.bias[i] *= i % 3 == 0 ? -1 : 1;
  }
  if (is_small) layer.weights = random_elements(generator, 16 * 32, {-1, 1});
  check_layer(evta::test::stock_configuration(), layer, {.rows = 2, .columns = 8}, generator);
  layer.residual = s8::AddShifts{1, 0, 2};
  check_layer(evta::test::stock_configuration(), layer, {.rows = 2, .columns = 8}, generator);
}

TEST_CASE("Results replace cleared accumulators if the bias is below the results") {
  std::mt19937 generator(5);
  const ConvLayer layer = random_conv(generator, 16, 16, {.input = 8});
  const auto program = compiler::evta::generate(evta::test::stock_configuration(), layer, {.rows = 1, .columns = 8});
  REQUIRE(program.has_value());
  REQUIRE(program->counters.gemms == 64);
  REQUIRE(program->counters.resets == 16);      // the first tile of each of two threads
  REQUIRE(program->counters.alu_tensor == 64);  // biases
  REQUIRE(program->counters.alu_immediate == 3 * 64);
}

TEST_CASE("Rounding half to even takes a copy of the tile and six more operations per result") {
  std::mt19937 generator(5);
  ConvLayer layer = random_conv(generator, 16, 16, {.input = 8});
  const auto counters = [&](s8::Rounding rounding) {
    layer.rounding = rounding;
    return compiler::evta::generate(evta::test::stock_configuration(), layer, {.rows = 1, .columns = 8})
        .value()
        .counters;
  };
  const auto half_up = counters(s8::Rounding::kHalfUp), half_even = counters(s8::Rounding::kHalfEven);
  CHECK(half_even.gemms == half_up.gemms);
  CHECK(half_even.resets == half_up.resets + 64);
  CHECK(half_even.alu_tensor == half_up.alu_tensor + 2 * 64);
  CHECK(half_even.alu_immediate == half_up.alu_immediate + 4 * 64);
}

TEST_CASE("Accumulators of a tile that is computed twice are not treated as results") {
  std::mt19937 generator(9);
  ConvLayer layer = random_conv(generator, 24, 16, {.input = 1});
  layer.images = 4;
  layer.x.input = 5;  // tiles of 3 and 2 elements; the second is too small to keep the hazard distance
  layer.weights = random_elements(generator, 24 * 16, {-4, 4});
  layer.bias.assign(16, 50);
  layer.shifts = {2};  // sums are often below the preload
  check_layer(evta::test::stock_configuration(), layer, {.columns = 3, .threads = 1}, generator);
}

TEST_CASE("Weights and inputs that fit on chip are loaded once") {
  std::mt19937 generator(6);
  const ConvLayer layer = random_conv(generator, 64, 64, {.input = 8, .kernel = 3, .pad_begin = 1, .pad_end = 1});
  const auto program = compiler::evta::generate(
      evta::test::stock_configuration(), layer,
      {.rows = 2, .columns = 8, .out_blocks = 2, .in_blocks = 2, .order = LoopOrder::kBlocksInner});
  REQUIRE(program.has_value());
  REQUIRE(program->counters.wgt_bytes == 64 * 64 * 9);
}

TEST_CASE("The error for a tiling that does not fit names the memory") {
  std::mt19937 generator(7);
  const ConvLayer layer = random_conv(generator, 64, 64, {.input = 56, .kernel = 3, .pad_begin = 1, .pad_end = 1});
  const auto message = [&](const Tiling& tiling) {
    return std::string(compiler::evta::generate(evta::test::stock_configuration(), layer, tiling).error().message());
  };
  CHECK(message({.rows = 56, .columns = 56}).find("ACC") != std::string::npos);
  CHECK(message({.rows = 16, .columns = 56, .in_blocks = 4}).find("INP") != std::string::npos);
  CHECK(message({.rows = 0}).find("empty tiles") != std::string::npos);
}

TEST_CASE("Layers that EVTA cannot compute are rejected with the reason") {
  std::mt19937 generator(8);
  const auto message = [&](auto change) {
    ConvLayer layer = random_conv(generator, 16, 16, {.input = 40, .kernel = 3});
    change(layer);
    const auto result = ConvGenerator::create(evta::test::stock_configuration(), layer);
    return std::string(result.error().message());
  };
  CHECK(message([](ConvLayer&) {}).empty());
  CHECK(message([](ConvLayer& layer) { layer.y.pad_begin = 16; }).find("at most 15") != std::string::npos);
  CHECK(message([](ConvLayer& layer) { layer.x.pad_end = 3; }).find("smaller than the kernel") != std::string::npos);
  CHECK(message([](ConvLayer& layer) { layer.shifts = {32}; }).find("at most 31") != std::string::npos);
  CHECK(message([](ConvLayer& layer) { layer.weights.pop_back(); }).find("weights") != std::string::npos);
  CHECK(message([](ConvLayer& layer) {
          layer.residual = s8::AddShifts{0, 7, 0};
        }).find("too far") != std::string::npos);
  CHECK(message([](ConvLayer& layer) { layer.groups = 3; }).find("divide") != std::string::npos);
  CHECK(message([](ConvLayer& layer) { layer.x.input = 0; }).find("width") != std::string::npos);
}

}  // namespace nestrt::test
