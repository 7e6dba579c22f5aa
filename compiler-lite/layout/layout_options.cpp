#include "compiler-lite/layout/layout_options.h"

#include <algorithm>
#include <optional>

#include "compiler-lite/graph/bound_operator.h"
#include "kernels/conv/conv.h"
#include "kernels/registry.h"

namespace nestrt::compiler {
namespace {

// The node under the option, as kernels would see it.
std::optional<LayoutOption> accepted(const BoundOperator& bound, LayoutOption option) {
  std::vector<TensorSpec> inputs(bound.spec().inputs.begin(), bound.spec().inputs.end());
  std::vector<TensorSpec> outputs(bound.spec().outputs.begin(), bound.spec().outputs.end());
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i].layout = option.inputs[i];
  for (TensorSpec& output : outputs) output.layout = option.output;
  OperatorSpec spec = bound.spec();
  spec.inputs = inputs;
  spec.outputs = outputs;
  const KernelVariant* variant = kernels::registry().select(spec);
  if (variant == nullptr) return std::nullopt;
  option.reference = variant->preference == 0;
  return option;
}

// The operands with a choice.
std::vector<size_t> free_inputs(const Graph& graph, const Node& node) {
  std::vector<size_t> result;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i] != kNoValue && can_be_blocked(graph.value(node.inputs[i]))) result.push_back(i);
  return result;
}

// All operands alike, and both mixtures where there are two of them.
std::vector<std::vector<Layout>> input_patterns(size_t operands, const std::vector<size_t>& free) {
  std::vector<Layout> plain(operands, Layout::kPlain), blocked = plain;
  for (size_t i : free) blocked[i] = Layout::kBlocked16;
  std::vector<std::vector<Layout>> patterns = {plain};
  if (!free.empty()) patterns.push_back(blocked);
  if (free.size() == 2) {
    for (size_t i : free) {
      patterns.push_back(plain);
      patterns.back()[i] = Layout::kBlocked16;
    }
  }
  return patterns;
}

// What the fastest kernel of a Conv wants; a residual lies as the output does.
std::optional<LayoutOption> conv_option(const Graph& graph, const Node& node, const BoundOperator& bound) {
  constexpr size_t kResidual = 3;
  const kernels::ConvPlan preferred = kernels::preferred_conv(bound.spec());
  LayoutOption option;
  option.inputs.assign(node.inputs.size(), Layout::kPlain);
  option.inputs[0] = preferred.input;
  if (node.input(kResidual) != kNoValue) {
    if (!can_be_blocked(graph.value(node.inputs[kResidual])) && preferred.output != Layout::kPlain) return std::nullopt;
    option.inputs[kResidual] = preferred.output;
  }
  option.output = preferred.output;
  return accepted(bound, option);
}

}  // namespace

bool can_be_blocked(const Value& value) {
  return value.type == DataType::kF32 && value.shape.rank() >= 3 && !value.is_constant() &&
         value.shape.num_elements() > 0;
}

std::vector<LayoutOption> layout_options(const Graph& graph, const Node& node) {
  const BoundOperator bound(graph, node);
  if (node.as<plan::ConvT>() != nullptr) {
    if (const auto option = conv_option(graph, node, bound)) return {*option};
  }
  const bool free_output = std::all_of(node.outputs.begin(), node.outputs.end(),
                                       [&](ValueId id) { return can_be_blocked(graph.value(id)); });
  std::vector<LayoutOption> options;
  for (const std::vector<Layout>& inputs : input_patterns(node.inputs.size(), free_inputs(graph, node))) {
    for (const Layout output : {Layout::kPlain, Layout::kBlocked16}) {
      if (output != Layout::kPlain && !free_output) continue;
      if (const auto option = accepted(bound, {inputs, output, false})) options.push_back(*option);
    }
  }
  return options;
}

}  // namespace nestrt::compiler
