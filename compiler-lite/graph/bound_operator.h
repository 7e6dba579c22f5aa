// BoundOperator: a node of the graph in the form that kernels and operator rules take.
#pragma once

#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/driver/kernel.h"

namespace nestrt::compiler {

class BoundOperator {
 public:
  // The graph must outlive the BoundOperator and stay unchanged. Outputs are as the graph has them.
  BoundOperator(const Graph& graph, const Node& node);
  // Before the node exists: no outputs. The attributes must outlive the BoundOperator too.
  BoundOperator(const Graph& graph, const ops::Attributes& attributes, const std::vector<ValueId>& inputs);
  BoundOperator(const BoundOperator&) = delete;
  BoundOperator& operator=(const BoundOperator&) = delete;

  const OperatorSpec& spec() const { return spec_; }

 private:
  std::vector<TensorSpec> inputs_;
  std::vector<TensorSpec> outputs_;
  OperatorSpec spec_;
};

// What kernels know of a value, which must outlive the result.
TensorSpec tensor_spec(const Value& value);

// Types and shapes of the outputs that such a node would have. Errors: kInvalidModel, kUnsupported.
Result<std::vector<TensorSpec>> infer(const Graph& graph, const ops::Attributes& attributes,
                                      const std::vector<ValueId>& inputs);

// Value::source_quantization of what a node makes of constants: a Dequantize gives one, a Transpose keeps it, and so
// does a Reshape where it is the same for the whole tensor.
std::optional<plan::Quantization> source_quantization(const Graph& graph, const Node& node);

// Runs a node whose inputs are all constant with the reference kernel, so that the results are the same on every
// machine that compiles; the elements of each output.
Result<std::vector<Bytes>> evaluate(const Graph& graph, const Node& node);
// Runs any node on the given operands, null where absent, with this machine's preferred kernel.
Result<std::vector<Bytes>> evaluate(const Graph& graph, const Node& node,
                                    const std::vector<const std::byte*>& operands);

}  // namespace nestrt::compiler
