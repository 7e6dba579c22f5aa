// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/cpu/pack_weights.h"

#include <algorithm>

#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/passes/product.h"
#include "kernels/common/packing/packing.h"
#include "kernels/registry.h"

namespace nestrt::compiler {
namespace {

// An alternative's weights may add at most 1 / kSmallPart of the bytes that the plan already stores.
constexpr int64_t kSmallPart = 4;

template <typename T>
std::shared_ptr<const Bytes> pack_as(const Value& weights, Packing packing, int64_t bytes) {
  auto packed = std::make_shared<Bytes>(static_cast<size_t>(bytes));
  kernels::pack_weights(packing, weights.shape, weights.data<T>(), reinterpret_cast<T*>(packed->data()));
  return packed;
}

// Returns null if weights of this type and shape do not support the packing.
std::shared_ptr<const Bytes> pack_bytes(const Value& weights, Packing packing) {
  const int64_t bytes = kernels::packed_bytes(packing, weights.shape);
  if (packed_type(packing) != weights.type || bytes < 0) return nullptr;
  return weights.type == DataType::kS8 ? pack_as<int8_t>(weights, packing, bytes)
                                       : pack_as<float>(weights, packing, bytes);
}

bool has_plain_weights(const Graph& graph, const Node& node) {
  if (node.input(kWeights) == kNoValue) return false;
  const Value& weights = graph.value(node.inputs[kWeights]);
  return weights.is_constant() && weights.packing == Packing::kNone;
}

}  // namespace

ValueId WeightPacker::packed(Graph& graph, ValueId weights, Packing packing) {
  const auto [entry, is_new] = packed_.emplace(Key(weights, packing), kNoValue);
  if (!is_new) return entry->second;
  Value value = graph.value(weights);
  value.packing = packing;
  value.constant = pack_bytes(value, packing);
  if (value.constant != nullptr) entry->second = graph.add_value(std::move(value));
  return entry->second;
}

// Returns the packings of the selected kernels, by instruction set.
std::vector<Packing> WeightPacker::packings(const Graph& graph, const Node& node) const {
  std::vector<Packing> packings;
  const BoundOperator bound(graph, node);
  for (const InstructionSet set : sets_) packings.push_back(kernels::operators().select(bound.spec(), set)->packing);
  // A CPU without AVX2 repacks the weights of other sets, because a separate copy for it would only enlarge the plan.
  if (sets_.size() > 1 && sets_[0] == InstructionSet::kPortable && packings[1] == Packing::kWinograd16)
    packings[0] = packings[1];
  return packings;
}

ValueId WeightPacker::for_alternative(Graph& graph, const Node& node, size_t set, Packing packing) {
  if (!has_plain_weights(graph, node)) return kNoValue;
  const std::vector<Packing> chosen = packings(graph, node);
  if (packing == Packing::kNone || packing == chosen[0]) return kNoValue;
  const ValueId plain = node.input(kWeights);
  const Shape& shape = graph.value(plain).shape;
  const bool is_small = kernels::packed_bytes(packing, shape) * kSmallPart <= kernels::packed_bytes(chosen[set], shape);
  const bool is_there = std::find(chosen.begin(), chosen.end(), packing) != chosen.end();
  return is_small || is_there ? packed(graph, plain, packing) : kNoValue;
}

std::vector<ValueId> WeightPacker::pack(Graph& graph, Node* node) {
  std::vector<ValueId> others(sets_.size(), kNoValue);
  if (!has_plain_weights(graph, *node)) return others;
  const std::vector<Packing> packings = this->packings(graph, *node);
  const ValueId plain = node->inputs[kWeights];
  for (size_t i = 0; i < sets_.size(); ++i) {
    const ValueId weights = packings[i] == Packing::kNone ? plain : packed(graph, plain, packings[i]);
    if (i == 0 && weights != kNoValue) graph.set_input(node, kWeights, weights);
    if (i > 0 && weights != kNoValue && weights != node->inputs[kWeights]) others[i] = weights;
  }
  const bool is_read = std::find(others.begin(), others.end(), plain) != others.end() || graph.is_output(plain);
  if (graph.users(plain).empty() && !is_read) graph.value(plain).constant = nullptr;
  return others;
}

}  // namespace nestrt::compiler
