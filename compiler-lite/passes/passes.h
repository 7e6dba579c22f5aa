// The rewrites between import and emission. Each makes the graph smaller or faster and keeps what it computes: exactly,
// or (where constants are folded into weights) within the rounding of f32. Names of graph inputs and outputs stay.
//
// A pass requires a tidy graph, leaves a tidy graph, and returns the number of changes it made.
// Errors: a pass does not fail for what a model contains, it leaves alone what it does not understand. A failure is a
// defect of the pass (kInternal).
#pragma once

#include <span>
#include <string_view>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct Pass {
  std::string_view name;  // "fold-constants": what --passes lists and --no-pass takes
  std::string_view summary;
  Result<int> (*run)(Graph& graph);
  bool last = false;                // once, when the others find nothing more: what it leaves is not for them
  bool after_quantization = false;  // where the graph is to be quantized, in fuse() instead
  bool by_placement = false;        // where layouts and branches are known (placement/fuse_separable.h); has no run
};

// That of placement.
inline constexpr std::string_view kFuseSeparable = "fuse-separable";

// Every pass, in the order in which optimise() (optimise.h) runs them.
std::span<const Pass> passes();

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
