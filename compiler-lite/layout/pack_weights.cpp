#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/layout/layout.h"
#include "kernels/common/packing.h"
#include "kernels/registry.h"
#include "runtime/plan/packing_size.h"

namespace nestrt::compiler {
namespace {

using plan::Packing;

constexpr size_t kWeights = 1;
constexpr Packing kPackings[] = {Packing::o16i16,   Packing::stem16,  Packing::depthwise16,    Packing::panel16,
                                 Packing::s8_o16i4, Packing::s8_stem, Packing::s8_depthwise16, Packing::s8_panel};

using Packed = std::shared_ptr<const Bytes>;

template <typename T>
Packed pack_as(const Value& weights, Packing packing, int64_t bytes) {
  auto packed = std::make_shared<Bytes>(static_cast<size_t>(bytes));
  kernels::pack_weights(packing, weights.shape, weights.data<T>(), reinterpret_cast<T*>(packed->data()));
  return packed;
}

Packed pack(const Value& weights, Packing packing) {
  const int64_t bytes = kernels::packed_bytes(packing, weights.shape);
  if (packed_type(packing) != weights.type || bytes < 0) return nullptr;
  return weights.type == DataType::kS8 ? pack_as<int8_t>(weights, packing, bytes)
                                       : pack_as<float>(weights, packing, bytes);
}

// The node's kernel if its weights were so: what it is, and whether it would pack them again.
struct Trial {
  const KernelVariant* variant = nullptr;
  bool repacks = true;
};

Trial try_packing(const BoundOperator& bound, Packing packing, const std::byte* weights) {
  std::vector<TensorSpec> inputs(bound.spec().inputs.begin(), bound.spec().inputs.end());
  inputs[kWeights].packing = packing;
  inputs[kWeights].constant = weights;
  OperatorSpec spec = bound.spec();
  spec.inputs = inputs;
  Trial trial;
  trial.variant = kernels::registry().select(spec);
  if (trial.variant == nullptr) return trial;
  const auto kernel = trial.variant->prepare(spec);
  trial.repacks = !kernel || (*kernel)->repacked();
  return trial;
}

bool has_plain_weights(const Graph& graph, const Node& node) {
  const bool candidate =
      node.as<plan::ConvT>() || node.as<plan::ConvTransposeT>() || node.as<plan::DenseT>() || node.as<plan::MatMulT>();
  if (!candidate || node.input(kWeights) == kNoValue) return false;
  const Value& weights = graph.value(node.inputs[kWeights]);
  const bool packable = weights.type == DataType::kF32 || weights.type == DataType::kS8;
  return weights.is_constant() && packable && weights.packing == Packing::none;
}

class Packer {
 public:
  explicit Packer(Graph& graph) : graph_(graph) {}

  // Finds the packing with which the node's kernel uses the weights in place. The kernels say so themselves: there is
  // no second table that could disagree with theirs.
  void run(Node* node) {
    const ValueId weights = node->inputs[kWeights];
    std::optional<std::pair<Packing, Packed>> found;
    {
      const BoundOperator bound(graph_, *node);
      const Trial plain = try_packing(bound, Packing::none, graph_.value(weights).constant->data());
      if (plain.variant == nullptr || !plain.repacks) return;
      for (const Packing packing : kPackings) {
        const Packed packed = packed_once(weights, packing);
        if (packed == nullptr) continue;
        const Trial trial = try_packing(bound, packing, packed->data());
        if (trial.variant != plain.variant || trial.repacks) continue;
        found.emplace(packing, packed);
        break;
      }
    }
    if (found) graph_.set_input(node, kWeights, value_of(weights, found->first, found->second));
  }
  int count() const { return static_cast<int>(values_.size()); }

 private:
  using Key = std::pair<ValueId, Packing>;

  Packed packed_once(ValueId weights, Packing packing) {
    const auto known = values_.find(Key(weights, packing));
    return known != values_.end() ? graph_.value(known->second).constant : pack(graph_.value(weights), packing);
  }

  ValueId value_of(ValueId weights, Packing packing, const Packed& packed) {
    const auto [entry, is_new] = values_.emplace(Key(weights, packing), kNoValue);
    if (is_new) {
      Value value = graph_.value(weights);
      value.packing = packing;
      value.constant = packed;
      entry->second = graph_.add_value(std::move(value));
    }
    return entry->second;
  }

  Graph& graph_;
  std::map<Key, ValueId> values_;
};

}  // namespace

Result<int> pack_weights(Graph& graph) {
  Packer packer(graph);
  for (const auto& node : graph.nodes())
    if (has_plain_weights(graph, *node)) packer.run(node.get());
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const ValueId id = static_cast<ValueId>(i);
    if (graph.value(id).is_constant() && graph.users(id).empty() && !graph.is_output(id))
      graph.value(id).constant = nullptr;
  }
  return packer.count();
}

}  // namespace nestrt::compiler
