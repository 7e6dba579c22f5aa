// SPDX-License-Identifier: Apache-2.0
// NodeContext: the interface of an import function to one ONNX node and to the graph under construction.
//
// Attributes are read with a default, inputs as values of the graph. After its import function has returned, the node
// fails if an attribute has the wrong type (the function continues with the default). It also fails if the function did
// not read an attribute or input, which might change the meaning of the operator.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/import/integer_extremes.h"
#include "compiler-lite/import/onnx/onnx_names.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

class GraphBuilder;
struct OnnxNode;
struct OnnxTensor;

class NodeContext {
 public:
  NodeContext(GraphBuilder& builder, const OnnxNode& node, int64_t opset);

  const std::string& op_type() const;
  int64_t opset() const { return opset_; }
  // Return an error that names the node.
  Status invalid(std::string_view what) const;
  Status unsupported(std::string_view what) const;

  // --- Inputs ---
  size_t num_inputs() const { return inputs_.size(); }
  bool has_input(size_t index) const;
  // Returns kNoValue if the input is absent.
  ValueId optional_input(size_t index) const { return has_input(index) ? inputs_[index] : kNoValue; }
  // Errors: kInvalidModel if the input is absent.
  Result<ValueId> input(size_t index) const;
  // Returns all inputs. Errors: kInvalidModel if one is absent or there are no inputs.
  Result<std::vector<ValueId>> all_inputs() const;
  const Value& value(ValueId id) const;
  // Returns a copy, because adding operators moves values.
  Shape shape(ValueId id) const { return value(id).shape; }
  DataType type(ValueId id) const { return value(id).type; }
  // Returns the operator that computes a value, or nullptr for constants and inputs of the model.
  const Node* producer(ValueId id) const;
  // Returns the ONNX type of a value if it is listed in onnx/narrow_types.h, or else 0.
  int32_t narrow_type(ValueId id) const;
  void set_narrow_type(ValueId id, int32_t onnx_type);

  // Return the elements of an input that must be known at compile time. `what` names it in messages.
  Result<std::vector<int64_t>> constant_ints(size_t index, std::string_view what) const;
  Result<std::vector<float>> constant_floats(size_t index, std::string_view what) const;
  Result<std::vector<int64_t>> ints_of(ValueId id, std::string_view what) const;
  Result<std::vector<float>> floats_of(ValueId id, std::string_view what) const;

  // --- Attributes ---
  bool has_attribute(std::string_view name) const;
  int64_t attribute(std::string_view name, int64_t fallback) { return read(name, fallback); }
  float attribute(std::string_view name, float fallback) { return read(name, fallback); }
  std::string attribute(std::string_view name, const char* fallback) { return read(name, std::string(fallback)); }
  std::vector<int64_t> attribute(std::string_view name, std::vector<int64_t> fallback) {
    return read(name, std::move(fallback));
  }
  std::vector<float> attribute(std::string_view name, std::vector<float> fallback) {
    return read(name, std::move(fallback));
  }
  std::vector<std::string> attribute(std::string_view name, std::vector<std::string> fallback) {
    return read(name, std::move(fallback));
  }
  // Reads an attribute whose value is one of `values`. Errors: kUnsupported for other values.
  template <typename Kind, size_t N>
  Result<Kind> keyword(std::string_view name, const OnnxName<Kind> (&values)[N], const char* fallback) {
    const std::string text = attribute(name, fallback);
    if (const OnnxName<Kind>* const known = find_name(values, text)) return known->kind;
    std::string supported;
    for (const OnnxName<Kind>& value : values) supported.append(supported.empty() ? "" : ", ").append(value.name);
    return unsupported_value(name, text, supported);
  }
  bool flag(std::string_view name, bool fallback) { return attribute(name, int64_t{fallback}) != 0; }
  Result<OnnxTensor> tensor_attribute(std::string_view name);
  Result<int64_t> required_int(std::string_view name);
  // Imports the subgraph in `attribute` once with these inputs and returns its outputs. `scope` distinguishes
  // executions.
  Result<std::vector<ValueId>> subgraph(std::string_view attribute, const std::vector<ValueId>& inputs,
                                        std::string_view scope);
  // Accepts an attribute that does not affect inference.
  void ignore(std::string_view name) { used_.insert(std::string(name)); }

  // Requires: a constant of integers.
  IntegerExtremes extremes(ValueId id);

  // Returns an axis of a tensor of `rank` dimensions; negative values count from the end. Errors: kInvalidModel if out
  // of range.
  Result<int> axis(int64_t stated, int rank) const;
  // Returns a sorted list of axes. Errors include kInvalidModel for repeated axes.
  Result<std::vector<int>> axes(const std::vector<int64_t>& stated, int rank) const;
  // Returns the attribute "axes", or input 1 (since opset 13 for Squeeze, Unsqueeze and ReduceSum, since opset 18 for
  // other reductions). Empty if the node has neither.
  Result<std::vector<int64_t>> stated_axes();

  // --- Building ---
  // Rejects negative dimensions and tensors larger than the limits allow.
  Status check_size(DataType type, const Shape& shape) const;
  // Rejects constants that exceed the limits. Call it before allocating the memory.
  Status check_constant(DataType type, const Shape& shape) const;
  // Adds one operator and returns its only output, named after the node's first output.
  // `quantization`: that of the output.
  Result<ValueId> add(ops::Attributes attributes, std::vector<ValueId> inputs,
                      const std::optional<plan::Quantization>& quantization = {});
  // Adds one operator with several outputs.
  Result<std::vector<ValueId>> add_all(ops::Attributes attributes, std::vector<ValueId> inputs, size_t num_outputs);
  // Returns the same integers with another quantization, or without one.
  Result<ValueId> reinterpret(ValueId id, const std::optional<plan::Quantization>& quantization);
  Result<ValueId> constant(const std::vector<float>& elements, const Shape& shape);
  Result<ValueId> constant(const std::vector<int64_t>& elements, const Shape& shape);
  Result<ValueId> constant(DataType type, const Shape& shape, Bytes elements);
  Result<ValueId> constant(OnnxTensor tensor);  // shares the elements
  // Marks per-channel factors as computed from `source` and returns them.
  Result<ValueId> factors(const std::vector<float>& elements, const Shape& shape, BatchNormalization source);
  // Sets the parameters from which the constant matrix `id` was dequantized.
  void set_source_blocks(ValueId id, std::shared_ptr<const BlockQuantization> source);
  Result<ValueId> scalar(float element) { return constant(std::vector<float>{element}, Shape()); }
  // Returns a scalar of any type.
  Result<ValueId> scalar_of(DataType type, double element);
  // Returns `id` with another shape of the same number of elements; `id` itself if the shape is the same.
  Result<ValueId> reshape(ValueId id, const Shape& shape);
  Result<ValueId> transpose(ValueId id, const std::vector<int>& permutation);
  // Returns y[i] = x[start + i * step] of the given shape; `id` itself if the slice covers all of it.
  Result<ValueId> slice(ValueId id, const std::vector<int64_t>& start, const std::vector<int64_t>& step,
                        const Shape& shape);
  Result<ValueId> cast(ValueId id, DataType type);
  Result<ValueId> unary(ops::UnaryKind kind, ValueId id, float alpha = 0, float beta = 0);
  // Converts 8-bit integers to 32 bits.
  Result<ValueId> binary(ops::BinaryKind kind, ValueId a, ValueId b);

  // --- Outputs ---
  size_t num_outputs() const;
  bool wants_output(size_t index) const;
  // Returns true if the output is an output of the model that no node reads.
  bool is_last(size_t index) const;
  // Defines output `index` of the node. Errors: kInvalidModel if its name is already defined.
  Status set_output(size_t index, ValueId id);
  Status set_output(Result<ValueId> id);
  // Adds an operator as the node's only output.
  Status finish(ops::Attributes attributes, std::vector<ValueId> inputs) {
    return set_output(add(std::move(attributes), std::move(inputs)));
  }

  // Reports attributes of the wrong type, attributes and inputs that were not read, and outputs that were not set.
  Status close() const;

 private:
  template <typename T>
  T read(std::string_view name, T fallback);
  Status unsupported_value(std::string_view name, std::string_view value, std::string_view supported) const;
  std::string next_name();
  // Returns the name for the operators that the node becomes.
  const std::string& operator_name() const;
  Status check_known(ValueId id, std::string_view what, DataType copy) const;
  Result<ValueId> labelled(Result<ValueId> id) const;

  GraphBuilder& builder_;
  const OnnxNode& node_;
  int64_t opset_;
  std::string label_;
  std::vector<ValueId> inputs_;
  mutable size_t asked_inputs_ = 0;  // highest index read, plus 1
  std::set<std::string> used_;       // names of attributes that were read
  std::string wrong_attribute_;
  size_t first_own_value_;
  int num_added_ = 0;
};

}  // namespace nestrt::compiler
