// SPDX-License-Identifier: Apache-2.0
// Dynamically quantized products, as ONNX expresses them:
//
//   Mul(Cast(product of integers), scales)    the product with scales, whose result is f32
//   Add(product with scales, constant bias)   the product with scales and bias
//
// The scales are one number or one per column (output channel). If the scales are themselves a product, the factor with
// one element is the scale of the first operand. The order of the f32 operations stays the same.
#include <array>
#include <utility>

#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

constexpr size_t kScaleInputA = 4, kScaleInputB = 5, kBiasInput = 6;  // inputs of MatMulInteger and ConvInteger

bool is_integer_product(const Node& node) {
  return node.as<ops::MatMulInteger>() != nullptr || node.as<ops::ConvInteger>() != nullptr;
}

class ScaleFuser {
 public:
  explicit ScaleFuser(Graph& graph) : graph_(graph) {}

  Result<bool> fuse(Node* node) {
    const auto* binary = node->as<ops::Binary>();
    if (binary == nullptr || binary->activation.kind != ops::ActivationKind::kNone) return false;
    for (const size_t index : {size_t{0}, size_t{1}}) {
      NESTRT_ASSIGN_OR_RETURN(const bool changed, binary->kind == ops::BinaryKind::kMul   ? fuse_scale(node, index)
                                                  : binary->kind == ops::BinaryKind::kAdd ? fuse_bias(node, index)
                                                                                          : Result<bool>(false));
      if (changed) return true;
    }
    return false;
  }

 private:
  // Returns the integer product that a Cast to f32 turns into operand `index` of the node, or null.
  Node* cast_product(const Node& node, size_t index) const {
    const Node* cast = sole_producer<ops::Cast>(graph_, node, index);
    if (cast == nullptr || cast->as<ops::Cast>()->to != DataType::kF32) return nullptr;
    const ValueId integers = cast->inputs[0];
    Node* product = graph_.producer(integers);
    const bool fits = product != nullptr && is_integer_product(*product) && graph_.has_single_use(integers) &&
                      product->input(kScaleInputB) == kNoValue;
    return fits ? product : nullptr;
  }

  // Returns the number of columns of a product and their axis, counted from the end.
  std::pair<int64_t, int> columns_of(const Node& product) const {
    const Shape& shape = graph_.value(product.outputs[0]).shape;
    if (product.as<ops::ConvInteger>() != nullptr) return {shape[1], shape.rank() - 1};
    const bool is_column = graph_.value(product.inputs[1]).shape.rank() < 2;
    return is_column ? std::pair<int64_t, int>{1, 1} : std::pair<int64_t, int>{shape[shape.rank() - 1], 1};
  }

  // Returns true if a tensor contains one number, or one per column, and broadcasts to the result without enlarging it.
  bool fits_columns(const Node& product, ValueId id) const {
    const Value& value = graph_.value(id);
    if (value.type != DataType::kF32 || value.shape.rank() > graph_.value(product.outputs[0]).shape.rank())
      return false;
    if (value.shape.num_elements() == 1) return true;
    const auto [count, from_end] = columns_of(product);
    const int axis = value.shape.rank() - from_end;
    return value.shape.num_elements() == count && axis >= 0 && value.shape[axis] == count;
  }

  // Returns the numbers as a scalar or a vector.
  Result<ValueId> flattened(ValueId id) {
    const Value value = graph_.value(id);
    const int64_t count = value.shape.num_elements();
    const Shape shape = count == 1 ? Shape() : Shape{count};
    if (value.shape == shape) return id;
    if (value.is_constant()) {
      Value flat = value;
      flat.name = value.name + ".flat";
      flat.shape = shape;
      flat.source_quantization.reset();
      flat.source_blocks.reset();
      return graph_.add_value(std::move(flat));
    }
    NESTRT_ASSIGN_OR_RETURN(const Node* node,
                            graph_.add_node(value.name + ".flat", ops::Reshape{.shape = {shape.begin(), shape.end()}},
                                            {id}, {value.name + ".flat"}));
    return node->outputs[0];
  }

  // Returns the scales of the operands whose product is `scales`.
  std::array<ValueId, 2> factors_of(const Node& product, ValueId scales) const {
    const Node* node = graph_.producer(scales);
    const auto* mul = node == nullptr ? nullptr : node->as<ops::Binary>();
    if (mul == nullptr || mul->kind != ops::BinaryKind::kMul || mul->activation.kind != ops::ActivationKind::kNone)
      return {kNoValue, scales};
    for (const size_t index : {size_t{0}, size_t{1}}) {
      const ValueId one = node->inputs[index], other = node->inputs[1 - index];
      if (graph_.value(one).shape.num_elements() == 1 && fits_columns(product, one) && fits_columns(product, other))
        return {one, other};
    }
    return {kNoValue, scales};
  }

  Result<bool> fuse_scale(Node* node, size_t index) {
    Node* product = cast_product(*node, index);
    const ValueId scales = node->inputs[1 - index];
    if (product == nullptr || !fits_columns(*product, scales)) return false;
    auto [scale_a, scale_b] = factors_of(*product, scales);
    std::vector<ValueId> inputs = product->inputs;
    inputs.resize(kBiasInput, kNoValue);
    inputs[kScaleInputA] =
        scale_a == kNoValue ? graph_.add_constant(node->name + ".one", std::vector<float>{1}, Shape()) : scale_a;
    NESTRT_ASSIGN_OR_RETURN(inputs[kScaleInputA], flattened(inputs[kScaleInputA]));
    NESTRT_ASSIGN_OR_RETURN(inputs[kScaleInputB], flattened(scale_b));
    return take_over(node, *product, std::move(inputs));
  }

  Result<bool> fuse_bias(Node* node, size_t index) {
    const ValueId id = node->inputs[index];
    Node* product = graph_.producer(id);
    if (product == nullptr || !is_integer_product(*product) || !graph_.has_single_use(id)) return false;
    const ValueId bias = node->inputs[1 - index];
    const int64_t columns = columns_of(*product).first;
    const bool fits = product->input(kScaleInputB) != kNoValue && product->input(kBiasInput) == kNoValue &&
                      graph_.value(bias).is_constant() && fits_columns(*product, bias) &&
                      graph_.value(bias).shape.num_elements() == columns;
    if (!fits) return false;
    std::vector<ValueId> inputs = product->inputs;
    inputs.resize(kBiasInput + 1, kNoValue);
    NESTRT_ASSIGN_OR_RETURN(inputs[kBiasInput], flattened(bias));
    if (columns == 1)
      inputs[kBiasInput] = graph_.add_constant(node->name + ".bias", as_vector(inputs[kBiasInput]), {1});
    return take_over(node, *product, std::move(inputs));
  }

  std::vector<float> as_vector(ValueId id) const {
    const std::span<const float> elements = floats(graph_, id);
    return {elements.begin(), elements.end()};
  }

  // Replaces `node` by the integer product with these inputs.
  Result<bool> take_over(Node* node, const Node& product, std::vector<ValueId> inputs) {
    if (graph_.value(node->outputs[0]).shape != graph_.value(product.outputs[0]).shape) return false;
    node->name = product.name;
    NESTRT_RETURN_IF_ERROR(replace(graph_, node, product.attributes, inputs).error());
    return true;
  }

  Graph& graph_;
};

}  // namespace

Result<int> fuse_scales(Graph& graph) {
  int changes = 0;
  ScaleFuser fuser(graph);
  for (Node* node : snapshot(graph)) {
    if (!is_used(graph, *node)) continue;
    NESTRT_ASSIGN_OR_RETURN(const bool changed, fuser.fuse(node));
    changes += changed;
  }
  if (changes != 0) graph.tidy();
  return changes;
}

}  // namespace nestrt::compiler
