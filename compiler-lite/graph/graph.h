// SPDX-License-Identifier: Apache-2.0
// Graph: the compiler's representation of a network. Nodes are operators of the plan (nestrt/driver/operators.h);
// values are the tensors between them. All shapes are static. Every value has a type and a shape as soon as the node
// that computes it is added.
//
// Order: nodes() is topological. Passes may break the order between two calls of tidy(), which restores it.
// Threading: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler-lite/graph/bytes.h"
#include "compiler-lite/graph/folding_budget.h"
#include "compiler-lite/graph/output_list.h"
#include "nestrt/data_type.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/preprocessing.h"
#include "nestrt/result.h"
#include "nestrt/shape.h"
#include "runtime/kernel/packing.h"

namespace nestrt::compiler {

inline constexpr ValueId kNoValue = -1;  // an absent optional input

// Parameters of a BatchNormalization in the model, by channel.
struct BatchNormalization {
  std::vector<float> scale, bias, mean, variance;
  float epsilon = 0;
};

// The parameters from which a constant matrix was dequantized: (q - zero point) * scale.
struct BlockQuantization {
  int axis = 0;       // along which `block` adjacent elements share parameters
  int64_t block = 0;  // the last block may have fewer elements
  Shape shape;        // shape of the lists: the matrix's shape with blocks instead of elements along `axis`
  std::vector<float> scales;
  std::vector<int32_t> zero_points;
};

// The integers that a type can represent.
struct IntegerRange {
  int32_t low = 0;
  int32_t high = 0;
};

struct Value {
  std::string name;
  // Name of the model's value that contains the same elements in another order or shape; empty if this is the model's
  // value.
  std::string same_elements_as;
  DataType type = DataType::kF32;
  Shape shape;
  Layout layout = Layout::kPlain;
  Packing packing = Packing::kNone;
  std::optional<plan::Quantization> quantization;  // empty for real-valued tensors
  // Quantization from which an f32 constant was dequantized; it recovers the model's integers.
  std::optional<plan::Quantization> source_quantization;
  std::shared_ptr<const BlockQuantization> source_blocks;  // same as source_quantization, for quantization by block
  // Range of the model's type if `type` is wider: int4, uint16.
  std::optional<IntegerRange> stated_range;
  // The BatchNormalization from which these factors per channel were computed, if any.
  std::shared_ptr<const BatchNormalization> source_normalization;
  std::shared_ptr<const Bytes> constant;  // null if the value is not known at compile time

  bool is_constant() const { return constant != nullptr; }
  template <typename T>
  const T* data() const {
    return reinterpret_cast<const T*>(constant->data());
  }
};

// Returns the value's name in the model and in its quantization profile.
inline const std::string& original_name(const Value& value) {
  return value.same_elements_as.empty() ? value.name : value.same_elements_as;
}

struct Node {
  std::string name;
  ops::Attributes attributes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;

  ops::Kind kind() const { return ops::kind_of(attributes); }
  // Returns null if the node is of another kind. Example: node.as<ops::Conv>().
  template <typename Op>
  Op* as() {
    return std::get_if<Op>(&attributes);
  }
  template <typename Op>
  const Op* as() const {
    return std::get_if<Op>(&attributes);
  }
  ValueId input(size_t index) const { return index < inputs.size() ? inputs[index] : kNoValue; }
};

struct GraphInput {
  ValueId value = kNoValue;
  std::optional<Preprocessing> preprocessing;
};

class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;
  // Returns a copy with shared constants, for trial rewrites. ValueIds stay the same, Node pointers do not.
  Graph clone() const;

  std::string name;
  std::vector<GraphInput> inputs;
  OutputList outputs;
  FoldingBudget folding;  // remaining budget
  // Rounding to power-of-two scales in the tool that quantized the model. ONNX rounds half to even.
  ops::Rounding qdq_rounding = ops::Rounding::kHalfEven;

  // --- Values ---
  size_t num_values() const { return values_.size(); }
  // The reference is invalidated by the next add_value/add_constant/add_node.
  Value& value(ValueId id) { return values_[static_cast<size_t>(id)]; }
  const Value& value(ValueId id) const { return values_[static_cast<size_t>(id)]; }
  ValueId add_value(Value value);
  // `elements`: row-major. Requires: elements.size() equals the bytes of type and shape.
  ValueId add_constant(std::string name, DataType type, const Shape& shape, Bytes elements);
  // Add a constant from numbers: add_constant("bias", std::vector<float>{...}, {4}).
  ValueId add_constant(std::string name, const std::vector<float>& elements, const Shape& shape);
  ValueId add_constant(std::string name, const std::vector<int64_t>& elements, const Shape& shape);

  // --- Nodes ---
  // Returns the live nodes, in topological order after tidy().
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  // Appends a node whose outputs are new values. Infers and checks their types and shapes.
  // Errors: kInvalidModel with the node's name and the violated rule.
  Result<Node*> add_node(std::string node_name, ops::Attributes attributes, std::vector<ValueId> node_inputs,
                         const std::vector<std::string>& output_names);
  Node* producer(ValueId id) const;                   // null for inputs and constants
  const std::vector<Node*>& users(ValueId id) const;  // one entry per use, so a node may appear twice
  bool is_output(ValueId id) const { return outputs.contains(id); }
  // Returns true if `id` feeds exactly one operand and is not a graph output, so its producer may be fused into the
  // user.
  bool has_single_use(ValueId id) const { return users(id).size() == 1 && !is_output(id); }
  void set_input(Node* node, size_t index, ValueId id);
  void add_input(Node* node, ValueId id);
  // Replaces every use of `from`, including graph outputs, with `to`.
  void replace_uses(ValueId from, ValueId to);

  // Drops nodes that no output needs and sorts the rest topologically (stable). Invalidates only pointers to dropped
  // nodes.
  void tidy();

 private:
  void forget_user(ValueId id, const Node* node);
  void drop_unneeded();

  std::vector<Value> values_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Node*> producers_;           // by value
  std::vector<std::vector<Node*>> users_;  // by value
};

}  // namespace nestrt::compiler
