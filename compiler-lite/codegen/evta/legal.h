// Which nodes of a graph EVTA can run, and why it cannot run the others.
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

// A node as a layer, and the values that its buffers are.
struct NodeLayer {
  std::variant<ConvLayer, MaxPoolLayer> layer;
  ValueId input = kNoValue;
  ValueId residual = kNoValue;
};

// Requires a node whose operator's rules accept it. Layouts of activations do not matter; weights are not packed.
// Errors: kUnsupported with the reason, a sentence without the node's name.
Result<NodeLayer> layer_of(const Graph& graph, const Node& node);

// The same with a part of the output only, of a node that has such parts (runtime/plan/queries/channels.h). `block`:
// channels of the configuration's blocks, of which the part begins with one.
NodeLayer part_of(const NodeLayer& node, const ChannelRange& part, int64_t block);

// Errors: those of ConvGenerator and MaxPoolGenerator.
Result<std::unique_ptr<LayerGenerator>> generator_of(const nestrt::evta::Configuration& configuration,
                                                     const NodeLayer& layer);

}  // namespace nestrt::compiler::evta
