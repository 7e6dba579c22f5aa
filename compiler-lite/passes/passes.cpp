// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"

namespace nestrt::compiler {
namespace {

// Cleanup passes run first to expose patterns. Complete activations are recognised before their parts are folded into
// weights. Residuals precede activations because the activation of a Conv follows its residual.
constexpr Pass kPasses[] = {
    {"fold-constants", "evaluate nodes whose inputs are all constant", &fold_constants},
    {"recognise-repeats", "replace Reshape, Tile, Reshape by a Resize", &recognise_repeats},
    {"remove-identity", "remove operators without effect, merge consecutive operators of a kind", &remove_identity},
    {"common-subexpressions", "merge equal nodes and equal constants", &common_subexpressions},
    {"remove-dead", "drop nodes and constants that no output needs", &remove_dead},
    {"sink-transposes", "move Transposes towards the outputs until they cancel", &sink_transposes},
    {"recognise-activations", "replace activations composed of arithmetic by one operator", &recognise_activations},
    {"fuse-pad", "fold Pad into Conv and Pool", &fuse_pad},
    {"fuse-scales", "fuse scales and biases into integer products", &fuse_scales},
    {"fuse-batchnorm", "fold per-channel arithmetic into weights and bias", &fuse_batchnorm},
    {.name = "fuse-residual",
     .summary = "make the addition after a Conv its residual input",
     .run = &fuse_residual,
     .after_quantization = true},
    {"fuse-activation", "fuse activations into the preceding operator", &fuse_activation},
    {"average-factors", "turn integer averages with a factor into depthwise convolutions", &average_factors, true},
    {"split-transposed", "rewrite transposed integer convolutions as convolutions", &split_transposed, true},
    {"fuse-qdq", "compute with integers between Dequantize and Quantize", &fuse_qdq, true},
    {"use-exponents", "replace power-of-two scales by exponents", &use_exponents, true},
    {"keep-integer-weights", "store dequantized weights as integers", &keep_integer_weights, true},
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

}  // namespace nestrt::compiler
