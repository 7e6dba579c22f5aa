// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/cpu/cpu_backend.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "compiler-lite/codegen/cpu/layout_options.h"
#include "compiler-lite/codegen/cpu/pack_weights.h"
#include "compiler-lite/graph/bound_operator.h"
#include "kernels/registry.h"
#include "runtime/plan/format/format.h"

namespace nestrt::compiler {
namespace {

class CpuBackend final : public Backend {
 public:
  CpuBackend(std::vector<InstructionSet> sets, KernelAlternatives alternatives)
      : sets_(std::move(sets)), alternatives_(alternatives), packer_(sets_) {}

  std::string unit() const override { return "cpu"; }
  std::string program_configuration() const override { return {}; }
  bool is_host() const override { return true; }

  std::string configuration() const override {
    std::string result;
    for (const InstructionSet set : sets_) result.append(result.empty() ? "" : ",").append(name(set));
    return result;
  }

  std::vector<LayoutOption> layouts(const Graph& graph, const Node& node) override {
    return layout_options(graph, node, sets_);
  }

  Status accepts(const Graph& graph, Subgraph nodes) override {
    for (const auto& node : nodes) {
      const BoundOperator bound(graph, *node);
      for (const InstructionSet set : sets_)
        if (kernels::operators().select(bound.spec(), set) == nullptr)
          return Status(Code::kUnsupported, fmt::format("node '{}' ({}): no kernel supports its types and layouts",
                                                        node->name, ops::name(node->kind())));
    }
    return {};
  }

  Result<Offer> lower(Graph& graph, Subgraph nodes) override {
    Offer offer;
    offer.program.emplace(plan::ProgramKind::kKernels);
    for (const InstructionSet set : sets_) offer.program->selections.push_back({set, {}, {}});
    for (uint32_t op = 0; op < nodes.size(); ++op) {
      const auto& node = nodes[op];
      add_alternatives(graph, *node, op, offer.program->selections);
      const std::vector<ValueId> weights = packer_.pack(graph, node.get());
      const BoundOperator bound(graph, *node);
      for (size_t i = 0; i < sets_.size(); ++i) {
        SelectedKernels& selection = offer.program->selections[i];
        selection.kernels.emplace_back(kernels::operators().select(bound.spec(), sets_[i])->name);
        selection.weights.push_back(weights[i]);
      }
    }
    return offer;
  }

 private:
  void add_alternatives(Graph& graph, const Node& node, uint32_t op, std::vector<SelectedKernels>& selections) {
    for (size_t set = 0; set < sets_.size(); ++set)
      for (const KernelVariant* const other : alternatives_of(graph, node, sets_[set]))
        selections[set].alternatives.push_back(
            {op, std::string(other->name), packer_.for_alternative(graph, node, set, other->packing)});
  }

  // Sorted by descending preference. Variants that share code are listed once.
  std::vector<const KernelVariant*> alternatives_of(const Graph& graph, const Node& node, InstructionSet set) const {
    const BoundOperator bound(graph, node);
    const OperatorSpec& spec = bound.spec();
    const bool has_integers = !spec.inputs.empty() && spec.inputs[0].type == DataType::kS8;
    std::vector<const KernelVariant*> found;
    if (alternatives_ == KernelAlternatives::kNone) return found;
    if (alternatives_ == KernelAlternatives::kSameBits && !has_integers) return found;
    const KernelVariant* const chosen = kernels::operators().select(spec, set);
    for (const KernelVariant& variant : kernels::operators().find(spec.kind())->kernels.get()) {
      const bool is_known = variant.prepare == chosen->prepare || std::ranges::any_of(found, [&](const auto* other) {
                              return other->prepare == variant.prepare;
                            });
      if (is_known || variant.preference == 0 || !includes(set, variant.needs) || !variant.accepts(spec)) continue;
      found.push_back(&variant);
    }
    std::ranges::stable_sort(found, std::greater(), &KernelVariant::preference);
    found.resize(std::min(found.size(), plan_format::kMaxAlternatives));
    return found;
  }

  const std::vector<InstructionSet> sets_;
  const KernelAlternatives alternatives_;
  WeightPacker packer_;
};

}  // namespace

std::shared_ptr<Backend> make_cpu_backend(std::vector<InstructionSet> sets, KernelAlternatives alternatives) {
  return std::make_shared<CpuBackend>(std::move(sets), alternatives);
}

}  // namespace nestrt::compiler
