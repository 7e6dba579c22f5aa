// Which nodes of a graph become s8, and with which exponents.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/quantize/quantize.h"
#include "compiler-lite/quantize/weights.h"

namespace nestrt::compiler {

struct Assignment {
  std::unordered_set<const Node*> nodes;       // that become s8
  std::unordered_set<const Node*> wide;        // those among them whose outputs stay f32
  std::unordered_map<ValueId, int> exponents;  // by f32 value: that of its s8 form
  std::unordered_map<const Node*, QuantizedProduct> products;
  std::vector<KeptNode> kept;
};

Assignment assign(const Graph& graph, const QuantizationProfile& profile, const QuantizeOptions& options);

}  // namespace nestrt::compiler
