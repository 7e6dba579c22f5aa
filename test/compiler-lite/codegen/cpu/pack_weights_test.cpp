// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/placement/assign_layouts.h"
#include "compiler-lite/stages.h"
#include "kernels/common/simd/simd.h"
#include "kernels/registry.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;

Packing packing_of_weights(const Graph& graph, ValueId conv) {
  return graph.value(graph.producer(conv)->inputs[1]).packing;
}

// Assigns layouts and packs; checks that the results are unchanged and that no kernel packs its weights again.
void choose(Graph& graph, const std::vector<ValueId>& outputs, const compiler::LayoutOptions& options = {}) {
  std::mt19937 generator(1);
  graph.outputs = outputs;
  const Graph before = graph.clone();
  const Status status = choose_layout(graph, options);
  INFO(status.to_string());
  REQUIRE(status.ok());
  CHECK(difference(graph, before, generator) < 1e-5);
  for (const auto& node : graph.nodes()) {
    const compiler::BoundOperator bound(graph, *node);
    const KernelVariant* variant = kernels::operators().select(bound.spec(), kernels::current_instruction_set());
    REQUIRE(variant != nullptr);
    const auto kernel = variant->prepare(bound.spec());
    REQUIRE(kernel.has_value());
    INFO(node->name << ", " << variant->name);
    CHECK_FALSE((*kernel)->repacked());
  }
}

TEST_CASE("Each convolution has the packing of its kernel") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId stem = add_conv(graph, generator, add_input(graph, "x", {1, 3, 8, 8}), 20, 3, 1);
  const ValueId depthwise = add_conv(graph, generator, stem, 20, 3, 1, true, 20);
  const ValueId pointwise = add_conv(graph, generator, depthwise, 33, 1);
  choose(graph, {pointwise});
  CHECK(packing_of_weights(graph, stem) == Packing::kStem16);
  CHECK(packing_of_weights(graph, depthwise) == Packing::kDepthwise16);
  CHECK(packing_of_weights(graph, pointwise) == Packing::kO16i16);
}

TEST_CASE("Weights packed for Winograd's algorithm work on any CPU") {
  using Sets = std::vector<InstructionSet>;
  const Sets sets = GENERATE(Sets{InstructionSet::kNeon},
                             Sets{InstructionSet::kPortable, InstructionSet::kAvx2, InstructionSet::kAvx512});
  std::mt19937 generator(1);
  const compiler::CompileOptions options;
  compiler::Compilation compilation{.model = {}, .options = options, .backends = {compiler::make_cpu_backend(sets)}};
  Graph& graph = compilation.graph;
  const ValueId first = add_conv(graph, generator, add_input(graph, "x", {1, 32, 14, 15}), 40, 3, 1);
  const ValueId second = add_conv(graph, generator, first, 24, 3, 1);
  graph.outputs = {second};
  const Graph before = graph.clone();
  REQUIRE(compiler::run_stages(compilation, "placement", "codegen").ok());
  CHECK(packing_of_weights(graph, first) == Packing::kWinograd16);
  CHECK(packing_of_weights(graph, second) == Packing::kWinograd16);
  CHECK(difference(graph, before, generator) < 1e-5);  // with kernels of this machine
}

TEST_CASE("Weights that two convolutions share are packed once") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId x = add_input(graph, "x", {1, 16, 4, 4});
  const ValueId weights = random_constant(graph, generator, {16, 16, 1, 1});
  const ValueId a = add(graph, conv_attributes({1, 1}), {x, weights});
  const ValueId b = add(graph, conv_attributes({1, 1}), {a, weights});
  choose(graph, {b});
  CHECK(packing_of_weights(graph, a) == Packing::kO16i16);
  CHECK(graph.producer(a)->inputs[1] == graph.producer(b)->inputs[1]);
  CHECK_FALSE(graph.value(weights).is_constant());
}

TEST_CASE("s8 operators use blocked layouts and s8 packings") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId stem = add_conv(graph, generator, add_input(graph, "x", {1, 3, 8, 8}), 20, 3, 1);
  const ValueId depthwise = add_conv(graph, generator, stem, 20, 3, 1, true, 20);
  const ValueId pool = add(graph, pool_attributes(ops::PoolKind::kMax, {2, 2}), {depthwise});
  const ValueId pointwise = add_conv(graph, generator, pool, 33, 1);
  const ValueId global = add(graph, pool_attributes(ops::PoolKind::kAverage, {7, 7}), {pointwise});
  const ValueId flat = add(graph, reshape_attributes({1, 33}), {global});
  const ValueId dense = add(graph, ops::Dense(), {flat, random_constant(graph, generator, {33, 5})});
  graph.outputs = {dense};
  quantize_all(graph, 3);
  choose(graph, graph.outputs);
  std::map<Packing, int> packings;
  for (const auto& node : graph.nodes()) {
    if (node->inputs.size() > 1) ++packings[graph.value(node->inputs[1]).packing];
    CHECK(node->as<ops::Reorder>() == nullptr);
  }
  CHECK(packings ==
        std::map<Packing, int>{
            {Packing::kS8Stem, 1}, {Packing::kS8Depthwise16, 1}, {Packing::kS8O16i4, 1}, {Packing::kS8Panel, 1}});
}

TEST_CASE("With plain layouts, no Reorder is inserted") {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId stem = add_conv(graph, generator, add_input(graph, "x", {1, 3, 8, 8}), 16, 3, 1);
  const ValueId conv = add_conv(graph, generator, stem, 16, 3, 1);
  compiler::LayoutOptions plain;
  plain.plain = true;
  choose(graph, {conv}, plain);
  CHECK(graph.nodes().size() == 2);
  CHECK(graph.value(stem).layout == Layout::kPlain);
}

}  // namespace
}  // namespace nestrt::test
