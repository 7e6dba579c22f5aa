// SPDX-License-Identifier: Apache-2.0
// Dense layers whose weights were dequantized (by DequantizeLinear of a constant) become MatMulNBits: the plan stores
// the integers in as few bits as they need, and kernels use them directly. Runs after fuse_qdq, which needs the weights
// of layers with quantized inputs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "compiler-lite/graph/packed_bits.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

// Returns the parameters of a dequantized matrix [inner, columns] as blocks along `inner`, or nullopt.
std::optional<BlockQuantization> blocks_of(const Value& weights) {
  if (weights.source_blocks != nullptr)
    return weights.source_blocks->axis == 0 ? std::optional(*weights.source_blocks) : std::nullopt;
  if (!weights.source_quantization) return std::nullopt;
  const plan::Quantization& source = *weights.source_quantization;
  const auto columns = static_cast<size_t>(weights.shape[1]);
  const bool is_single = source.scales.size() == 1;
  if (!is_single && (source.axis != 1 || source.scales.size() != columns)) return std::nullopt;
  BlockQuantization result;
  result.block = weights.shape[0];
  result.shape = {1, weights.shape[1]};
  result.scales = is_single ? std::vector<float>(columns, source.scales[0]) : source.scales;
  result.zero_points.assign(columns, 0);
  for (size_t n = 0; n < columns && !source.zero_points.empty(); ++n)
    result.zero_points[n] = source.zero_points[is_single ? 0 : n];
  return result;
}

class IntegerWeightKeeper {
 public:
  explicit IntegerWeightKeeper(Graph& graph) : graph_(graph) {}

  Result<bool> keep(Node* node) {
    const auto* dense = node->as<ops::Dense>();
    if (dense == nullptr || floats(graph_, node->input(kWeights)).empty()) return false;
    if (node->input(kBias) != kNoValue && floats(graph_, node->input(kBias)).empty()) return false;
    const auto matrix = matrix_of(graph_.value(node->inputs[kWeights]));
    if (!matrix) return false;
    std::vector<ValueId> inputs = {node->inputs[0]};
    for (const ValueId id : packed(node->inputs[kWeights], *matrix)) inputs.push_back(id);
    if (node->input(kBias) != kNoValue) {
      inputs.resize(4, kNoValue);
      inputs.push_back(node->inputs[kBias]);
    }
    return replace_dense(node, dense->activation, *matrix, inputs);
  }

 private:
  // Recovers the integers. Returns nullopt if they need more than 8 bits.
  std::optional<BitMatrix> matrix_of(const Value& weights) const {
    const auto blocks = blocks_of(weights);
    if (!blocks || weights.shape.num_elements() == 0) return std::nullopt;
    BitMatrix m;
    m.inner = weights.shape[0];
    m.columns = weights.shape[1];
    m.block = blocks->block;
    m.scales = blocks->scales;
    std::vector<int32_t> integers(static_cast<size_t>(m.inner * m.columns));
    int32_t low = std::numeric_limits<int32_t>::max(), high = std::numeric_limits<int32_t>::min();
    const auto widen = [&](int32_t q) {
      low = std::min(low, q);
      high = std::max(high, q);
    };
    for (size_t i = 0; i < integers.size(); ++i) {
      const auto k = static_cast<int64_t>(i) / m.columns, n = static_cast<int64_t>(i) % m.columns;
      const auto entry = static_cast<size_t>(k / m.block * m.columns + n);
      const float scale = blocks->scales[entry], weight = weights.data<float>()[i];
      const float steps = scale == 0 ? 0.0f : std::nearbyint(weight / scale);
      if (!(std::abs(steps) <= 255) || steps * scale != weight) return std::nullopt;
      integers[i] = static_cast<int32_t>(steps) + blocks->zero_points[entry];
      widen(integers[i]);
    }
    std::for_each(blocks->zero_points.begin(), blocks->zero_points.end(), widen);
    return set_integers(m, integers, blocks->zero_points, low, high) ? std::optional(std::move(m)) : std::nullopt;
  }

  // Chooses the number of bits and offsets signed integers to make them unsigned. Returns false if 8 bits are not
  // enough.
  static bool set_integers(BitMatrix& m, const std::vector<int32_t>& integers, const std::vector<int32_t>& zero_points,
                           int32_t low, int32_t high) {
    for (m.bits = 2; m.bits <= 8; m.bits *= 2) {
      const int32_t offset = low < 0 ? 1 << (m.bits - 1) : 0, per_byte = 8 / m.bits;
      if (low + offset < 0 || high + offset >= 1 << m.bits) continue;
      if (m.block % per_byte != 0 && m.block < m.inner) continue;
      m.block = (m.block + per_byte - 1) / per_byte * per_byte;
      for (const int32_t q : integers) m.integers.push_back(static_cast<uint8_t>(q + offset));
      for (const int32_t zero : zero_points) m.zero_points.push_back(static_cast<float>(zero + offset));
      return true;
    }
    return false;
  }

  // Returns the packed constants of a matrix, which several layers may share.
  const std::vector<ValueId>& packed(ValueId weights, const BitMatrix& matrix) {
    std::vector<ValueId>& ids = packed_[weights];
    if (!ids.empty()) return ids;
    const std::string name = graph_.value(weights).name;
    PackedBits bits = pack_bits(matrix);
    const auto add = [&](const char* suffix, DataType type, const Shape& shape, Bytes elements) {
      ids.push_back(graph_.add_constant(name + suffix, type, shape, std::move(elements)));
    };
    add(".packed", DataType::kU8, bits.weights_shape, std::move(bits.weights));
    add(".scales", DataType::kF32, bits.by_block, std::move(bits.scales));
    if (!bits.zero_points.empty()) add(".zero_points", bits.zero_type, bits.by_block, std::move(bits.zero_points));
    return ids;
  }

  Result<bool> replace_dense(Node* node, const ops::Activation& activation, const BitMatrix& matrix,
                             const std::vector<ValueId>& inputs) {
    const ops::MatMulNBits product{.bits = matrix.bits,
                                   .block = static_cast<int32_t>(matrix.block),
                                   .columns = static_cast<int32_t>(matrix.columns)};
    if (activation.kind == ops::ActivationKind::kNone) {
      NESTRT_RETURN_IF_ERROR(replace(graph_, node, product, inputs).error());
      return true;
    }
    const std::string name = graph_.value(node->outputs[0]).name + ".product";
    NESTRT_ASSIGN_OR_RETURN(const Node* sums, graph_.add_node(node->name, product, inputs, {name}));
    node->name += ".activation";
    NESTRT_RETURN_IF_ERROR(replace(graph_, node, as_unary(activation), {sums->outputs[0]}).error());
    return true;
  }

  Graph& graph_;
  std::unordered_map<ValueId, std::vector<ValueId>> packed_;
};

}  // namespace

Result<int> keep_integer_weights(Graph& graph) {
  int changes = 0;
  IntegerWeightKeeper keeper(graph);
  for (Node* node : snapshot(graph)) {
    if (!is_used(graph, *node)) continue;
    NESTRT_ASSIGN_OR_RETURN(const bool changed, keeper.keep(node));
    changes += changed;
  }
  for (size_t i = 0; i < graph.num_values(); ++i) {
    graph.value(static_cast<ValueId>(i)).source_quantization.reset();
    graph.value(static_cast<ValueId>(i)).source_blocks.reset();
  }
  graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
