// SPDX-License-Identifier: Apache-2.0
// Univariate: several nodes that compute each element of a value from one element of another value.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

class Univariate {
 public:
  // Positions of nodes in a topological order.
  using Order = std::unordered_map<const Node*, size_t>;

  // Returns the functions of one value that end in `root` and consist of at least two nodes, smallest first. The inner
  // values of a function have no readers outside it.
  static std::vector<Univariate> all_ending_in(const Graph& graph, const Node& root, const Order& order);

  ValueId variable() const { return variable_; }
  const std::vector<float>& constants() const { return constants_; }
  double operator()(double x) const;

 private:
  static std::optional<Univariate> of(const Graph& graph, const std::vector<const Node*>& nodes);

  // Operands are indices into the concatenation of the variable, the constants and the results.
  struct Step {
    const ops::Attributes* attributes = nullptr;
    std::vector<size_t> operands;
  };

  ValueId variable_ = kNoValue;
  std::vector<float> constants_;
  std::vector<Step> steps_;
};

}  // namespace nestrt::compiler
