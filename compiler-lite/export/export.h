// SPDX-License-Identifier: Apache-2.0
// Exports the compiler's Graph to an ONNX model. Closed NPU compilers receive their models in this form.
//
// Every operator becomes standard ONNX of one opset, fused activations and residuals become separate nodes again, and
// constants become initializers. Every value has a type and a shape. Constants that the model stored as integers become
// integers with a DequantizeLinear. A quantized graph becomes QDQ: each operator computes real numbers between
// DequantizeLinear and QuantizeLinear, with nestrt's power-of-two scales. ONNX rounds halves to even. If the graph
// rounds them differently, the model's metadata specifies the rounding (kRoundingKey). nestc then computes the same
// integers from the exported model; other runtimes may differ by one step.
//
// The checker and the shape inference of the ONNX library must accept every exported model.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

inline constexpr int64_t kOldestExportOpset = 13, kNewestExportOpset = 21, kDefaultExportOpset = 13;
// The latest opset that the linked ONNX library can check. A model with a later opset is checked against this one.
inline constexpr int64_t kNewestCheckedOpset = 17;

inline constexpr const char* kProducer = "nestc";

// The form of a model. Vendors' compilers differ in what they accept; the default is what PyTorch's exporter writes.
struct ExportForm {
  int64_t opset = kDefaultExportOpset;
  bool all_attributes = true;   // also write attributes that equal their default
  bool gemm_trans_b = true;     // write constant weights of Gemm as [outputs, inputs] with transB = 1
  bool flatten = true;          // write a Reshape to [first dimension, rest] as Flatten
  bool whole_operators = true;  // write operators that import decomposed as one node (whole_operators.h)
  bool all_zero_points = true;  // write zero points of s32 biases, which are 0
  bool per_tensor = false;      // round weights to one scale per tensor, if their zero points are equal
  bool float_biases = false;    // write biases of quantized operators as f32
  std::string producer = kProducer;
};

// Errors: kInvalidArgument if the opset is out of range.
Status check_export_opset(int64_t opset);

// Unique ONNX names of a graph's values. Models that contain parts of one graph and share its ValueNames use the same
// names for the same values.
class ValueNames {
 public:
  // Inputs and outputs keep their names.
  explicit ValueNames(const Graph& graph);
  const std::string& of(ValueId id) const { return names_[static_cast<size_t>(id)]; }
  // Returns an unused name, `wanted` or `wanted` with a number, and reserves it.
  std::string unique(const std::string& wanted);
  // Returns an unused node name and reserves it.
  std::string unique_node(const std::string& wanted);

 private:
  using Taken = std::unordered_map<std::string, uint32_t>;  // next number to try, by name
  static std::string first_free(Taken& taken, const std::string& wanted);

  std::vector<std::string> names_;  // by value
  Taken taken_, taken_nodes_;
};

// A subgraph, or the whole graph.
struct ExportedPart {
  std::string name;
  std::vector<const Node*> nodes;  // in topological order
  std::vector<ValueId> inputs;     // values that the nodes read but do not compute, except constants
  std::vector<ValueId> outputs;    // computed by the nodes, or constants
};

// Returns the whole graph as one part. Requires: a tidy graph.
ExportedPart whole_graph(const Graph& graph);

// Returns the bytes of an ONNX model. Requires: plain layouts, no packed constants. Errors: kInvalidArgument for an
// unsupported opset; kUnsupported if the opset cannot express an operator (named in the message), if the ONNX library
// rejects the model, or if it exceeds 2 GiB.
Result<std::string> export_onnx(const Graph& graph, const ExportedPart& part, ValueNames& names,
                                const ExportForm& form);
// Exports the whole graph.
Result<std::string> export_onnx(const Graph& graph, const ExportForm& form = {});

}  // namespace nestrt::compiler
