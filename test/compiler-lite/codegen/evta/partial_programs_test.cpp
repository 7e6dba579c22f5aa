// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/partial_programs.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/codegen/evta/evta_backend.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/quantize/quantize.h"
#include "compiler-lite/target/target_description.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "runtime/plan/queries/channels.h"
#include "test/compiler-lite/graph_tools.h"
#include "test/support/test_level.h"
#include "tools/support/report/compare_units.h"

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

// Builds a graph in the form that the emitter accepts; every named value has the exponent 5.
class QuantizedGraph {
 public:
  explicit QuantizedGraph(std::mt19937& random) : random_(random) { set_exponent_of("x"); }

  ValueId input(const Shape& shape) { return add_input(graph_, "x", shape); }
  ValueId conv(ValueId from, const Shape& weights, int32_t stride, const char* name, int32_t group = 1) {
    const auto kernel = static_cast<int32_t>(weights[2]);
    const float range = 1.5f / static_cast<float>(kernel * kernel * 4);
    return op(conv_attributes({kernel, kernel}, kernel / 2, stride, group),
              {from, random_constant(graph_, random_, weights, -range, range),
               random_constant(graph_, random_, {weights[0]})},
              name);
  }
  template <typename Attributes>
  ValueId op(Attributes attributes, const std::vector<ValueId>& inputs, const char* name) {
    set_exponent_of(name);
    return add(graph_, std::move(attributes), inputs, name);
  }

  Graph finish(ValueId result) && {
    graph_.outputs = {add(graph_, unary_attributes(ops::UnaryKind::kSigmoid), {result}, "y")};
    compiler::QuantizeOptions options;
    options.corrections = {false, false, false};
    REQUIRE(compiler::quantize(graph_, profile_, options).has_value());
    REQUIRE(compiler::fuse_residual(graph_).has_value());
    return std::move(graph_);
  }

 private:
  void set_exponent_of(const char* name) {
    profile_.values.emplace_back();
    profile_.values.back().name = name;
    profile_.values.back().exponent = 5;
  }

  std::mt19937& random_;
  Graph graph_;
  compiler::QuantizationProfile profile_;
};

// Returns x -> c0 -> c1. With a residual, the residual is a second convolution of x.
Graph quantized(const Geometry& g, std::mt19937& random) {
  QuantizedGraph graph(random);
  const ValueId x = graph.input({1, 20, g.size, g.size});
  const ValueId c0 = graph.conv(x, {g.in_channels, 20, 1, 1}, 1, "c0");
  ValueId y = graph.conv(c0, {g.out_channels, g.in_channels, g.kernel, g.kernel}, g.stride, "c1");
  if (g.residual) {
    const ValueId second = graph.conv(x, {g.out_channels, 20, 1, 1}, g.stride, "second");
    y = graph.op(binary_attributes(ops::BinaryKind::kAdd), {y, second}, "sum");
  }
  return std::move(graph).finish(y);
}

// Returns x -> c0 -> c1 with c0 as residual: each part of c1 reads all of c0 as input and its own part as residual.
Graph looped(const Geometry& g, std::mt19937& random) {
  QuantizedGraph graph(random);
  const ValueId x = graph.input({1, 20, g.size, g.size});
  const ValueId c0 = graph.conv(x, {g.out_channels, 20, 1, 1}, 1, "c0");
  const ValueId c1 = graph.conv(c0, {g.out_channels, g.out_channels, g.kernel, g.kernel}, 1, "c1");
  return std::move(graph).finish(graph.op(binary_attributes(ops::BinaryKind::kAdd), {c1, c0}, "sum"));
}

// Returns x -> c0 -> a depthwise convolution -> the maximum and the average of its windows -> their sum. All operators
// after c0 work channel by channel.
Graph channelwise(const Geometry& g, std::mt19937& random) {
  QuantizedGraph graph(random);
  const int64_t channels = g.out_channels;
  const ValueId x = graph.input({1, 20, g.size, g.size});
  const ValueId c0 = graph.conv(x, {channels, 20, 1, 1}, 1, "c0");
  const ValueId depthwise = graph.conv(c0, {channels, 1, 3, 3}, g.stride, "depthwise", static_cast<int32_t>(channels));
  const ValueId maxima = graph.op(pool_attributes(ops::PoolKind::kMax, {2, 2}), {depthwise}, "maxima");
  const ValueId averages = graph.op(pool_attributes(ops::PoolKind::kAverage, {2, 2}), {depthwise}, "averages");
  return std::move(graph).finish(graph.op(binary_attributes(ops::BinaryKind::kAdd), {maxima, averages}, "sum"));
}

PlanBytes compiled(Graph graph, const char* configuration, int count, int instances = 1) {
  compiler::UnitDescription unit;
  unit.kind = "evta";
  unit.configuration = configuration;
  unit.instances = instances;
  compiler::evta::EvtaOptions options;
  options.num_partial_programs = count;
  options.least_divided_us = 0;
  auto backend = compiler::evta::make_evta_backend(unit, options);
  REQUIRE(backend.has_value());
  compiler::CompileOptions compile;
  compile.backends = {compiler::make_cpu_backend(compiler::host_target().instruction_sets), *backend};
  auto bytes = compiler::compile_graph(std::move(graph), compile);
  if (!bytes) FAIL(bytes.error().to_string());
  return std::move(*bytes);
}

std::shared_ptr<const Plan> plan_in(const PlanBytes& bytes) {
  auto plan = Plan::from_memory(bytes.span(), Verification::kComplete);
  REQUIRE(plan.has_value());
  return *plan;
}

TEST_CASE("Partial programs cover the multiples of the block that are nearest to equal shares") {
  using compiler::evta::partial_channels;
  using Channels = std::vector<int64_t>;
  CHECK(partial_channels(512, 16, 3) == Channels{128, 256, 384});
  CHECK(partial_channels(512, 16, 4) == Channels{96, 208, 304, 416});
  CHECK(partial_channels(64, 16, 7) == Channels{16, 32, 48});
  CHECK(partial_channels(72, 16, 7) == Channels{16, 32, 48, 64});
  CHECK(partial_channels(64, 32, 7) == Channels{32});
  CHECK(partial_channels(40, 32, 7) == Channels{32});
  CHECK(partial_channels(100, 16, 1) == Channels{48});
  CHECK(partial_channels(32, 16, 2) == Channels{16});
  CHECK(partial_channels(16, 16, 7).empty());
  CHECK(partial_channels(512, 16, 0).empty());
  CHECK(partial_channels(0, 16, 7).empty());
}

using Ranges = std::vector<ChannelRange>;

TEST_CASE("Slices for several units are consecutive and may leave channels to the CPU") {
  using compiler::evta::partial_ranges;
  CHECK(partial_ranges({64, 1, 16}, 3, 1) == Ranges{{0, 16}, {0, 32}, {0, 48}});
  CHECK(partial_ranges({64, 1, 16}, 3, 2) == Ranges{{0, 16}, {0, 32}, {0, 48}, {32, 48}, {32, 64}});
  CHECK(partial_ranges({64, 56, 16}, 0, 4).empty());
  CHECK(partial_ranges({16, 56, 16}, 15, 4).empty());
  const Ranges rows = partial_ranges({40, 5, 16}, 15, 4);
  CHECK(std::ranges::count(rows, ChannelRange{0, 16, 0, 3}) == 1);  // halves: 15 rows of blocks in total
  CHECK(std::ranges::count(rows, ChannelRange{16, 40, 3, 0}) == 1);
  for (const ChannelRange& part : rows) {
    CAPTURE(to_string(part));
    CHECK(is_part(40, 5, part));
    const auto follows = [&](const ChannelRange& other) {
      return other.end == part.begin && other.end_row == part.begin_row;
    };
    CHECK((part.begin + part.begin_row == 0 || std::ranges::any_of(rows, follows)));
  }
}

TEST_CASE("Slices for one unit end within a block if there are few blocks") {
  using compiler::evta::partial_ranges;
  const Ranges thirds = partial_ranges({48, 14, 16}, 15, 1);  // a share is 2.625 rows of blocks
  CHECK(thirds.size() == 15);
  CHECK(std::ranges::count(thirds, ChannelRange{0, 16, 0, 0}) == 1);
  CHECK(std::ranges::count(thirds, ChannelRange{0, 0, 0, 3}) == 1);
  CHECK(std::ranges::count(thirds, ChannelRange{0, 32, 0, 0}) == 1);
  CHECK(std::ranges::count(thirds, ChannelRange{0, 32, 0, 11}) == 1);
  for (const ChannelRange& part : thirds) CHECK(is_part(48, 14, part));
  CHECK(partial_ranges({256, 14, 16}, 15, 1).size() == 15);
  for (const ChannelRange& part : partial_ranges({256, 14, 16}, 15, 1)) CHECK(part.has_whole_blocks());
  CHECK(partial_ranges({48, 14, 16}, 0, 1).empty());
}

TEST_CASE("Slices that end inside a block leave whole tiles of rows, or the whole block, to the CPU") {
  using compiler::evta::partial_ranges;
  for (const int64_t rows : {3, 7, 13, 28}) {
    const Ranges ranges = partial_ranges({64, rows, 16, 4}, 15, 1);
    CHECK(ranges.size() >= 3);
    for (const ChannelRange& part : ranges) {
      CAPTURE(rows, to_string(part));
      CHECK(is_part(64, static_cast<uint32_t>(rows), part));
      CHECK((part.end_row == 0 || (rows - part.end_row) % 4 == 0));
    }
  }
}

// Compares every EVTA program with the CPU. Returns the number of layers with partial programs.
size_t compare_programs(const PlanBytes& bytes, const std::string& configuration) {
  const auto units =
      open_units("evta:sim:" + configuration.substr(configuration.find('_') == 1 ? 2 : 0) + ",cpu", {.num_threads = 1});
  REQUIRE(units);
  const auto comparisons = tools::compare_units(plan_in(bytes), *units);
  if (!comparisons) FAIL(comparisons.error().to_string());
  std::set<uint32_t> divided;
  for (const tools::BranchComparison& comparison : *comparisons) {
    CAPTURE(comparison.operators, to_string(comparison.channels));
    CHECK(comparison.bytes > 0);
    CHECK(comparison.different == 0);
    CHECK(comparison.stray == 0);
    if (!comparison.channels.all()) divided.insert(comparison.branch);
  }
  return divided.size();
}

// Alternates between blocks of 16 and of 32 channels.
template <typename Check>
void for_random_layers(int count, std::mt19937& random, Check check) {
  for (int i = 0; i < count; ++i) {
    const Geometry geometry = random_geometry(random);
    const char* const configuration = i % 2 == 0 ? "1x16_15_15_18_17" : "1x32_15_15_18_17";
    CAPTURE(geometry.in_channels, geometry.out_channels, geometry.size, geometry.kernel, geometry.stride,
            geometry.residual, configuration);
    check(i, geometry, configuration);
  }
}

TEST_CASE("EVTA and the CPU compute slices of a layer, bit-identical to the CPU alone") {
  std::mt19937 random(1);
  size_t divided = 0;
  for_random_layers(by_level(2, 8, 100), random, [&](int, const Geometry& geometry, const char* configuration) {
    divided += compare_programs(compiled(quantized(geometry, random), configuration, 7), configuration);
  });
  CHECK(divided > 0);
}

TEST_CASE("Several EVTA units compute slices of a layer, including rows of blocks, bit-identical to the CPU alone") {
  std::mt19937 random(4);
  size_t divided = 0;
  for_random_layers(by_level(3, 12, 60), random, [&](int i, const Geometry& geometry, const char* configuration) {
    Graph graph = i % 6 < 2   ? quantized(geometry, random)
                  : i % 6 < 4 ? channelwise(geometry, random)
                              : looped(geometry, random);
    divided += compare_programs(compiled(std::move(graph), configuration, 5, 4 - i % 3), configuration);
  });
  CHECK(divided > 1);
}

TEST_CASE("Depthwise convolutions, pools and sums are divided like convolutions") {
  std::mt19937 random(3);
  for (int i = 0; i < by_level(2, 8, 100); ++i) {
    Geometry geometry = random_geometry(random);
    const char* const configuration = i % 2 == 0 ? "1x16_15_15_18_17" : "1x32_15_15_18_17";
    geometry.size = std::max<int64_t>(geometry.size, 5);  // no single pixels, which are not blocked
    if (i % 4 < 2) geometry.out_channels = geometry.out_channels / 32 * 32 + 32;  // groups in whole blocks
    CAPTURE(geometry.out_channels, geometry.size, geometry.stride, configuration);
    CHECK(compare_programs(compiled(channelwise(geometry, random), configuration, 7), configuration) == 5);
  }
}

TEST_CASE("Partial programs share the weights of their layer and can be disabled") {
  std::mt19937 random(2);
  const Geometry geometry{40, 96, 6, 3, 1, true};
  Graph graph = quantized(geometry, random);
  const char* const configuration = "1x16_15_15_18_17";
  const Graph graph_of_several = graph.clone();
  const PlanBytes with = compiled(graph.clone(), configuration, 7);
  const PlanBytes without = compiled(std::move(graph), configuration, 0);
  const auto plan = plan_in(with), undivided = plan_in(without);
  size_t count = 0;
  for (const plan::Branch& branch : plan->tables().branches) {
    const plan::Program* whole = nullptr;
    for (const plan::Program& program : branch.programs) {
      if (program.unit != "evta") continue;
      if (program.channels.all()) {
        whole = &program;
        continue;
      }
      ++count;
      REQUIRE(whole != nullptr);
      CHECK(program.segments[1] == whole->segments[1]);
      CHECK(program.channels.end < divisible_channels(plan->tables(), branch));
    }
  }
  CHECK(count >= 4);
  const auto shared = plan_in(compiled(graph_of_several.clone(), configuration, 7, 2));
  size_t later = 0;
  for (const plan::Branch& branch : shared->tables().branches)
    for (const plan::Program& program : branch.programs) {
      if (program.channels.is_first()) continue;
      ++later;
      const auto whole = std::ranges::find_if(
          branch.programs, [](const plan::Program& one) { return one.unit == "evta" && one.channels.all(); });
      CHECK(program.segments[1] == whole->segments[1]);
    }
  CHECK(later >= 4);
  for (const plan::Branch& branch : undivided->tables().branches)
    for (const plan::Program& program : branch.programs) CHECK(program.channels.all());
}

}  // namespace
}  // namespace nestrt::test
