// SPDX-License-Identifier: Apache-2.0
// Exports a group of nodes as an ONNX model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "nestrt/result.h"
#include "tools/onnxruntime/abi.h"
#include "tools/onnxruntime/graph_view.h"

namespace nestrt::ort {

struct PartModel {
  std::vector<size_t> inputs, outputs;  // indices of the graph's values
  std::string bytes;                    // a serialized ModelProto
};

// Returns the ONNX model of `nodes`. Its inputs are the values that the nodes read but do not compute, except
// constants. Its outputs are the values that other nodes read or that the graph returns. Errors: kUnsupported if a plan
// does not support the type or shape of an input, if a node has subgraphs, or if the model exceeds the size limit of
// protobuf; kInternal with a message of ONNX Runtime.
Result<PartModel> part_model(const Api& api, const GraphView& graph, std::span<const size_t> nodes);

}  // namespace nestrt::ort
