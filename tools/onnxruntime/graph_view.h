// SPDX-License-Identifier: Apache-2.0
// GraphView: a copy of an ONNX Runtime graph as plain data.
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
  int onnx_type = 0;          // a TensorProto.DataType; 0 if the value is not a tensor
  std::vector<int64_t> dims;  // -1 for a dimension that is unknown until the model runs
  const Value* constant = nullptr;

  // Returns true if the value can be an input of a plan: its type and all dimensions are known, and it is not a scalar.
  // ONNX Runtime reports values of unknown rank as scalars.
  bool can_enter_plan() const;
};

struct ViewedNode {
  const GraphNode* node = nullptr;
  std::string name, op_type, domain;    // domain "" for standard ONNX operators
  std::vector<size_t> inputs, outputs;  // kNoValue for an omitted optional operand
  std::vector<size_t> implicit_inputs;  // read only by the node's subgraphs
  bool has_subgraphs = false;
  bool is_taken = false;  // assigned to another provider of the session
};

struct GraphView {
  std::vector<ViewedValue> values;
  std::vector<ViewedNode> nodes;  // in topological order
  std::vector<size_t> outputs;
  std::vector<std::pair<std::string, int64_t>> opsets;  // (domain, version)

  // Returns the version of the domain, or 0 if the model does not import it.
  int64_t opset(const std::string& domain) const;
  // Returns the node that computes each value, or kNoValue.
  std::vector<size_t> producers() const;
};

// Returns a view that contains pointers to objects of `graph`. Errors: kInternal with a message of ONNX Runtime.
Result<GraphView> view_graph(const Api& api, const Graph* graph);

// These functions return the names of a node's inputs and outputs.
Result<std::vector<std::string>> input_names(const Api& api, const GraphNode* node);
Result<std::vector<std::string>> output_names(const Api& api, const GraphNode* node);

// Returns nestrt's data type for TensorProto.DataType `onnx_type`, or nullopt if plans do not support it.
std::optional<DataType> plan_type(int onnx_type);

}  // namespace nestrt::ort
