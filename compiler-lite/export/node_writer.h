// SPDX-License-Identifier: Apache-2.0
// NodeWriter: the interface of an export function to one node of the graph and to the ONNX graph under construction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

class ModelWriter;
struct ExportForm;

struct WrittenAttribute {
  std::string_view name;
  std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<std::string>, std::vector<float>> value;

  WrittenAttribute(std::string_view name, int64_t value) : name(name), value(value) {}
  WrittenAttribute(std::string_view name, bool value) : name(name), value(int64_t{value}) {}
  WrittenAttribute(std::string_view name, float value) : name(name), value(value) {}
  WrittenAttribute(std::string_view name, const char* value) : name(name), value(std::string(value)) {}
  WrittenAttribute(std::string_view name, std::string_view value) : name(name), value(std::string(value)) {}
  WrittenAttribute(std::string_view name, std::vector<std::string> list) : name(name), value(std::move(list)) {}
  WrittenAttribute(std::string_view name, std::vector<float> list) : name(name), value(std::move(list)) {}
  template <typename T>
  WrittenAttribute(std::string_view name, const std::vector<T>& list)
      : name(name), value(std::vector<int64_t>(list.begin(), list.end())) {}
};
using WrittenAttributes = std::vector<WrittenAttribute>;

// Returns one scale per channel, or a single scale. Exponents become powers of two.
std::vector<float> scales_of(const plan::Quantization& quantization);

class NodeWriter {
 public:
  NodeWriter(ModelWriter& model, const Node& node) : model_(model), node_(node) {}

  const ExportForm& form() const;
  int64_t opset() const;
  const Graph& graph() const;
  const Node& node() const { return node_; }
  // Returns kUnsupported with the node's name.
  Status unsupported(std::string_view what) const;

  template <typename Op>
  const Op& attributes() const {
    return *node_.as<Op>();
  }
  size_t num_inputs() const { return node_.inputs.size(); }
  bool has_input(size_t index) const { return node_.input(index) != kNoValue; }
  const Value& operand(size_t index) const;
  const Value& result() const;

  // Returns the name of an operand, or "" if it is absent.
  std::string input(size_t index) const;
  // Returns the name of an operand as real numbers; a quantized operand gets a DequantizeLinear.
  std::string real(size_t index);
  // Same as real() for any value.
  std::string real_of(ValueId id);
  // Returns the name of a constant matrix, transposed, as real numbers.
  std::string transposed_real(size_t index);
  // Adds a DequantizeLinear of an integer operand and returns the name of its output.
  std::string dequantized(size_t index, const plan::Quantization& quantization);
  // Returns the first `count` operands as real numbers, without absent ones at the end.
  std::vector<std::string> reals(size_t count);

  // Writes a node with one output and returns its name. "" as an input means absent.
  std::string write(std::string_view op_type, std::vector<std::string> inputs, WrittenAttributes attributes = {});
  // Writes a node with several outputs and returns their names. Unwanted outputs have the name "".
  std::vector<std::string> write_all(std::string_view op_type, std::vector<std::string> inputs,
                                     WrittenAttributes attributes, const std::vector<bool>& wanted);
  // Add initializers that do not represent a value of the graph.
  std::string constant(const std::vector<int64_t>& elements);  // a vector
  std::string floats(const std::vector<float>& elements);      // a vector
  std::string floats(const std::vector<float>& elements, const Shape& shape);
  std::string scalar(float element) { return scalar(DataType::kF32, element); }
  std::string scalar(DataType type, double element);
  // Convert real numbers to integers of `type`, and back.
  std::string quantize(const std::string& real, const plan::Quantization& quantization, DataType type);
  std::string dequantize(const std::string& integers, const plan::Quantization& quantization, DataType type);

 private:
  ModelWriter& model_;
  const Node& node_;
};

}  // namespace nestrt::compiler
