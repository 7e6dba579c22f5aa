#include "compiler-lite/codegen/cpu/pack_weights.h"

#include <algorithm>

#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/passes/product.h"
#include "kernels/common/packing.h"
#include "kernels/registry.h"

namespace nestrt::compiler {
namespace {

template <typename T>
std::shared_ptr<const Bytes> pack_as(const Value& weights, Packing packing, int64_t bytes) {
  auto packed = std::make_shared<Bytes>(static_cast<size_t>(bytes));
  kernels::pack_weights(packing, weights.shape, weights.data<T>(), reinterpret_cast<T*>(packed->data()));
  return packed;
}

// Null where weights of that type and shape cannot have the packing.
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

// The weights of convolutions that are one operator, each in the packing that all kernels want.
struct PartWeights {
  size_t input;
  Packing s8, f32;
};
constexpr PartWeights kSeparableWeights[] = {{1, Packing::kS8Depthwise16, Packing::kDepthwise16},
                                             {3, Packing::kS8O16i4, Packing::kO16i16},
                                             {6, Packing::kS8O16i4, Packing::kO16i16}};

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

void WeightPacker::pack_parts(Graph& graph, Node* node) {
  for (const PartWeights& part : kSeparableWeights) {
    const ValueId plain = node->input(part.input);
    if (plain == kNoValue || graph.value(plain).packing != Packing::kNone) continue;
    const ValueId weights = packed(graph, plain, graph.value(plain).type == DataType::kS8 ? part.s8 : part.f32);
    if (weights == kNoValue) continue;
    graph.set_input(node, part.input, weights);
    if (graph.users(plain).empty() && !graph.is_output(plain)) graph.value(plain).constant = nullptr;
  }
}

std::vector<ValueId> WeightPacker::pack(Graph& graph, Node* node) {
  std::vector<ValueId> others(sets_.size(), kNoValue);
  if (node->as<ops::SeparableConv>() != nullptr) {
    pack_parts(graph, node);
    return others;
  }
  if (!has_plain_weights(graph, *node)) return others;
  std::vector<Packing> packings;
  {
    const BoundOperator bound(graph, *node);
    for (const InstructionSet set : sets_) packings.push_back(kernels::operators().select(bound.spec(), set)->packing);
  }
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
