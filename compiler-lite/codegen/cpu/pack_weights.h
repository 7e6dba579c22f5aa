// Weights in the packings that the chosen kernels use in place, so that nothing is packed where the plan is loaded.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "runtime/core/instruction_set.h"
#include "runtime/kernel/packing.h"

namespace nestrt::compiler {

class WeightPacker {
 public:
  explicit WeightPacker(std::vector<InstructionSet> sets) : sets_(std::move(sets)) {}

  // Replaces the constant weights of a node, its input 1, by the packing of its kernel for the first instruction set.
  // Returns, by instruction set, the weights for kernels that want another packing than that; kNoValue where they do
  // not. Nodes that share weights share the packed ones. Requires: every set has a kernel for the node.
  std::vector<ValueId> pack(Graph& graph, Node* node);

  // What an alternative with this packing reads in place of input 1: kNoValue where that is the input itself, or where
  // the weights take so much that they are to be packed on the machine: more than a quarter of those of the set's
  // kernel, if no other set's kernel reads them. Before pack(). `set`: the position of its instruction set.
  ValueId for_alternative(Graph& graph, const Node& node, size_t set, Packing packing);

 private:
  using Key = std::pair<ValueId, Packing>;

  std::vector<Packing> packings(const Graph& graph, const Node& node) const;
  ValueId packed(Graph& graph, ValueId weights, Packing packing);

  const std::vector<InstructionSet> sets_;
  std::map<Key, ValueId> packed_;  // by plain weights
};

}  // namespace nestrt::compiler
