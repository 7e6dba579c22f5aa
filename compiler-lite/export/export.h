// From the compiler's Graph back to an ONNX model: the legalizer of the common interface to closed NPU compilers.
//
// Every operator becomes standard ONNX of one opset, what an operator has fused (activations, residuals) nodes of its
// own again, constants initializers. All values are stated with type and shape. Constants that a model keeps as
// integers are integers again, with a DequantizeLinear. A quantized graph becomes QDQ: each operator computes with real
// numbers between DequantizeLinear and QuantizeLinear, whose scales are the powers of two that nestrt computes with;
// ONNX rounds halves to even and nestrt up, so integers may differ by one step.
//
// Nothing leaves here that the checker and the shape inference of the ONNX library refuse.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// The newest is the last that the linked ONNX library can check.
inline constexpr int64_t kOldestExportOpset = 13, kNewestExportOpset = 17, kDefaultExportOpset = 13;

// kInvalidArgument where it is none of those.
Status check_export_opset(int64_t opset);

// The ONNX names of a graph's values, none given twice. Models that are made of parts of one graph with the same
// ValueNames call the same values the same.
class ValueNames {
 public:
  // Inputs and outputs keep their names.
  explicit ValueNames(const Graph& graph);
  const std::string& of(ValueId id) const { return names_[static_cast<size_t>(id)]; }
  // A name that nothing has: `wanted`, or `wanted` with a number. Never given again.
  std::string unique(const std::string& wanted);
  // The same of nodes.
  std::string unique_node(const std::string& wanted);

 private:
  using Taken = std::unordered_map<std::string, uint32_t>;  // the next number to try, by name
  static std::string first_free(Taken& taken, const std::string& wanted);

  std::vector<std::string> names_;  // by value
  Taken taken_, taken_nodes_;
};

// A part of a graph, or the whole of it.
struct ExportedPart {
  std::string name;
  std::vector<const Node*> nodes;  // in topological order
  std::vector<ValueId> inputs;     // what the nodes read and none of them computes, but for constants
  std::vector<ValueId> outputs;    // computed by the nodes, or constants
};

// All of it. Requires: a tidy graph.
ExportedPart whole_graph(const Graph& graph);

// The bytes of an ONNX model. Requires: plain layouts, nothing packed. Errors: kInvalidArgument for an opset that
// cannot be written; kUnsupported where an operator has no form in that opset, with its name, where the ONNX library
// refuses the model, and where it is larger than a file may be (2 GiB).
Result<std::string> export_onnx(const Graph& graph, const ExportedPart& part, ValueNames& names, int64_t opset);
// The same of the whole graph.
Result<std::string> export_onnx(const Graph& graph, int64_t opset = kDefaultExportOpset);

}  // namespace nestrt::compiler
