// Weights in the packings that the chosen kernels use in place, so that nothing is packed where the plan is loaded.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "nestrt/instruction_set.h"
#include "nestrt/packing.h"

namespace nestrt::compiler {

class WeightPacker {
 public:
  explicit WeightPacker(std::vector<InstructionSet> sets) : sets_(std::move(sets)) {}

  // Replaces the constant weights of a node, its input 1, by the packing of its kernel for the first instruction set.
  // Returns, by instruction set, the weights for kernels that want another packing than that; kNoValue where they do
  // not. Nodes that share weights share the packed ones. The weights of a SeparableConv, whose kernel wants them in the
  // same packings everywhere, are all replaced. Requires: every set has a kernel for the node.
  std::vector<ValueId> pack(Graph& graph, Node* node);

 private:
  using Key = std::pair<ValueId, Packing>;

  void pack_parts(Graph& graph, Node* node);
  ValueId packed(Graph& graph, ValueId weights, Packing packing);

  const std::vector<InstructionSet> sets_;
  std::map<Key, ValueId> packed_;  // by plain weights
};

}  // namespace nestrt::compiler
