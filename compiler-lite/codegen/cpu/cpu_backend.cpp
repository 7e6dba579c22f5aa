#include "compiler-lite/codegen/cpu/cpu_backend.h"

#include <fmt/core.h>

#include <utility>

#include "compiler-lite/codegen/cpu/layout_options.h"
#include "compiler-lite/codegen/cpu/pack_weights.h"
#include "compiler-lite/graph/bound_operator.h"
#include "kernels/registry.h"

namespace nestrt::compiler {
namespace {

class CpuBackend final : public Backend {
 public:
  CpuBackend(std::vector<InstructionSet> sets, int64_t cache_bytes)
      : sets_(std::move(sets)), cache_bytes_(cache_bytes), packer_(sets_) {}

  std::string unit() const override { return "cpu"; }
  std::string program_configuration() const override { return {}; }
  bool is_host() const override { return true; }
  int64_t cache_bytes() const override { return cache_bytes_; }

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
          return Status(Code::kUnsupported, fmt::format("node '{}' ({}): no kernel takes its types and layouts",
                                                        node->name, ops::name(node->kind())));
    }
    return {};
  }

  Result<Offer> lower(Graph& graph, Subgraph nodes) override {
    Offer offer;
    offer.program.emplace(plan::ProgramKind::kKernels);
    for (const InstructionSet set : sets_) offer.program->selections.push_back({set, {}, {}});
    for (const auto& node : nodes) {
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
  const std::vector<InstructionSet> sets_;
  const int64_t cache_bytes_;
  WeightPacker packer_;
};

}  // namespace

std::shared_ptr<Backend> make_cpu_backend(std::vector<InstructionSet> sets, int64_t cache_bytes) {
  return std::make_shared<CpuBackend>(std::move(sets), cache_bytes);
}

}  // namespace nestrt::compiler
