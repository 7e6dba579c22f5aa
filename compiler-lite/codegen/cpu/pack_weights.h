// SPDX-License-Identifier: Apache-2.0
// Packs weights into the form that the selected kernels read in place, so that loading a plan packs nothing.
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

  // Replaces the constant weights of a node (input 1) with the packing of its kernel for the first instruction set.
  // Returns, by instruction set, the weights for kernels that need a different packing, or kNoValue. Nodes that share
  // weights share the packed ones. Requires a kernel for the node in every set.
  std::vector<ValueId> pack(Graph& graph, Node* node);

  // Returns what an alternative with this packing reads instead of input 1. Returns kNoValue if it reads input 1 itself
  // or if the machine should pack the weights when it loads the plan. The latter applies if the packed weights would be
  // too large (kSmallPart) and no kernel of another set reads them. Call before pack(). `set`: index of the instruction
  // set.
  ValueId for_alternative(Graph& graph, const Node& node, size_t set, Packing packing);

 private:
  using Key = std::pair<ValueId, Packing>;

  std::vector<Packing> packings(const Graph& graph, const Node& node) const;
  ValueId packed(Graph& graph, ValueId weights, Packing packing);

  const std::vector<InstructionSet> sets_;
  std::map<Key, ValueId> packed_;  // by plain weights
};

}  // namespace nestrt::compiler
