// NodeContext: what the import function of an operator sees: one ONNX node, and the graph it is translated into.
//
// Attributes are read with a default, inputs as values of the graph. An attribute of the wrong type is noted and makes
// the node fail after its function has returned; the function meanwhile goes on with the default. An attribute that no
// function asked for makes the node fail, too: it may change what the operator means. So does an input beyond those
// that the function asked for.
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
  // A failure that names the node.
  Status invalid(std::string_view what) const;
  Status unsupported(std::string_view what) const;

  // --- inputs ---
  size_t num_inputs() const { return inputs_.size(); }
  bool has_input(size_t index) const;
  // kNoValue where absent.
  ValueId optional_input(size_t index) const { return has_input(index) ? inputs_[index] : kNoValue; }
  // Errors: kInvalidModel where absent.
  Result<ValueId> input(size_t index) const;
  // All inputs, none absent, at least one.
  Result<std::vector<ValueId>> all_inputs() const;
  const Value& value(ValueId id) const;
  // A copy: adding operators moves values.
  Shape shape(ValueId id) const { return value(id).shape; }
  DataType type(ValueId id) const { return value(id).type; }

  // Elements of an input that has to be known at compile time; `what` names it in messages.
  Result<std::vector<int64_t>> constant_ints(size_t index, std::string_view what) const;
  Result<std::vector<float>> constant_floats(size_t index, std::string_view what) const;
  Result<std::vector<int64_t>> ints_of(ValueId id, std::string_view what) const;
  Result<std::vector<float>> floats_of(ValueId id, std::string_view what) const;

  // --- attributes ---
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
  // Imports the subgraph of that attribute with these inputs, once; its outputs. `scope` tells one time from another.
  Result<std::vector<ValueId>> subgraph(std::string_view attribute, const std::vector<ValueId>& inputs,
                                        std::string_view scope);
  // Known, and without influence on inference.
  void ignore(std::string_view name) { used_.insert(std::string(name)); }

  // Of a constant of integers.
  IntegerExtremes extremes(ValueId id);

  // An axis of a tensor of `rank` dimensions, counted from the end where negative. Errors: kInvalidModel outside.
  Result<int> axis(int64_t stated, int rank) const;
  // The same for a list without repetitions, sorted.
  Result<std::vector<int>> axes(const std::vector<int64_t>& stated, int rank) const;
  // The attribute "axes", or input 1 since opset 13 (Squeeze, Unsqueeze, ReduceSum) and 18 (other reductions). Empty
  // where the node has neither.
  Result<std::vector<int64_t>> stated_axes();

  // --- building ---
  // Refuses negative dimensions and tensors larger than the limits allow.
  Status check_size(DataType type, const Shape& shape) const;
  // Refuses constants for which the limits leave no memory. To be asked before it is taken.
  Status check_constant(DataType type, const Shape& shape) const;
  // One operator; its only output, under a name made from the node's first output.
  // `quantization`: of the output.
  Result<ValueId> add(ops::Attributes attributes, std::vector<ValueId> inputs,
                      const std::optional<plan::Quantization>& quantization = {});
  // The same integers under another quantization, or none.
  Result<ValueId> reinterpret(ValueId id, const std::optional<plan::Quantization>& quantization);
  Result<ValueId> constant(const std::vector<float>& elements, const Shape& shape);
  Result<ValueId> constant(const std::vector<int64_t>& elements, const Shape& shape);
  Result<ValueId> constant(DataType type, const Shape& shape, Bytes elements);
  Result<ValueId> constant(OnnxTensor tensor);  // shares the elements
  // Factors per channel that were made of these.
  Result<ValueId> factors(const std::vector<float>& elements, const Shape& shape, BatchNormalization source);
  Result<ValueId> scalar(float element) { return constant(std::vector<float>{element}, Shape()); }
  // A scalar of any type.
  Result<ValueId> scalar_of(DataType type, double element);
  // `id` in another shape of as many elements; `id` itself where the shape is the same.
  Result<ValueId> reshape(ValueId id, const Shape& shape);
  Result<ValueId> transpose(ValueId id, const std::vector<int>& permutation);
  // y[i] = x[start + i * step], of the given shape; `id` itself where that is all of it.
  Result<ValueId> slice(ValueId id, const std::vector<int64_t>& start, const std::vector<int64_t>& step,
                        const Shape& shape);
  Result<ValueId> cast(ValueId id, DataType type);
  Result<ValueId> unary(ops::UnaryKind kind, ValueId id, float alpha = 0, float beta = 0);
  // 8-bit integers are computed in 32 bits.
  Result<ValueId> binary(ops::BinaryKind kind, ValueId a, ValueId b);

  // --- outputs ---
  size_t num_outputs() const;
  bool wants_output(size_t index) const;
  // Whether the output is one of the model's, and no node reads it.
  bool is_last(size_t index) const;
  // Output `index` of the node is `id`. Errors: kInvalidModel for a name that exists.
  Status set_output(size_t index, ValueId id);
  Status set_output(Result<ValueId> id);
  // add() as the node's only output.
  Status finish(ops::Attributes attributes, std::vector<ValueId> inputs) {
    return set_output(add(std::move(attributes), std::move(inputs)));
  }

  // What went wrong besides: attributes of the wrong type, attributes or inputs nobody asked for, outputs nobody gave.
  Status close() const;

 private:
  template <typename T>
  T read(std::string_view name, T fallback);
  Status unsupported_value(std::string_view name, std::string_view value, std::string_view supported) const;
  std::string next_name();
  Status check_known(ValueId id, std::string_view what, DataType copy) const;
  Result<ValueId> labelled(Result<ValueId> id) const;

  GraphBuilder& builder_;
  const OnnxNode& node_;
  int64_t opset_;
  std::string label_;
  std::vector<ValueId> inputs_;
  mutable size_t asked_inputs_ = 0;  // the last input that was asked for, and one
  std::set<std::string> used_;       // attributes
  std::string wrong_attribute_;
  size_t first_own_value_;
  int num_added_ = 0;
};

}  // namespace nestrt::compiler
