#include "compiler-lite/codegen/evta/tuner.h"

#include <catch2/catch.hpp>

#include "compiler-lite/codegen/evta/conv.h"
#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/cycles/cycle_model.h"
#include "test/compiler-lite/codegen/evta/layer_runner.h"
#include "test/support/evta_configuration.h"

namespace nestrt::test {
namespace {

using compiler::evta::ConvGenerator;
using compiler::evta::ConvLayer;
using compiler::evta::CostFunction;
using compiler::evta::EncodedProgram;

CostFunction cycles_of(std::string_view profile) {
  return [profile = evta::find_cycle_profile(profile)](const evta::Program& program) -> uint64_t {
    const auto count = evta::count_cycles(program, *profile);
    return count ? count->cycles : 0;
  };
}

struct NetworkConv {
  int64_t count, input, in_channels, out_channels, kernel, stride;
};

// The convolutions of ResNet-18 whose channels fill blocks.
constexpr NetworkConv kResNet18[] = {{4, 56, 64, 64, 3, 1},   {1, 56, 64, 128, 3, 2},  {1, 56, 64, 128, 1, 2},
                                     {3, 28, 128, 128, 3, 1}, {1, 28, 128, 256, 3, 2}, {1, 28, 128, 256, 1, 2},
                                     {3, 14, 256, 256, 3, 1}, {1, 14, 256, 512, 3, 2}, {1, 14, 256, 512, 1, 2},
                                     {3, 7, 512, 512, 3, 1}};

ConvLayer layer_of(const NetworkConv& conv, std::mt19937& generator) {
  const int64_t pad = conv.kernel / 2;
  ConvLayer layer = random_conv(
      generator, conv.in_channels, conv.out_channels,
      {.input = conv.input, .kernel = conv.kernel, .stride = conv.stride, .pad_begin = pad, .pad_end = pad});
  layer.bounds = {0, 127};
  return layer;
}

}  // namespace

TEST_CASE("ResNet-18's convolutions take fewer cycles than the published total, the multipliers busy for 85 %") {
  std::mt19937 generator(1);
  uint64_t cycles = 0, gemms = 0;
  for (const NetworkConv& conv : kResNet18) {
    const auto layer = ConvGenerator::create(evta::test::stock_configuration(), layer_of(conv, generator));
    REQUIRE(layer.has_value());
    const auto tuned = compiler::evta::tune(*layer, {.cost = cycles_of("chisel2021"), .most_programs = 4});
    REQUIRE(tuned.has_value());
    const auto program = layer->generate(tuned->tiling);
    REQUIRE(program.has_value());
    REQUIRE(evta::check_program(program->program()).to_string() == "ok");
    cycles += static_cast<uint64_t>(conv.count) * tuned->cost;
    gemms += static_cast<uint64_t>(conv.count) * program->counters.gemms;
  }
  REQUIRE(gemms == 6623232);
  INFO(cycles << " cycles");
  REQUIRE(cycles < 7729601);
  REQUIRE(static_cast<double>(gemms) / static_cast<double>(cycles) >= 0.85);
}

TEST_CASE("What the tuner chooses is the cheapest that it tried, and computes the layer") {
  std::mt19937 generator(2);
  const ConvLayer layer =
      random_conv(generator, 48, 40, {.input = 11, .kernel = 3, .stride = 2, .pad_begin = 1, .pad_end = 1});
  const auto conv = ConvGenerator::create(evta::test::stock_configuration(), layer);
  REQUIRE(conv.has_value());
  uint64_t cheapest = UINT64_MAX;
  const CostFunction cycles = cycles_of("zcu102");
  const auto tuned = compiler::evta::tune(*conv, {.cost =
                                                      [&](const evta::Program& program) {
                                                        cheapest = std::min(cheapest, cycles(program));
                                                        return cycles(program);
                                                      },
                                                  .most_programs = 8,
                                                  .least_micro_ops = {1, 16}});
  REQUIRE(tuned.has_value());
  REQUIRE(tuned->cost == cheapest);
  REQUIRE(tuned->programs == 16);
  const auto program = conv->generate(tuned->tiling);
  REQUIRE(program.has_value());
  check_program(layer, *program, generator);
}

TEST_CASE("The estimate is near the cycle model where computing takes the time") {
  std::mt19937 generator(3);
  const auto conv = ConvGenerator::create(evta::test::stock_configuration(), layer_of(kResNet18[3], generator));
  REQUIRE(conv.has_value());
  const auto estimated = compiler::evta::tune(*conv);
  REQUIRE(estimated.has_value());
  const auto program = conv->generate(estimated->tiling);
  REQUIRE(program.has_value());
  const auto cycles = static_cast<double>(cycles_of("chisel2021")(program->program()));
  REQUIRE(static_cast<double>(estimated->cost) == Approx(cycles).epsilon(0.02));
}

TEST_CASE("A layer of which nothing fits is refused") {
  std::mt19937 generator(4);
  ConvLayer layer = random_conv(generator, 16, 16, {.input = 40, .kernel = 33});  // 1089 weights, 1024 fit
  const auto conv = ConvGenerator::create(evta::test::stock_configuration(), layer);
  REQUIRE(conv.has_value());
  const auto tuned = compiler::evta::tune(*conv);
  REQUIRE(tuned.error().code() == Code::kUnsupported);
}

}  // namespace nestrt::test
