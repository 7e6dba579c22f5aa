// Graph: the compiler's network. Nodes are operators of the plan (nestrt/driver/operators.h); values are the tensors
// between them. All shapes are static: dynamic dimensions are fixed before import, and every value's type and shape is
// known from the moment its node is added.
//
// Order: nodes() is topological. Passes may break the order between two calls of tidy(), which restores it.
// Threads: none; one thread at a time.
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
#include "nestrt/driver/packing.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/preprocessing.h"
#include "nestrt/result.h"
#include "nestrt/shape.h"

namespace nestrt::compiler {

inline constexpr ValueId kNoValue = -1;  // an absent optional input

// What a model states of a BatchNormalization, by channel.
struct BatchNormalization {
  std::vector<float> scale, bias, mean, variance;
  float epsilon = 0;
};

struct Value {
  std::string name;
  // The model's value that has the same elements, in another order or shape; empty where that is this one.
  std::string same_elements_as;
  DataType type = DataType::kF32;
  Shape shape;
  Layout layout = Layout::kPlain;
  Packing packing = Packing::kInvalidIndex;
  std::optional<plan::Quantization> quantization;  // empty for real-valued tensors
  // What an f32 constant was dequantized from, so that the model's integers can be had again.
  std::optional<plan::Quantization> source_quantization;
  // Of factors per channel, what they were made of, likewise.
  std::shared_ptr<const BatchNormalization> source_normalization;
  std::shared_ptr<const Bytes> constant;  // null unless the value is known at compile time

  bool is_constant() const { return constant != nullptr; }
  template <typename T>
  const T* data() const {
    return reinterpret_cast<const T*>(constant->data());
  }
};

// By which the model, and a profile of it, knows the value's elements.
inline const std::string& original_name(const Value& value) {
  return value.same_elements_as.empty() ? value.name : value.same_elements_as;
}

struct Node {
  std::string name;
  ops::Attributes attributes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;

  ops::Kind kind() const { return ops::kind_of(attributes); }
  // Null where the node is of another kind: node.as<ops::Conv>().
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
  // The same values (constants shared) and nodes, to try a change on. ValueIds are the same, Node* are not.
  Graph clone() const;

  std::string name;
  std::vector<GraphInput> inputs;
  OutputList outputs;
  FoldingBudget folding;  // what is left of it

  // --- values ---
  size_t num_values() const { return values_.size(); }
  // The reference is invalidated by the next add_value/add_constant/add_node.
  Value& value(ValueId id) { return values_[static_cast<size_t>(id)]; }
  const Value& value(ValueId id) const { return values_[static_cast<size_t>(id)]; }
  ValueId add_value(Value value);
  // `elements` row-major; requires elements.size() == bytes of type and shape.
  ValueId add_constant(std::string name, DataType type, const Shape& shape, Bytes elements);
  // The same from numbers: add_constant("bias", std::vector<float>{...}, {4}).
  ValueId add_constant(std::string name, const std::vector<float>& elements, const Shape& shape);
  ValueId add_constant(std::string name, const std::vector<int64_t>& elements, const Shape& shape);

  // --- nodes ---
  // Live nodes, in topological order after tidy().
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  // Appends a node whose outputs are new values; infers and checks their types and shapes.
  // Errors: kInvalidModel with the node's name and the rule that was broken.
  Result<Node*> add_node(std::string node_name, ops::Attributes attributes, std::vector<ValueId> node_inputs,
                         const std::vector<std::string>& output_names);
  Node* producer(ValueId id) const;                   // null for inputs and constants
  const std::vector<Node*>& users(ValueId id) const;  // one entry per use, so a node may appear twice
  bool is_output(ValueId id) const { return outputs.contains(id); }
  // True where `id` feeds exactly one operand and is no graph output: its producer may be fused into the user.
  bool has_single_use(ValueId id) const { return users(id).size() == 1 && !is_output(id); }
  void set_input(Node* node, size_t index, ValueId id);
  void add_input(Node* node, ValueId id);
  // Every use of `from`, graph outputs included, becomes a use of `to`.
  void replace_uses(ValueId from, ValueId to);

  // Drops nodes whose outputs nobody needs and sorts the rest topologically (stable). Invalidates no Node*, but those
  // dropped.
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
