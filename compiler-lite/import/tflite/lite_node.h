// SPDX-License-Identifier: Apache-2.0
// LiteNode: the interface of an import function to one operator of a TensorFlow Lite model and to the graph under
// construction. All indices are those of the operator's inputs and outputs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler-lite/import/tflite/lite_graph.h"

namespace nestrt::compiler {

class LiteNode {
 public:
  LiteNode(LiteGraph& graph, const tflite::Operator& op, std::string code, size_t position);

  // Returns an error that names the operator.
  Status invalid(std::string_view what) const;
  Status unsupported(std::string_view what) const;
  // Checks that all tensors exist and that the first `count` inputs and, if needed, the first output are present.
  Status check_tensors(size_t count, bool needs_output) const;

  LiteGraph& graph() { return graph_; }
  // Returns a name for values that the operator adds: the name of its first output.
  std::string scope() const;
  // Returns the options as the table type of the operator's rule. If the file contains none, all fields have their
  // defaults.
  template <typename Table>
  const Table& options() const {
    // An empty table, in which every field has its default: the vtable, followed by the table's offset from it.
    alignas(4) static constexpr uint8_t kEmpty[8] = {4, 0, 4, 0, 4, 0, 0, 0};
    const void* const table = op_.options() == nullptr ? static_cast<const void*>(kEmpty + 4) : op_.options();
    return *static_cast<const Table*>(table);
  }
  const tflite::Operator& op() const { return op_; }

  // --- Inputs ---
  size_t num_inputs() const { return inputs_.size(); }
  bool has_input(size_t index) const { return index < inputs_.size() && inputs_[index] >= 0; }
  int32_t input_tensor(size_t index) const { return inputs_[index]; }
  std::vector<size_t> all_inputs() const;
  // Returns the input as real numbers if it is quantized, or else as stored.
  Result<ValueId> input(size_t index, Form form = Form::kPlain) { return graph_.real(inputs_[index], form); }
  Result<ValueId> stored_input(size_t index, Form form = Form::kPlain) { return graph_.stored(inputs_[index], form); }
  // Returns the shape in the axis order of the file. Uses the computed shape if the file declares a different one.
  Result<Shape> input_shape(size_t index);
  // Returns kChannelsFirst if one of the inputs exists only in that form, which is then cheaper.
  Form common_form(const std::vector<size_t>& indices) const;
  // Reads an input in a form.
  using Reader = Result<ValueId> (LiteNode::*)(size_t index, Form form);
  // Returns an operand that the operator broadcasts to `rank` dimensions.
  Result<ValueId> operand(size_t index, Form form, int rank, Reader reader = &LiteNode::input);
  // Returns all operands in their common form, for element-wise operators.
  struct Operands {
    std::vector<ValueId> values;
    Form form = Form::kPlain;
  };
  Result<Operands> operands(const std::vector<size_t>& indices, Reader reader = &LiteNode::input);
  // Return the elements of an input that must be known at compile time.
  Result<std::vector<int64_t>> ints(size_t index, std::string_view what);
  Result<std::vector<float>> floats(size_t index, std::string_view what);
  Result<int64_t> one_int(size_t index, std::string_view what);
  // Returns an axis of a tensor of `rank` dimensions; negative values count from the end.
  Result<int> axis(int64_t stated, int rank) const;

  // --- Building ---
  const Value& value(ValueId id) const { return builder_.graph().value(id); }
  Shape shape(ValueId id) const { return value(id).shape; }
  Result<ValueId> add(ops::Attributes attributes, std::vector<ValueId> inputs);
  Result<ValueId> reshape(ValueId id, const Shape& shape);
  Result<ValueId> transpose(ValueId id, const std::vector<int32_t>& permutation);
  Result<ValueId> slice(ValueId id, const std::vector<int64_t>& start, const std::vector<int64_t>& step,
                        const Shape& shape);
  Result<ValueId> cast(ValueId id, DataType type);
  Result<ValueId> unary(ops::UnaryKind kind, ValueId id, float alpha = 0, float beta = 0);
  Result<ValueId> binary(ops::BinaryKind kind, ValueId a, ValueId b);
  Result<ValueId> constant(DataType type, const Shape& shape, Bytes elements);
  Result<ValueId> scalar(float element) { return constant(DataType::kF32, Shape(), to_bytes(std::vector{element})); }
  // Returns the same integers with another quantization, or without one.
  Result<ValueId> reinterpret(ValueId id, const std::optional<plan::Quantization>& quantization);
  // Adds an operator with one input and this quantization of the output.
  Result<ValueId> add_quantized(ops::Attributes attributes, ValueId id, const plan::Quantization& quantization);
  // Reads an input as integers with this quantization and returns real numbers.
  Result<ValueId> dequantized(size_t index, const plan::Quantization& quantization);
  Result<ValueId> activated(ValueId id, tflite::FusedActivation activation);
  // Rejects tensors that exceed the limits.
  Status check_constant(DataType type, const Shape& shape) const;

  // --- Outputs ---
  size_t num_outputs() const { return outputs_.size(); }
  int32_t output_tensor(size_t index) const { return outputs_[index]; }
  bool has_output(size_t index) const { return index < outputs_.size() && outputs_[index] >= 0; }
  // Returns whether the first output consists of integers with a scale.
  bool is_quantized_output() const;
  // Defines an output as real numbers or integers in the given form. Ignores absent outputs.
  Status set(size_t index, ValueId id, Form form = Form::kPlain);
  Status finish(Result<ValueId> id, Form form = Form::kPlain) { return id ? set(0, *id, form) : id.error(); }

 private:
  std::string next_name();

  LiteGraph& graph_;
  GraphBuilder& builder_;
  const tflite::Operator& op_;
  std::vector<int32_t> inputs_, outputs_;
  std::string label_;
  size_t first_own_value_;
  int num_added_ = 0;
};

// Returns the dimensions as a list for attributes.
inline std::vector<int64_t> dims_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace nestrt::compiler
