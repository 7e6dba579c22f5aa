// nestrt verify: everything that can be wrong with a plan file, short of its results.
#include <fmt/format.h>

#include "nestrt/plan_generated.h"
#include "runtime/command/commands.h"
#include "runtime/command/load.h"
#include "runtime/command/summaries.h"

namespace nestrt::command {
namespace {

struct Options {
  std::string plan;
  UnitChoice units;
};

Result<ExitCode> run_verify(const Options& options) {
  NESTRT_ASSIGN_OR_RETURN(const LoadedPlan loaded, load_plan(options.plan, options.units));
  const PlanSummary summary = summarize_plan(*loaded.session);
  const plan::Plan& tables = loaded.plan->tables();
  fmt::print("content    {} match digest {}\n", tools::format_bytes(summary.file_bytes), summary.digest);
  fmt::print("tables     {} tensors, {} buffers, {} branches: indices, sizes, types, alignments, order\n",
             tables.tensors()->size(), tables.buffers()->size(), summary.num_branches);
  fmt::print("operators  {}: attributes and shapes legal, each has a kernel here\n", summary.operators.size());
  fmt::print("{} is a good plan\n", options.plan);
  return ExitCode::kOk;
}

}  // namespace

void add_verify(tools::Cli& cli) {
  auto options = std::make_shared<Options>();
  CLI::App& app = cli.add_command("verify", "Check a plan completely: digests, tables, operators",
                                  {"nestrt verify squeezenet.nest && scp squeezenet.nest board:"},
                                  [options] { return run_verify(*options); });
  add_plan_argument(app, options->plan);
  add_unit_options(app, options->units);
}

}  // namespace nestrt::command
