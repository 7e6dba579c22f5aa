// nestrt verify: everything that can be wrong with a plan file, short of its results.
#include <fmt/format.h>

#include "nestrt/plan_generated.h"
#include "runtime/command/commands.h"
#include "runtime/command/load.h"
#include "runtime/command/summaries.h"

namespace nestrt::command {
namespace {

Result<ExitCode> run_verify(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const LoadedPlan loaded, load_plan(path));
  const PlanSummary summary = summarize_plan(*loaded.session);
  const plan::Plan& tables = loaded.plan->tables();
  fmt::print("content    {} match digest {}\n", tools::format_bytes(summary.file_bytes), summary.digest);
  fmt::print("tables     {} tensors, {} buffers, {} branches: indices, sizes, types, alignments, order\n",
             tables.tensors()->size(), tables.buffers()->size(), summary.num_branches);
  fmt::print("operators  {}: attributes and shapes legal, each has a kernel here\n", summary.operators.size());
  fmt::print("{} is a good plan\n", path);
  return ExitCode::kOk;
}

}  // namespace

void add_verify(tools::Cli& cli) {
  auto path = std::make_shared<std::string>();
  CLI::App& app = cli.add_command("verify", "Check a plan completely: digests, tables, operators",
                                  {"nestrt verify squeezenet.nest && scp squeezenet.nest board:"},
                                  [path] { return run_verify(*path); });
  add_plan_argument(app, *path);
}

}  // namespace nestrt::command
