// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/optimise.h"

#include <fmt/core.h>

#include <algorithm>

namespace nestrt::compiler {
namespace {

Status check_names(const PassOptions& options) {
  const std::span<const Pass> all = passes();
  for (const std::string& name : options.disabled) {
    if (std::any_of(all.begin(), all.end(), [&](const Pass& pass) { return pass.name == name; })) continue;
    std::string known;
    for (const Pass& pass : all) known += fmt::format("{}{}", known.empty() ? "" : ", ", pass.name);
    return Status(Code::kInvalidArgument, fmt::format("unknown pass '{}'; available: {}", name, known));
  }
  return ok_status();
}

// Runs one pass over the graph and returns the number of its changes.
Result<int> run_pass(const Pass& pass, int round, const PassOptions& options, Graph& graph) {
  if (options.disabled.count(pass.name) != 0) return 0;
  if (options.before_pass) options.before_pass(pass);
  auto changes = pass.run(graph);
  if (!changes) return changes.error().with_context(fmt::format("pass {}", pass.name));
  if (options.observer) options.observer(pass, round, *changes, graph);
  return changes;
}

bool has_exponents(const Graph& graph) {
  for (ValueId id = 0; id < static_cast<ValueId>(graph.num_values()); ++id)
    if (const auto& quantization = graph.value(id).quantization; quantization && !quantization->exponents.empty())
      return true;
  return false;
}

}  // namespace

Status optimise(Graph& graph, const PassOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_names(options));
  graph.tidy();
  int round = 0;
  for (int total = 1; total != 0 && round < kMaxRounds; ++round) {
    total = 0;
    for (const Pass& pass : passes()) {
      if (pass.last || (pass.after_quantization && options.quantizes)) continue;
      NESTRT_ASSIGN_OR_RETURN(const int changes, run_pass(pass, round, options, graph));
      total += changes;
    }
  }
  for (const Pass& pass : passes())
    if (pass.last) NESTRT_RETURN_IF_ERROR(run_pass(pass, round, options, graph).error());
  return ok_status();
}

Status fuse(Graph& graph, const PassOptions& options) {
  if (!options.quantizes && !has_exponents(graph)) return {};
  for (const Pass& pass : passes())
    if (pass.after_quantization) NESTRT_RETURN_IF_ERROR(run_pass(pass, 0, options, graph).error());
  return {};
}

}  // namespace nestrt::compiler
