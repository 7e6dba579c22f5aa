// SPDX-License-Identifier: Apache-2.0
// BoundOperator: a node of the graph as the OperatorSpec that kernels and operator rules use.
#pragma once

#include <vector>

#include "compiler-lite/graph/graph.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::compiler {

class BoundOperator {
 public:
  // The graph must outlive the BoundOperator and stay unchanged.
  BoundOperator(const Graph& graph, const Node& node);
  // Binds an operator before its node exists, without outputs. The attributes must also outlive the BoundOperator.
  BoundOperator(const Graph& graph, const ops::Attributes& attributes, const std::vector<ValueId>& inputs);
  BoundOperator(const BoundOperator&) = delete;
  BoundOperator& operator=(const BoundOperator&) = delete;

  const OperatorSpec& spec() const { return spec_; }

 private:
  std::vector<TensorSpec> inputs_;
  std::vector<TensorSpec> outputs_;
  OperatorSpec spec_;
};

// Returns the kernels' view of a value. The value must outlive the result.
TensorSpec tensor_spec(const Value& value);

// Returns the types and shapes of the outputs of an operator. Errors: kInvalidModel, kUnsupported.
Result<std::vector<TensorSpec>> infer(const Graph& graph, const ops::Attributes& attributes,
                                      const std::vector<ValueId>& inputs);

// Returns Value::source_quantization for the result of a node on constants. Dequantize defines it; Transpose preserves
// it, and so does Reshape if the quantization is per tensor.
std::optional<plan::Quantization> source_quantization(const Graph& graph, const Node& node);

// Returns Value::source_blocks for the result of a node on constants. Transpose preserves it. May be null.
std::shared_ptr<const BlockQuantization> source_blocks(const Graph& graph, const Node& node);

// Evaluates a node whose inputs are all constant and returns the elements of each output. Uses the reference kernel, so
// every machine computes the same results.
Result<std::vector<Bytes>> evaluate(const Graph& graph, const Node& node);
// Runs any node on the given operands (null if absent) with this machine's preferred kernel.
Result<std::vector<Bytes>> evaluate(const Graph& graph, const Node& node,
                                    const std::vector<const std::byte*>& operands);

}  // namespace nestrt::compiler
