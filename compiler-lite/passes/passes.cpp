#include "compiler-lite/passes/passes.h"

#include <fmt/core.h>

#include <algorithm>

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
};

Status check_names(const PassOptions& options) {
  for (const std::string& name : options.disabled) {
    if (std::any_of(std::begin(kPasses), std::end(kPasses), [&](const Pass& pass) { return pass.name == name; }))
      continue;
    std::string known;
    for (const Pass& pass : kPasses) known += fmt::format("{}{}", known.empty() ? "" : ", ", pass.name);
    return Status(Code::kInvalidArgument, fmt::format("there is no pass '{}'; the passes are {}", name, known));
  }
  return ok_status();
}

// One pass over the graph; the number of its changes.
Result<int> run_pass(const Pass& pass, int round, const PassOptions& options, Graph& graph) {
  if (options.disabled.count(pass.name) != 0) return 0;
  if (options.before_pass) options.before_pass(pass);
  auto changes = pass.run(graph);
  if (!changes) return changes.error().with_context(fmt::format("pass {}", pass.name));
  if (options.observer) options.observer(pass, round, *changes, graph);
  return changes;
}

}  // namespace

std::span<const Pass> passes() { return kPasses; }

Status optimise(Graph& graph, const PassOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_names(options));
  graph.tidy();
  int round = 0;
  for (int total = 1; total != 0 && round < kMaxRounds; ++round) {
    total = 0;
    for (const Pass& pass : kPasses) {
      if (pass.last || (pass.after_quantization && options.quantizes)) continue;
      NESTRT_ASSIGN_OR_RETURN(const int changes, run_pass(pass, round, options, graph));
      total += changes;
    }
  }
  for (const Pass& pass : kPasses)
    if (pass.last) NESTRT_RETURN_IF_ERROR(run_pass(pass, round, options, graph).error());
  return ok_status();
}

Status fuse(Graph& graph, const PassOptions& options) {
  if (!options.quantizes) return {};
  for (const Pass& pass : kPasses)
    if (pass.after_quantization) NESTRT_RETURN_IF_ERROR(run_pass(pass, 0, options, graph).error());
  return {};
}

}  // namespace nestrt::compiler
