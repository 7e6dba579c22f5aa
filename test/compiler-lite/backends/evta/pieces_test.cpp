#include "compiler-lite/backends/evta/pieces.h"

#include <catch2/catch.hpp>
#include <random>

#include "compiler-lite/backends/evta/evta_backend.h"
#include "compiler-lite/emit/emit.h"
#include "compiler-lite/layout/layout.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/quantize/quantize.h"
#include "nestrt/session.h"
#include "runtime/tools/compare_units.h"
#include "runtime/plan/channels.h"
#include "runtime/plan/tables.h"
#include "test/compiler-lite/graph_tools.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::PlanBytes;
using compiler::ValueId;

struct Geometry {
  int64_t in_channels, out_channels, size;
  int32_t kernel, stride;
  bool residual;
};

Geometry random_geometry(std::mt19937& random) {
  const auto between = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  const int kernel = between(0, 1) * 2 + 1;
  return {between(5, 40), between(33, 120), between(4, 9), kernel, between(1, 2), between(0, 1) == 1};
}

// x -> c0 -> c1 (+ a convolution of x beside it, where there is a residual) -> ReLU.
Graph quantized(const Geometry& g, std::mt19937& random) {
  Graph graph;
  const auto conv = [&](ValueId input, int64_t in, int64_t out, int32_t kernel, int32_t stride, const char* name) {
    const float range = 1.5f / static_cast<float>(kernel * kernel * 4);
    return add(graph, conv_attributes({kernel, kernel}, kernel / 2, stride),
               {input, random_constant(graph, random, {out, in, kernel, kernel}, -range, range),
                random_constant(graph, random, {out})},
               name);
  };
  const ValueId x = add_input(graph, "x", {1, 20, g.size, g.size});
  const ValueId c0 = conv(x, 20, g.in_channels, 1, 1, "c0");
  ValueId y = conv(c0, g.in_channels, g.out_channels, g.kernel, g.stride, "c1");
  if (g.residual) {
    const ValueId beside = conv(x, 20, g.out_channels, 1, g.stride, "beside");
    y = add(graph, binary_attributes(plan::BinaryKind::add), {y, beside}, "sum");
  }
  graph.outputs = {add(graph, unary_attributes(plan::UnaryKind::sigmoid), {y}, "y")};
  compiler::QuantizationProfile profile;
  for (const char* value : {"x", "c0", "c1", "beside", "sum"}) {
    profile.values.emplace_back();
    profile.values.back().name = value;
    profile.values.back().exponent = 5;
  }
  compiler::QuantizeOptions options;
  options.corrections = {false, false, false};
  REQUIRE(compiler::quantize(graph, profile, options).has_value());
  REQUIRE(compiler::fuse_residual(graph).has_value());
  REQUIRE(compiler::choose_layout(graph, {}).ok());
  return graph;
}

PlanBytes compiled(Graph graph, const char* configuration, int pieces) {
  compiler::TargetUnit unit;
  unit.kind = "evta";
  unit.configuration = configuration;
  compiler::evta::EvtaOptions options;
  options.pieces = pieces;
  options.least_divided_us = 0;
  auto backend = compiler::evta::make_evta_backend(unit, options);
  REQUIRE(backend.has_value());
  auto bytes = compiler::emit_plan(graph, {*backend});
  if (!bytes) FAIL(bytes.error().to_string());
  return std::move(*bytes);
}

std::shared_ptr<const Plan> plan_in(const PlanBytes& bytes) {
  auto plan = Plan::from_memory(bytes.span(), Verification::kComplete);
  REQUIRE(plan.has_value());
  return *plan;
}

TEST_CASE("Pieces are the multiples of the block nearest to even shares from one half on") {
  using compiler::evta::piece_channels;
  using Channels = std::vector<int64_t>;
  CHECK(piece_channels(512, 16, 4) == Channels{256, 320, 384, 448});
  CHECK(piece_channels(64, 16, 4) == Channels{32, 48});
  CHECK(piece_channels(72, 16, 4) == Channels{32, 48, 64});
  CHECK(piece_channels(64, 32, 4) == Channels{32});
  CHECK(piece_channels(40, 32, 4) == Channels{32});
  CHECK(piece_channels(100, 16, 1) == Channels{48});
  CHECK(piece_channels(32, 16, 2) == Channels{16});
  CHECK(piece_channels(16, 16, 4).empty());
  CHECK(piece_channels(512, 16, 0).empty());
  CHECK(piece_channels(0, 16, 4).empty());
}

TEST_CASE("EVTA computes the first channels of a layer and the CPU the others, with the bits of the CPU alone") {
  std::mt19937 random(1);
  size_t pieces = 0;
  for (int i = 0; i < by_level(2, 8, 100); ++i) {
    const Geometry geometry = random_geometry(random);
    const char* const configuration = i % 2 == 0 ? "1x16_15_15_18_17" : "1x32_15_15_18_17";
    CAPTURE(geometry.in_channels, geometry.out_channels, geometry.size, geometry.kernel, geometry.stride,
            geometry.residual, configuration);
    const PlanBytes bytes = compiled(quantized(geometry, random), configuration, 7);
    const auto units = open_units("evta:" + std::string(configuration) + ",cpu", {.num_threads = 1});
    REQUIRE(units);
    const auto comparisons = tools::compare_units(plan_in(bytes), *units);
    if (!comparisons) FAIL(comparisons.error().to_string());
    for (const tools::BranchComparison& comparison : *comparisons) {
      CAPTURE(comparison.operators, comparison.channels);
      CHECK(comparison.bytes > 0);
      CHECK(comparison.different == 0);
      pieces += comparison.channels != 0;
    }
  }
  CHECK(pieces > 0);
}

TEST_CASE("Pieces use the weights of their layer, and none are made where none are wanted") {
  std::mt19937 random(2);
  const Geometry geometry{40, 96, 6, 3, 1, true};
  Graph graph = quantized(geometry, random);
  const char* const configuration = "1x16_15_15_18_17";
  const PlanBytes with = compiled(graph.clone(), configuration, 7);
  const PlanBytes without = compiled(std::move(graph), configuration, 0);
  const auto plan = plan_in(with);
  size_t pieces = 0;
  for (const plan::Branch* branch : items(plan->tables().branches())) {
    const plan::Program* whole = nullptr;
    for (const plan::Program* program : items(branch->programs())) {
      if (program->unit()->str() != "evta") continue;
      if (program->channels() == 0) {
        whole = program;
        continue;
      }
      ++pieces;
      REQUIRE(whole != nullptr);
      CHECK(items(program->segments())[1] == items(whole->segments())[1]);
      CHECK(program->channels() < divisible_channels(plan->tables(), *branch));
    }
  }
  CHECK(pieces >= 4);
  for (const plan::Branch* branch : items(plan_in(without)->tables().branches()))
    for (const plan::Program* program : items(branch->programs())) CHECK(program->channels() == 0);
}

}  // namespace
}  // namespace nestrt::test
