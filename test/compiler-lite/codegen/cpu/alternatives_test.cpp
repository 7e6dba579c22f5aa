// SPDX-License-Identifier: Apache-2.0
// Tests which kernels a plan names in addition to the best one, and where their weights are stored.
#include <algorithm>

#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/compile.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::KernelAlternatives;
using compiler::ValueId;

// Returns two 3 x 3 convolutions, in s8 or in f32, that Winograd's algorithm supports.
Graph two_convolutions(bool s8) {
  std::mt19937 generator(1);
  Graph graph;
  const ValueId first = add_conv(graph, generator, add_input(graph, "x", {1, 32, 14, 15}), 32, 3, 1);
  const ValueId second = add_conv(graph, generator, first, 32, 3, 1);
  graph.outputs = {second};
  if (s8) quantize_all(graph, 3);
  return graph;
}

struct Alternative {
  std::string set, chosen, other;
  Packing packing = Packing::kNone;  // packing of the weights that the plan stores for the kernel
};

std::vector<Alternative> alternatives_in(const Plan& plan) {
  const plan::Tables& tables = plan.tables();
  std::vector<Alternative> found;
  for (const plan::Branch& branch : tables.branches)
    for (const plan::KernelSelection& selection : branch.programs[0].selections)
      for (const plan::KernelAlternative& other : selection.alternatives)
        found.push_back(
            {selection.instruction_set, tables.kernel_names[selection.kernels[other.op]],
             tables.kernel_names[other.kernel],
             other.weights < 0 ? Packing::kNone : tables.tensors[static_cast<size_t>(other.weights)].packing});
  return found;
}

std::vector<Alternative> compile_for(std::vector<InstructionSet> sets, bool s8, KernelAlternatives wanted,
                                     size_t* bytes = nullptr) {
  compiler::CompileOptions options;
  options.backends = {compiler::make_cpu_backend(std::move(sets), wanted)};
  auto plan = compiler::compile_graph(two_convolutions(s8), options);
  if (!plan) FAIL(plan.error().to_string());
  if (bytes != nullptr) *bytes = plan->span().size();
  return alternatives_in(**Plan::from_memory(plan->span()));
}

TEST_CASE("A plan for NEON names the direct convolution in addition to Winograd's, with separate weights") {
  const auto found = compile_for({InstructionSet::kNeon}, true, KernelAlternatives::kSameBits);
  REQUIRE(found.size() >= 2);
  for (const Alternative& alternative : found) {
    CHECK(alternative.set == "neon");
    CHECK(alternative.chosen == "conv.s8.winograd16");
    CHECK(alternative.other == "conv.s8.direct16");
    CHECK(alternative.packing == Packing::kS8O16i4);
  }
}

TEST_CASE("Alternative weights that would take too much space in the plan are packed on the board") {
  size_t with = 0, without = 0;
  const auto found = compile_for({InstructionSet::kNeonDotprod}, true, KernelAlternatives::kSameBits, &with);
  REQUIRE(found.size() >= 2);
  for (const Alternative& alternative : found) {
    CHECK(alternative.chosen == "conv.s8.direct16.dot4");
    CHECK(alternative.other == "conv.s8.winograd16");
    CHECK(alternative.packing == Packing::kNone);
  }
  CHECK(compile_for({InstructionSet::kNeonDotprod}, true, KernelAlternatives::kNone, &without).empty());
  CHECK(with <= without + 4096);
}

TEST_CASE("An alternative uses weights that another instruction set's kernel reads") {
  const auto found =
      compile_for({InstructionSet::kNeon, InstructionSet::kNeonDotprod}, true, KernelAlternatives::kSameBits);
  CHECK(std::ranges::any_of(found, [](const Alternative& alternative) {
    return alternative.set == "neon" && alternative.packing == Packing::kS8O16i4;
  }));
}

TEST_CASE("Kernels in f32 are named only if all alternatives are requested") {
  CHECK(compile_for({InstructionSet::kNeon}, false, KernelAlternatives::kSameBits).empty());
  const auto found = compile_for({InstructionSet::kNeon}, false, KernelAlternatives::kAll);
  CHECK(std::ranges::any_of(found, [](const Alternative& alternative) {
    return alternative.chosen == "conv.f32.winograd16" && alternative.other == "conv.f32.direct16";
  }));
}

}  // namespace
}  // namespace nestrt::test
