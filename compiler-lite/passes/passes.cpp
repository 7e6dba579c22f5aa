// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"

namespace nestrt::compiler {
namespace {

// Cleanup passes run first to expose patterns. Complete activations are recognised before their parts are folded into
// weights. Residuals precede activations because the activation of a Conv follows its residual.
constexpr Pass kPasses[] = {
    {"fold-constants", "evaluate nodes whose inputs are all constant", &fold_constants},
    {"recognise-repeats", "replace Reshape, Tile, Reshape by a Resize", &recognise_repeats},
    {"remove-identity", "remove operators that change nothing, merge those that follow each other", &remove_identity},
    {"common-subexpressions", "compute equal nodes once, store equal constants once", &common_subexpressions},
    {"remove-dead", "drop nodes and constants that no output needs", &remove_dead},
    {"sink-transposes", "move Transposes down until they cancel", &sink_transposes},
    {"recognise-activations", "replace spelled-out activations by one operator", &recognise_activations},
    {"fuse-pad", "fold Pad into Conv and Pool", &fuse_pad},
    {"fuse-scales", "make scales and biases part of products of integers", &fuse_scales},
    {"fuse-batchnorm", "fold per-channel arithmetic into weights and bias", &fuse_batchnorm},
    {.name = "fuse-residual",
     .summary = "make the addition after a Conv its residual input",
     .run = &fuse_residual,
     .after_quantization = true},
    {"fuse-activation", "make activations part of the operator before them", &fuse_activation},
    {"average-factors", "turn averages with a factor between integers into products", &average_factors, true},
    {"split-transposed", "state transposed convolutions of integers as convolutions", &split_transposed, true},
    {"fuse-qdq", "compute with integers between Dequantize and Quantize", &fuse_qdq, true},
    {"use-exponents", "state scales that are powers of two as exponents", &use_exponents, true},
    {"keep-integer-weights", "store dequantized weights as integers", &keep_integer_weights, true},
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

}  // namespace nestrt::compiler
