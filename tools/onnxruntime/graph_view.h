// SPDX-License-Identifier: Apache-2.0
// GraphView: a graph of ONNX Runtime as plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nestrt/data_type.h"
#include "nestrt/result.h"
#include "tools/onnxruntime/abi.h"

namespace nestrt::ort {

inline constexpr size_t kNoValue = SIZE_MAX;

struct ViewedValue {
  std::string name;
  int onnx_type = 0;          // number in TensorProto.DataType; 0 if the value is no tensor
  std::vector<int64_t> dims;  // -1 for a dimension that is known only when the model runs
  const Value* constant = nullptr;

  // True if it can be an input of a plan: its type and all dimensions are known. A scalar cannot, because ONNX Runtime
  // shows values of unknown rank as scalars.
  bool can_enter_plan() const;
};

struct ViewedNode {
  const GraphNode* node = nullptr;
  std::string name, op_type, domain;    // domain "" for ONNX's own operators
  std::vector<size_t> inputs, outputs;  // kNoValue for an optional one that is missing
  std::vector<size_t> implicit_inputs;  // read by the node's subgraphs only
  bool has_subgraphs = false;
  bool is_taken = false;  // another provider of the session has it
};

struct GraphView {
  std::vector<ViewedValue> values;
  std::vector<ViewedNode> nodes;  // each after the nodes whose results it reads
  std::vector<size_t> outputs;
  std::vector<std::pair<std::string, int64_t>> opsets;  // domain and version

  // Returns the version of a domain, or 0.
  int64_t opset(const std::string& domain) const;
  // Returns for every value the node that computes it, or kNoValue.
  std::vector<size_t> producers() const;
};

// The view refers to the graph's objects. Errors: kInternal with a message of ONNX Runtime.
Result<GraphView> view_graph(const Api& api, const Graph* graph);

// Return the names of a node's inputs and outputs.
Result<std::vector<std::string>> input_names(const Api& api, const GraphNode* node);
Result<std::vector<std::string>> output_names(const Api& api, const GraphNode* node);

// Returns the type of a plan that equals TensorProto.DataType `onnx_type`, or nullopt.
std::optional<DataType> plan_type(int onnx_type);

}  // namespace nestrt::ort
