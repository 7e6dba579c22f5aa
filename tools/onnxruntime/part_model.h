// SPDX-License-Identifier: Apache-2.0
// The ONNX model of some nodes of a graph.
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
  std::vector<size_t> inputs, outputs;  // values of the graph
  std::string bytes;                    // a serialized ModelProto
};

// The inputs are the values that the nodes read and do not compute, without constants; the outputs those that other
// nodes read or that the graph returns. Errors: kUnsupported for an input whose type or shape a plan cannot have, for
// nodes with subgraphs, and for a model above the limit of protobuf; kInternal with a message of ONNX Runtime.
Result<PartModel> part_model(const Api& api, const GraphView& graph, std::span<const size_t> nodes);

}  // namespace nestrt::ort
