// SPDX-License-Identifier: Apache-2.0
// Determines which nodes of a graph EVTA can run, and why it rejects the others.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler-lite/codegen/evta/layer/layer.h"
#include "compiler-lite/graph/graph.h"

namespace nestrt::evta {
struct Configuration;
}

namespace nestrt::compiler::evta {

class LayerGenerator;

// A node as a layer, and the graph values in its buffers.
struct NodeLayer {
  std::variant<ConvLayer, MaxPoolLayer> layer;
  ValueId input = kNoValue;
  ValueId residual = kNoValue;
};

// Requires a node that its operator's rules accept and whose weights are not packed. Layouts of activations do not
// matter. Errors: kUnsupported with the reason, a sentence without the node's name.
Result<NodeLayer> layer_of(const Graph& graph, const Node& node);

// Returns the layer restricted to a part of its output (runtime/plan/queries/channels.h). `block`: channels per block
// of the configuration; the part starts at a block.
NodeLayer part_of(const NodeLayer& node, const ChannelRange& part, int64_t block);

// Errors: those of ConvGenerator and MaxPoolGenerator.
Result<std::unique_ptr<LayerGenerator>> generator_of(const nestrt::evta::Configuration& configuration,
                                                     const NodeLayer& layer);

}  // namespace nestrt::compiler::evta
