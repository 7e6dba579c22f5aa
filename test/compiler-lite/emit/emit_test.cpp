// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/compile.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "kernels/common/simd/simd.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/plan.h"
#include "runtime/plan/format/format.h"

using namespace nestrt;
using namespace nestrt::compiler;

namespace {

// Returns y = relu(x + c) with the input's first half as a second output.
Graph small_graph() {
  Graph graph;
  graph.name = "small";
  Value x;
  x.name = "x";
  x.shape = {1, 8};
  const ValueId input = graph.add_value(x);
  graph.inputs.push_back({input, {}});
  const ValueId c = graph.add_constant("c", std::vector<float>(8, 0.5f), Shape{1, 8});
  const ValueId sum = (*graph.add_node("add", ops::Binary{}, {input, c}, {"sum"}))->outputs[0];
  const ValueId y = (*graph.add_node("relu", ops::Unary{ops::UnaryKind::kRelu}, {sum}, {"y"}))->outputs[0];
  const ops::Slice half{{0, 0}, {1, 1}, {1, 4}};
  const ValueId z = (*graph.add_node("half", half, {input}, {"z"}))->outputs[0];
  graph.outputs = {y, z};
  return graph;
}

// A backend that offers a program for each Unary, with two segments that contain the same bytes.
class UnaryBackend final : public Backend {
 public:
  std::string unit() const override { return "npu"; }
  std::string program_configuration() const override { return "model 1"; }
  std::vector<LayoutOption> layouts(const Graph&, const Node&) override { return {}; }
  Status accepts(const Graph&, Subgraph nodes) override {
    const bool is_unary = nodes.size() == 1 && nodes[0]->kind() == ops::Kind::kUnary;
    return is_unary ? Status() : Status(Code::kUnsupported, "it is not a Unary");
  }
  Result<Offer> lower(Graph& graph, Subgraph nodes) override {
    const Node& node = *nodes[0];
    UnitProgram program(plan::ProgramKind::kInstructions);
    program.segments = {std::make_shared<const Bytes>(16), std::make_shared<const Bytes>(16)};
    const auto bytes = static_cast<uint64_t>(graph.value(node.outputs[0]).shape.num_elements()) * sizeof(float);
    program.ranges = {{0, bytes, plan::RangeAccess::kRead, node.inputs[0], 0, plan::RangeLayout::kPlain},
                      {4096, bytes, plan::RangeAccess::kWrite, node.outputs[0], 0, plan::RangeLayout::kPlain},
                      {8192, 16, plan::RangeAccess::kRead, kNoValue, 1, plan::RangeLayout::kPlain}};
    program.microseconds = 2.5;
    return Offer{std::move(program), {}};
  }
};

}  // namespace

TEST_CASE("An emitted plan passes complete verification and describes its interface") {
  const auto bytes = compile_graph(small_graph());
  REQUIRE(bytes.has_value());
  const auto plan = Plan::from_memory(bytes->span(), Verification::kComplete);
  REQUIRE(plan.has_value());
  REQUIRE((*plan)->inputs().size() == 1);
  CHECK((*plan)->inputs()[0].name == "x");
  CHECK((*plan)->inputs()[0].shape == Shape{1, 8});
  REQUIRE((*plan)->outputs().size() == 2);
  CHECK((*plan)->outputs()[0].name == "y");
  CHECK((*plan)->outputs()[1].name == "z");
}

TEST_CASE("The same graph compiles to the same bytes on every machine") {
  const auto bytes_on = [](InstructionSet machine) {
    REQUIRE(kernels::force_instruction_set(machine));
    return compile_graph(small_graph());
  };
  const InstructionSet best = kernels::current_instruction_set();
  const auto a = bytes_on(best), b = bytes_on(kernels::supported_instruction_sets().back());
  kernels::force_instruction_set(best);
  REQUIRE(a.has_value());
  REQUIRE(b.has_value());
  REQUIRE(a->span().size() == b->span().size());
  CHECK(std::memcmp(a->span().data(), b->span().data(), a->span().size()) == 0);
}

TEST_CASE("Constants are aligned in the data area and contain the graph's elements") {
  const auto bytes = compile_graph(small_graph());
  REQUIRE(bytes.has_value());
  const auto plan = *Plan::from_memory(bytes->span());
  const plan::Tables& tables = plan->tables();
  int constants = 0;
  for (uint32_t i = 0; i < tables.buffers.size(); ++i) {
    if (tables.buffers[i].kind != plan::BufferKind::kConstant) continue;
    ++constants;
    const auto elements = plan->constant(i);
    REQUIRE(elements.size() == 8 * sizeof(float));
    CHECK(reinterpret_cast<uintptr_t>(elements.data()) % plan_format::kSegmentAlignment == 0);
    CHECK(reinterpret_cast<const float*>(elements.data())[7] == 0.5f);
  }
  CHECK(constants == 1);
}

TEST_CASE("Every operator is in a branch with a CPU program") {
  const auto bytes = compile_graph(small_graph());
  REQUIRE(bytes.has_value());
  const auto plan = *Plan::from_memory(bytes->span());
  const plan::Tables& tables = plan->tables();
  REQUIRE(tables.branches.size() == 2);
  size_t operators = 0;
  for (const plan::Branch& branch : tables.branches) {
    operators += branch.operators.size();
    CHECK(branch.programs[0].unit == "cpu");
  }
  CHECK(operators == tables.operators.size());
}

TEST_CASE("An operator with a program for another unit is a separate branch") {
  std::vector<std::string> reasons;
  const auto observer = [&](uint32_t, uint32_t, const Backend&, const Offer& offer) {
    reasons.push_back(offer.reason);
  };
  CompileOptions options;
  options.backends = {make_cpu_backend({InstructionSet::kPortable}), std::make_shared<UnaryBackend>()};
  options.offer_observer = observer;
  const auto bytes = compile_graph(small_graph(), options);
  REQUIRE(bytes.has_value());
  CHECK(reasons == std::vector<std::string>{"it is not a Unary", "", "it is not a Unary"});
  const auto plan = *Plan::from_memory(bytes->span());
  const plan::Tables& tables = plan->tables();
  REQUIRE(tables.branches.size() == 3);
  CHECK(tables.targets[1].configuration == "model 1");
  const plan::Branch& relu = tables.branches[1];
  REQUIRE(relu.programs.size() == 2);
  CHECK(relu.programs[0].unit == "cpu");
  const plan::Program& program = relu.programs[1];
  CHECK(program.unit == "npu");
  CHECK(program.configuration == "model 1");
  CHECK(program.segments[0] == program.segments[1]);
  CHECK(plan->constant(program.segments[0]).size() == 16);
  REQUIRE(program.ranges.size() == 3);
  CHECK(tables.tensors[static_cast<uint32_t>(program.ranges[1].tensor)].name == "y");
  CHECK(program.costs[0].microseconds == 2.5f);
}
