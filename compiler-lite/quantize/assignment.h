// SPDX-License-Identifier: Apache-2.0
// Assignment: the nodes of a graph that become s8, and their exponents.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/quantize/quantize.h"
#include "compiler-lite/quantize/weights.h"

namespace nestrt::compiler {

struct Assignment {
  std::unordered_set<const Node*> nodes;       // nodes that become s8
  std::unordered_set<const Node*> wide;        // subset of `nodes` whose outputs stay f32
  std::unordered_map<ValueId, int> exponents;  // exponent of the s8 form, by f32 value
  std::unordered_map<const Node*, QuantizedProduct> products;
  std::vector<KeptNode> kept;
};

Assignment assign(const Graph& graph, const QuantizationProfile& profile, const QuantizeOptions& options);

}  // namespace nestrt::compiler
