// SPDX-License-Identifier: Apache-2.0
// Runs the passes over a graph.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/passes/passes.h"

namespace nestrt::compiler {

struct PassOptions {
  std::set<std::string, std::less<>> disabled;        // names of passes to skip
  bool quantizes = false;                             // the graph will be quantized afterwards
  std::function<void(const Pass& pass)> before_pass;  // called before each run of a pass; may be empty
  // Called after each run of a pass, for logs and dumps; may be empty. `round` counts from 0.
  std::function<void(const Pass& pass, int round, int changes, const Graph& graph)> observer;
};

// Runs all passes repeatedly until a round changes nothing, at most kMaxRounds times, followed by the passes marked
// `last`.
// Errors: kInvalidArgument for an unknown name in `disabled`; kInternal.
Status optimise(Graph& graph, const PassOptions& options = {});
inline constexpr int kMaxRounds = 8;

// Runs the passes that must follow quantization, once each. Does nothing if `options.quantizes` is false. Errors: those
// of optimise().
Status fuse(Graph& graph, const PassOptions& options);

}  // namespace nestrt::compiler
