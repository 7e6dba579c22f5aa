// Runs the passes over a graph.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/passes/passes.h"

namespace nestrt::compiler {

struct PassOptions {
  std::set<std::string, std::less<>> disabled;        // names of passes to leave out
  bool quantizes = false;                             // the graph is to be quantized afterwards
  std::function<void(const Pass& pass)> before_pass;  // called before each run of a pass; may be empty
  // Called after each run of a pass, for logs and dumps; may be empty. `round` counts from 0.
  std::function<void(const Pass& pass, int round, int changes, const Graph& graph)> observer;
};

// Runs the table of passes, again and again until a round changes nothing (at most kMaxRounds times), and then those
// that are last.
// Errors: kInvalidArgument for an unknown name in `disabled`; kInternal.
Status optimise(Graph& graph, const PassOptions& options = {});
inline constexpr int kMaxRounds = 8;

// Runs the passes that have waited for quantization, once each; nothing where none is wanted. Errors: as optimise().
Status fuse(Graph& graph, const PassOptions& options);

}  // namespace nestrt::compiler
