// SPDX-License-Identifier: Apache-2.0
// Passes: the graph rewrites between import and emission. Each makes the graph smaller or faster. It preserves the
// results exactly or, if it folds constants into weights, within f32 rounding. Graph inputs and outputs keep their
// names.
//
// A pass requires a tidy graph, leaves a tidy graph, and returns the number of changes it made.
// A pass ignores patterns that it does not support. Errors: kInternal, which indicates a defect of the pass.
#pragma once

#include <span>
#include <string_view>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct Pass {
  std::string_view name;  // "fold-constants", as listed by --passes and accepted by --no-pass
  std::string_view summary;
  Result<int> (*run)(Graph& graph);
  bool last = false;  // runs once after the other passes have converged, because those do not support its result
  bool after_quantization = false;  // if the graph is quantized, runs in fuse() instead
};

// Returns all passes in the order in which optimise() (optimise.h) runs them.
std::span<const Pass> passes();

// --- The passes, one file each ---

// Evaluates nodes whose inputs are all constant, unless this makes the plan much larger.
Result<int> fold_constants(Graph& graph);
// Removes operators without effect and merges consecutive ones: Reshape, Transpose, Slice, Pad, Tile, Cast, Concat,
// Pool of one element, arithmetic with neutral constants.
Result<int> remove_identity(Graph& graph);
// Merges equal nodes and equal constants.
Result<int> common_subexpressions(Graph& graph);
// Drops nodes with unused results, and unused constants.
Result<int> remove_dead(Graph& graph);
// Replaces repetitions along an axis, written as Reshape, Tile, Reshape, by a nearest Resize.
Result<int> recognise_repeats(Graph& graph);
// Moves Transposes towards the outputs if that makes them cancel.
Result<int> sink_transposes(Graph& graph);
// Replaces activations composed of arithmetic, such as x * sigmoid(x), with one Unary.
Result<int> recognise_activations(Graph& graph);
// Folds per-channel arithmetic with constants into the weights and bias of the adjacent Conv, ConvTranspose or Dense.
Result<int> fuse_batchnorm(Graph& graph);
// Folds a Pad into the following Conv or Pool.
Result<int> fuse_pad(Graph& graph);
// Makes the addition after a Conv the Conv's residual input. Disable it for units without residuals.
Result<int> fuse_residual(Graph& graph);
// Fuses the activation after a Conv, ConvTranspose, Dense or Binary into it.
Result<int> fuse_activation(Graph& graph);
// Replaces average-pools between integers with power-of-two scales by depthwise Convs if the resulting bytes stay the
// same.
Result<int> average_factors(Graph& graph);
// Fuses the multiplication by scales and the addition of a bias into products of integers.
Result<int> fuse_scales(Graph& graph);
// Rewrites transposed convolutions between Dequantize and Quantize as convolutions, which have integer kernels.
Result<int> split_transposed(Graph& graph);
// Converts operators between Dequantize and Quantize to integer arithmetic, for tensors with scales.
Result<int> fuse_qdq(Graph& graph);
// Replaces power-of-two scales by exponents, which units without real factors support.
Result<int> use_exponents(Graph& graph);
// Stores the dequantized weights of Dense layers as the original integers.
Result<int> keep_integer_weights(Graph& graph);

}  // namespace nestrt::compiler
