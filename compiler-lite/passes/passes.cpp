#include "compiler-lite/passes/passes.h"

namespace nestrt::compiler {
namespace {

// Clean first, so that patterns stand bare; recognise whole activations before their parts are folded into weights;
// residuals before activations, since the activation of a Conv comes after its residual.
constexpr Pass kPasses[] = {
    {"fold-constants", "evaluate nodes whose inputs are all constant", &fold_constants},
    {"remove-identity", "remove operators that change nothing, merge those that follow each other", &remove_identity},
    {"common-subexpressions", "compute equal nodes once, store equal constants once", &common_subexpressions},
    {"remove-dead", "drop nodes and constants that no output needs", &remove_dead},
    {"sink-transposes", "move Transposes down until they cancel", &sink_transposes},
    {"recognise-activations", "replace spelled-out activations by one operator", &recognise_activations},
    {"fuse-pad", "fold Pad into Conv and Pool", &fuse_pad},
    {"fuse-batchnorm", "fold per-channel arithmetic into weights and bias", &fuse_batchnorm},
    {.name = "fuse-residual",
     .summary = "make the addition after a Conv its residual input",
     .run = &fuse_residual,
     .after_quantization = true},
    {"fuse-activation", "make activations part of the operator before them", &fuse_activation},
    {"fuse-qdq", "compute with integers between Dequantize and Quantize", &fuse_qdq, true},
    {.name = kFuseSeparable,
     .summary = "compute depthwise Conv and the 1 x 1 Conv around it together, where that saves memory traffic",
     .run = nullptr,
     .by_placement = true},
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

}  // namespace nestrt::compiler
