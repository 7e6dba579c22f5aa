// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/cpu/layout_options.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "compiler-lite/graph/bound_operator.h"
#include "kernels/registry.h"

namespace nestrt::compiler {
namespace {

// Slowdown of a reference kernel if a faster kernel exists.
constexpr int64_t kReferenceSlowdown = 8;
// Slowdown of an integer Conv that gathers its inputs one by one.
constexpr int64_t kGatherSlowdown = 8;
constexpr int kGatherPreference = 10;  // kernel preference of conv.s8.gather
// Slowdown of a Conv that does not use its fastest algorithm. It costs more than the Reorders around a single Conv.
constexpr int64_t kConvSlowdown = 4;

struct Candidate {
  LayoutOption option;
  int preference = 0;  // preference of the kernel
};

// Returns the option with the lowest kernel preference over `sets`, or nullopt if a set has no kernel for it.
std::optional<Candidate> accepted(const BoundOperator& bound, LayoutOption option,
                                  const std::vector<InstructionSet>& sets) {
  std::vector<TensorSpec> inputs(bound.spec().inputs.begin(), bound.spec().inputs.end());
  std::vector<TensorSpec> outputs(bound.spec().outputs.begin(), bound.spec().outputs.end());
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i].layout = option.inputs[i];
  for (TensorSpec& output : outputs) output.layout = option.output;
  OperatorSpec spec = bound.spec();
  spec.inputs = inputs;
  spec.outputs = outputs;
  Candidate candidate{std::move(option), std::numeric_limits<int>::max()};
  for (const InstructionSet set : sets) {
    const KernelVariant* const variant = kernels::operators().select(spec, set);
    if (variant == nullptr) return std::nullopt;
    candidate.preference = std::min(candidate.preference, variant->preference);
  }
  return candidate;
}

// Returns the operands whose layout can be chosen.
std::vector<size_t> free_inputs(const Graph& graph, const Node& node) {
  std::vector<size_t> result;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i] != kNoValue && can_be_blocked(graph.value(node.inputs[i]))) result.push_back(i);
  return result;
}

constexpr Layout kFolded[] = {Layout::kFolded2, Layout::kFolded4, Layout::kFolded8};

bool can_be_folded(const Value& value) {
  return value.type == DataType::kS8 && value.shape.rank() == 4 && can_be_blocked(value);
}

// Returns the layouts to try: all operands plain, all blocked, the two mixed combinations if there are exactly two
// operands, and folded images for a Conv.
std::vector<std::vector<Layout>> input_patterns(const Graph& graph, const Node& node, const std::vector<size_t>& free) {
  std::vector<Layout> plain(node.inputs.size(), Layout::kPlain), blocked = plain;
  for (size_t i : free) blocked[i] = Layout::kBlocked16;
  std::vector<std::vector<Layout>> patterns = {plain};
  if (!free.empty()) patterns.push_back(blocked);
  if (free.size() == 2) {
    for (size_t i : free) {
      patterns.push_back(plain);
      patterns.back()[i] = Layout::kBlocked16;
    }
  }
  if (node.as<ops::Conv>() != nullptr && can_be_folded(graph.value(node.inputs[0]))) {
    for (const Layout layout : kFolded) {
      patterns.push_back(blocked);
      patterns.back()[0] = layout;
    }
  }
  return patterns;
}

std::vector<Layout> output_layouts(const Graph& graph, const Node& node) {
  std::vector<Layout> layouts = {Layout::kPlain};
  if (std::all_of(node.outputs.begin(), node.outputs.end(),
                  [&](ValueId id) { return can_be_blocked(graph.value(id)); }))
    layouts.push_back(Layout::kBlocked16);
  if (node.as<ops::Quantize>() != nullptr && can_be_folded(graph.value(node.outputs[0])))
    layouts.insert(layouts.end(), std::begin(kFolded), std::end(kFolded));
  return layouts;
}

// Returns the slowdown of a kernel. Preferences order the algorithms of a Conv. For other operators they only order
// variants of the same layouts.
int64_t slowdown(const Graph& graph, const Node& node, int preference, int best) {
  if (preference == best) return 1;
  if (preference == 0) return kReferenceSlowdown;
  if (node.as<ops::Conv>() == nullptr) return 1;
  const Value& input = graph.value(node.inputs[0]);
  const bool gathers = input.type == DataType::kS8 && preference <= kGatherPreference;
  return gathers && input.quantization && !input.quantization->scales.empty() ? kGatherSlowdown : kConvSlowdown;
}

}  // namespace

bool can_be_blocked(const Value& value) {
  return (value.type == DataType::kF32 || value.type == DataType::kS8) && value.shape.rank() >= 3 &&
         !value.is_constant() && value.shape.num_elements() > 0;
}

std::vector<LayoutOption> layout_options(const Graph& graph, const Node& node,
                                         const std::vector<InstructionSet>& sets) {
  const BoundOperator bound(graph, node);
  const std::vector<Layout> outputs = output_layouts(graph, node);
  std::vector<Candidate> candidates;
  int best = 0;
  for (const std::vector<Layout>& inputs : input_patterns(graph, node, free_inputs(graph, node))) {
    for (const Layout output : outputs) {
      const auto candidate = accepted(bound, {inputs, output}, sets);
      if (!candidate) continue;
      candidates.push_back(*candidate);
      best = std::max(best, candidate->preference);
    }
  }
  std::vector<LayoutOption> options;
  for (Candidate& candidate : candidates) {
    candidate.option.slowdown = slowdown(graph, node, candidate.preference, best);
    options.push_back(std::move(candidate.option));
  }
  return options;
}

}  // namespace nestrt::compiler
