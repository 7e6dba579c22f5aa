// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/whole_operators.h"

#include <algorithm>
#include <array>
#include <optional>

namespace nestrt::compiler {
namespace {

using Nodes = std::span<const Node* const>;

// Returns true if the nodes belong to one operator of the model and each node except the last feeds only the next.
bool is_chain(const Graph& graph, Nodes nodes) {
  for (size_t i = 0; i + 1 < nodes.size(); ++i)
    if (nodes[i]->name.empty() || nodes[i]->name != nodes[i + 1]->name ||
        nodes[i + 1]->inputs[0] != nodes[i]->outputs[0] || !graph.has_single_use(nodes[i]->outputs[0]))
      return false;
  return true;
}

bool are_kinds(Nodes nodes, std::array<ops::Kind, 3> kinds) {
  return nodes.size() >= kinds.size() &&
         std::equal(kinds.begin(), kinds.end(), nodes.begin(),
                    [](ops::Kind kind, const Node* node) { return node->kind() == kind; });
}

bool is_real(const Graph& graph, const Node& node) {
  return graph.value(node.inputs[0]).type == DataType::kF32 && graph.value(node.outputs[0]).type == DataType::kF32;
}

// --- MatMul ---

size_t mat_mul_size(const Graph& graph, Nodes nodes) {
  if (!are_kinds(nodes, {ops::Kind::kReshape, ops::Kind::kDense, ops::Kind::kReshape})) return 0;
  nodes = nodes.first(3);
  const auto& product = *nodes[1]->as<ops::Dense>();
  if (nodes[1]->input(2) != kNoValue || product.activation.kind != ops::ActivationKind::kNone) return 0;
  if (!is_real(graph, *nodes[0]) || !is_real(graph, *nodes[1]) || !is_chain(graph, nodes)) return 0;
  Shape expected = graph.value(nodes[0]->inputs[0]).shape;
  if (expected.rank() < 3) return 0;
  const Shape& weights = graph.value(nodes[1]->inputs[1]).shape;
  if (expected[expected.rank() - 1] != weights[0]) return 0;
  expected[expected.rank() - 1] = weights[1];
  return graph.value(nodes[2]->outputs[0]).shape == expected ? 3 : 0;
}

std::vector<WholeResult> write_mat_mul_of_rows(NodeWriter& node, Nodes nodes) {
  return {{nodes[2], node.write("MatMul", {node.real(0), node.real_of(nodes[1]->inputs[1])})}};
}

// --- Split ---

// Returns the axis that a Slice with steps of 1 divides, if it is the only one.
std::optional<int> divided_axis(const Graph& graph, const Node& node) {
  const auto& op = *node.as<ops::Slice>();
  const Shape& x = graph.value(node.inputs[0]).shape;
  std::optional<int> divided;
  for (size_t axis = 0; axis < op.start.size(); ++axis) {
    if (op.step[axis] != 1) return std::nullopt;
    if (op.start[axis] == 0 && op.shape[axis] == x[static_cast<int>(axis)]) continue;
    if (divided) return std::nullopt;
    divided = static_cast<int>(axis);
  }
  return divided;
}

// Returns the number of nodes that divide an axis completely into consecutive slices.
size_t split_size(const Graph& graph, Nodes nodes) {
  if (nodes[0]->kind() != ops::Kind::kSlice || nodes[0]->name.empty()) return 0;
  const ValueId x = nodes[0]->inputs[0];
  const std::optional<int> axis = divided_axis(graph, *nodes[0]);
  if (!axis || graph.value(x).quantization) return 0;
  int64_t next = 0;
  for (size_t count = 0; count < nodes.size();) {
    const Node& slice = *nodes[count];
    if (slice.kind() != ops::Kind::kSlice || slice.name != nodes[0]->name || slice.inputs[0] != x) return 0;
    const auto& op = *slice.as<ops::Slice>();
    if (divided_axis(graph, slice) != axis || op.start[static_cast<size_t>(*axis)] != next) return 0;
    next += op.shape[static_cast<size_t>(*axis)];
    if (++count > 1 && next == graph.value(x).shape[*axis]) return count;
  }
  return 0;
}

std::vector<WholeResult> write_split(NodeWriter& node, Nodes nodes) {
  const int axis = *divided_axis(node.graph(), *nodes[0]);
  std::vector<int64_t> sizes;
  for (const Node* slice : nodes) sizes.push_back(slice->as<ops::Slice>()->shape[static_cast<size_t>(axis)]);
  const std::vector<std::string> names = node.write_all(
      "Split", {node.input(0), node.constant(sizes)}, {{"axis", int64_t{axis}}}, std::vector<bool>(nodes.size(), true));
  std::vector<WholeResult> results;
  for (size_t i = 0; i < nodes.size(); ++i) results.push_back({nodes[i], names[i]});
  return results;
}

// --- DepthToSpace, SpaceToDepth ---

struct Rearrangement {
  const char* op_type = nullptr;
  const char* mode = nullptr;  // of DepthToSpace
  std::array<int32_t, 6> permutation;
  std::array<size_t, 2> blocks;  // both
};
constexpr Rearrangement kRearrangements[] = {
    {"DepthToSpace", "DCR", {0, 3, 4, 1, 5, 2}, {1, 2}},
    {"DepthToSpace", "CRD", {0, 1, 4, 2, 5, 3}, {2, 3}},
    {"SpaceToDepth", nullptr, {0, 3, 5, 1, 2, 4}, {3, 5}},
};

// Returns the operator's output shape for an input [N, C, H, W].
Shape rearranged(const Rearrangement& form, const Shape& x, int64_t block) {
  if (form.mode != nullptr) return {x[0], x[1] / (block * block), x[2] * block, x[3] * block};
  return {x[0], x[1] * block * block, x[2] / block, x[3] / block};
}

const Rearrangement* rearrangement_of(const Graph& graph, Nodes nodes) {
  if (!are_kinds(nodes, {ops::Kind::kReshape, ops::Kind::kTranspose, ops::Kind::kReshape})) return nullptr;
  nodes = nodes.first(3);
  const Value& x = graph.value(nodes[0]->inputs[0]);
  const Shape &inner = graph.value(nodes[0]->outputs[0]).shape, &y = graph.value(nodes[2]->outputs[0]).shape;
  if (x.shape.rank() != 4 || inner.rank() != 6 || y.rank() != 4 || x.quantization || !is_chain(graph, nodes))
    return nullptr;
  for (const Rearrangement& form : kRearrangements) {
    const int64_t block = inner[static_cast<int>(form.blocks[0])];
    if (std::ranges::equal(nodes[1]->as<ops::Transpose>()->permutation, form.permutation) && block > 0 &&
        inner[static_cast<int>(form.blocks[1])] == block && y == rearranged(form, x.shape, block) &&
        inner[form.mode != nullptr ? 4 : 2] == (form.mode != nullptr ? x.shape[2] : x.shape[2] / block))
      return &form;
  }
  return nullptr;
}

std::vector<WholeResult> write_rearrangement(NodeWriter& node, Nodes nodes) {
  const Rearrangement& form = *rearrangement_of(node.graph(), nodes);
  const Shape& inner = node.graph().value(nodes[0]->outputs[0]).shape;
  WrittenAttributes attributes = {{"blocksize", inner[static_cast<int>(form.blocks[0])]}};
  if (form.mode != nullptr) attributes.emplace_back("mode", form.mode);
  return {{nodes[2], node.write(form.op_type, {node.input(0)}, std::move(attributes))}};
}

size_t rearrangement_size(const Graph& graph, Nodes nodes) { return rearrangement_of(graph, nodes) == nullptr ? 0 : 3; }

struct WholeForm {
  size_t (*size)(const Graph& graph, Nodes nodes);
  std::vector<WholeResult> (*write)(NodeWriter& node, Nodes nodes);
};
constexpr WholeForm kWholeForms[] = {
    {mat_mul_size, write_mat_mul_of_rows},
    {split_size, write_split},
    {rearrangement_size, write_rearrangement},
};

}  // namespace

size_t whole_operator_size(const Graph& graph, Nodes nodes) {
  for (const WholeForm& form : kWholeForms)
    if (const size_t size = form.size(graph, nodes); size > 0) return size;
  return 0;
}

std::vector<WholeResult> write_whole_operator(NodeWriter& node, Nodes nodes) {
  for (const WholeForm& form : kWholeForms)
    if (form.size(node.graph(), nodes) == nodes.size()) return form.write(node, nodes);
  return {};
}

}  // namespace nestrt::compiler
