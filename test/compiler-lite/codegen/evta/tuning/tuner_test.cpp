// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/tuning/tuner.h"

#include <catch2/catch.hpp>

#include "compiler-lite/codegen/evta/layer/conv.h"
#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/cycles/cycle_model.h"
#include "scheduler/thread_pool/thread_pool.h"
#include "test/compiler-lite/codegen/evta/layer_runner.h"
#include "test/support/evta/evta_configuration.h"

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

compiler::evta::TuneOptions options_for(std::string_view profile, size_t most_programs) {
  return {.cost = cycles_of(profile), .most_programs = most_programs, .profile = evta::find_cycle_profile(profile)};
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

struct Network {
  uint64_t cycles = 0, gemms = 0, micro_ops = 0;
};

// Tunes ResNet-18's convolutions for a profile.
Network tuned_resnet18(std::string_view profile, size_t most_programs) {
  std::mt19937 generator(1);
  Network network;
  for (const NetworkConv& conv : kResNet18) {
    const auto layer = ConvGenerator::create(evta::test::stock_configuration(), layer_of(conv, generator));
    REQUIRE(layer.has_value());
    const auto tuned = compiler::evta::tune(*layer, options_for(profile, most_programs));
    REQUIRE(tuned.has_value());
    const auto program = layer->generate(tuned->tiling);
    REQUIRE(program.has_value());
    REQUIRE(evta::check_program(program->program()).to_string() == "ok");
    network.cycles += static_cast<uint64_t>(conv.count) * tuned->cost;
    network.gemms += static_cast<uint64_t>(conv.count) * program->counters.gemms;
    network.micro_ops += program->counters.uop_bytes / 4;
  }
  return network;
}

}  // namespace

TEST_CASE("Concurrent tuning chooses the same tiling as tuning on one core") {
  const auto pool = scheduler::ThreadPool::create({.num_threads = 3});
  REQUIRE(pool);
  std::mt19937 generator(1);
  for (const NetworkConv& conv : kResNet18) {
    const auto layer = ConvGenerator::create(evta::test::stock_configuration(), layer_of(conv, generator));
    REQUIRE(layer.has_value());
    compiler::evta::TuneOptions options = options_for("hls_zynq7020", 12);
    const auto alone = compiler::evta::tune(*layer, options);
    options.parallel = pool->get();
    const auto together = compiler::evta::tune(*layer, options);
    REQUIRE(alone);
    REQUIRE(together);
    CHECK(together->tiling == alone->tiling);
    CHECK(together->cost == alone->cost);
    CHECK(together->programs == alone->programs);
  }
}

TEST_CASE("ResNet-18's convolutions take fewer cycles than published, with the multipliers busy 85 % of the time") {
  const Network network = tuned_resnet18("chisel2021", 4);
  REQUIRE(network.gemms == 6623232);
  INFO(network.cycles << " cycles");
  REQUIRE(network.cycles < 7729601);
  REQUIRE(static_cast<double>(network.gemms) / static_cast<double>(network.cycles) >= 0.85);
}

// Tilings tuned with other constants took 9,314,026 cycles on the RTL of the HLS design, with 12,993 micro-ops.
TEST_CASE("ResNet-18's convolutions take at most 8.6 million cycles on the measured HLS hardware, with few micro-ops") {
  const Network network = tuned_resnet18("hls_zynq7020", 24);
  INFO(network.cycles << " cycles, " << network.micro_ops << " micro-ops");
  REQUIRE(network.cycles <= 8600000);
  REQUIRE(network.micro_ops < 4000);
}

TEST_CASE("The tuner chooses a tiling close to the cheapest one that it tried, and the program computes the layer") {
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
                                                  .most_programs = 8});
  REQUIRE(tuned.has_value());
  REQUIRE(tuned->cost <= cheapest + cheapest / 500);
  REQUIRE(tuned->programs == 8);
  const auto program = conv->generate(tuned->tiling);
  REQUIRE(program.has_value());
  check_program(layer, *program, generator);
}

TEST_CASE("The estimate is close to the cycle model if computation dominates") {
  std::mt19937 generator(3);
  const auto conv = ConvGenerator::create(evta::test::stock_configuration(), layer_of(kResNet18[3], generator));
  REQUIRE(conv.has_value());
  const auto estimated = compiler::evta::tune(*conv, {.cost = {}, .profile = evta::find_cycle_profile("chisel2021")});
  REQUIRE(estimated.has_value());
  const auto program = conv->generate(estimated->tiling);
  REQUIRE(program.has_value());
  const auto cycles = static_cast<double>(cycles_of("chisel2021")(program->program()));
  REQUIRE(static_cast<double>(estimated->cost) == Approx(cycles).epsilon(0.02));
}

TEST_CASE("A layer without a tiling that fits is rejected") {
  std::mt19937 generator(4);
  ConvLayer layer = random_conv(generator, 16, 16, {.input = 40, .kernel = 33});  // 1089 weights, 1024 fit
  const auto conv = ConvGenerator::create(evta::test::stock_configuration(), layer);
  REQUIRE(conv.has_value());
  const auto tuned = compiler::evta::tune(*conv);
  REQUIRE(tuned.error().code() == Code::kUnsupported);
}

}  // namespace nestrt::test
