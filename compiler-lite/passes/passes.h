// The rewrites between import and emission. Each makes the graph smaller or faster and keeps what it computes: exactly,
// or (where constants are folded into weights) within the rounding of f32. Names of graph inputs and outputs stay.
//
// A pass requires a tidy graph, leaves a tidy graph, and returns the number of changes it made.
// Errors: a pass does not fail for what a model contains, it leaves alone what it does not understand. A failure is a
// defect of the pass (kInternal).
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct Pass {
  std::string_view name;  // "fold-constants": what --passes lists and --no-pass takes
  std::string_view summary;
  Result<int> (*run)(Graph& graph);
  bool last = false;                // once, when the others find nothing more: what it leaves is not for them
  bool after_quantization = false;  // where the graph is to be quantized, in fuse() instead
};

struct PassOptions {
  std::set<std::string, std::less<>> disabled;        // names of passes to leave out
  bool quantizes = false;                             // the graph is to be quantized afterwards
  std::function<void(const Pass& pass)> before_pass;  // called before each run of a pass; may be empty
  // Called after each run of a pass, for logs and dumps; may be empty. `round` counts from 0.
  std::function<void(const Pass& pass, int round, int changes, const Graph& graph)> observer;
};

// Every pass, in the order in which optimise() runs them.
std::span<const Pass> passes();

// Runs the table of passes, again and again until a round changes nothing (at most kMaxRounds times), and then those
// that are last.
// Errors: kInvalidArgument for an unknown name in `disabled`; kInternal.
Status optimise(Graph& graph, const PassOptions& options = {});
inline constexpr int kMaxRounds = 8;

// Runs the passes that have waited for quantization, once each; nothing where none is wanted. Errors: as optimise().
Status fuse(Graph& graph, const PassOptions& options);

// --- the passes, one file each ---

// Evaluates nodes whose inputs are all constant, unless that makes the plan much larger.
Result<int> fold_constants(Graph& graph);
// Removes what does nothing and merges what can be done at once: Reshape, Transpose, Slice, Pad, Tile, Cast, Concat,
// Pool of one element, arithmetic with neutral constants.
Result<int> remove_identity(Graph& graph);
// Computes equal nodes once; stores equal constants once.
Result<int> common_subexpressions(Graph& graph);
// Drops nodes whose results nobody needs, and unused constants.
Result<int> remove_dead(Graph& graph);
// Moves Transposes towards the outputs where that lets them cancel.
Result<int> sink_transposes(Graph& graph);
// Replaces activations that a model spells out in arithmetic, x * sigmoid(x) for one, by one Unary.
Result<int> recognise_activations(Graph& graph);
// Folds arithmetic with constants per channel into the weights and bias of the Conv, ConvTranspose or Dense beside it.
Result<int> fuse_batchnorm(Graph& graph);
// Folds a Pad into the Conv or Pool after it.
Result<int> fuse_pad(Graph& graph);
// Makes the addition after a Conv the Conv's residual input. For units without a residual: switch it off.
Result<int> fuse_residual(Graph& graph);
// Makes the activation after a Conv, ConvTranspose, Dense or Binary part of it.
Result<int> fuse_activation(Graph& graph);
// Makes what lies between Dequantize and Quantize, of tensors with scales, compute with integers.
Result<int> fuse_qdq(Graph& graph);

}  // namespace nestrt::compiler
