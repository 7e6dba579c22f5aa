// SPDX-License-Identifier: Apache-2.0
// nestrt verify: checks a plan file and compares the results of units with those of the CPU.
#include <fmt/core.h>

#include <algorithm>

#include "nestrt/driver/plan_tables.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/program_for.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/figures/packed_weights.h"
#include "tools/nestrt/figures/summaries.h"
#include "tools/nestrt/load.h"
#include "tools/support/report/compare_units.h"
#include "tools/support/report/plan_shape.h"

namespace nestrt::command {
namespace {

struct VerifyOptions {
  std::string plan;
  UnitChoice units;
  ReadChoice reading;
};

const char* why_not(const Plan& plan, const UnitInfo& unit) {
  const bool has_program = std::ranges::any_of(plan.tables().branches, [&](const plan::Branch& branch) {
    return std::ranges::any_of(branch.programs, [&](const auto& program) { return can_run(program, unit); });
  });
  return has_program ? "no other unit has a program for its operators (for a vendor, --vendor-optional creates both)"
                     : "the plan has no program for it; nestc explain PLAN shows the reasons";
}

// Returns false, after printing the reasons, if an accelerator has no program that could be compared.
bool all_are_compared(const Plan& plan, const UnitList& units,
                      const std::vector<tools::BranchComparison>& comparisons) {
  bool all = true;
  for (const auto& unit : units) {
    const UnitInfo& info = unit->info();
    const bool is_compared = std::any_of(comparisons.begin(), comparisons.end(),
                                         [&](const auto& comparison) { return comparison.unit == info.name; });
    if (info.is_host || is_compared) continue;
    fmt::print("units      nothing was compared on {} ({}): {}\n", info.name, info.configuration, why_not(plan, info));
    all = false;
  }
  return all;
}

// Returns false, after printing the differences, if the unit's results differ from the CPU's or if it wrote to other
// memory.
bool matches_cpu(const tools::BranchComparison& comparison) {
  const auto complain = [&](std::string_view what) {
    fmt::print("units      branch {} ({}){} on {}: {}\n", comparison.branch, tools::printable(comparison.operators),
               comparison.channels.all() ? "" : ", channels " + to_string(comparison.channels), comparison.unit, what);
  };
  if (comparison.different > 0)
    complain(fmt::format("{} of {} bytes differ from the CPU's", comparison.different, comparison.bytes));
  if (comparison.stray > 0) complain(fmt::format("{} bytes outside its outputs have changed", comparison.stray));
  return comparison.different == 0 && comparison.stray == 0;
}

// Returns false if a unit's results differ from the CPU's or if it computes nothing.
Result<bool> verify_units(const LoadedPlan& loaded) {
  if (loaded.units.size() == 1) return true;
  NESTRT_ASSIGN_OR_RETURN(const auto comparisons, tools::compare_units(loaded.plan, loaded.units));
  uint64_t bytes = 0;
  size_t partial = 0;
  bool all_right = true;
  for (const tools::BranchComparison& comparison : comparisons) {
    bytes += comparison.bytes;
    partial += comparison.channels.all() ? 0 : 1;
    all_right = matches_cpu(comparison) && all_right;
  }
  if (all_right && !comparisons.empty())
    fmt::print("units      {} programs{} compute the CPU's results bit for bit, on random inputs ({})\n",
               comparisons.size() - partial,
               partial == 0 ? "" : fmt::format(" and {} that share a layer with the CPU", partial),
               tools::format_bytes(bytes));
  return all_are_compared(*loaded.plan, loaded.units, comparisons) && all_right;
}

// Verifies one shape. Returns false if a unit's results differ from the CPU's or if it computes nothing.
Result<bool> verify_shape(const VerifyOptions& options, const UnitChoice& units) {
  NESTRT_ASSIGN_OR_RETURN(const LoadedPlan loaded, load_plan(options.plan, units, options.reading));
  const PlanSummary summary = summarize_plan(*loaded.session);
  const plan::Tables& tables = loaded.plan->tables();
  fmt::print("content    {} match digest {}\n", tools::format_bytes(summary.file_bytes), summary.digest);
  if (loaded.plan->signer()) fmt::print("signed     with key {}\n", loaded.plan->signer()->to_string());
  fmt::print("tables     {} tensors, {} buffers, {} branches: indices, sizes, types, alignments, order\n",
             tables.tensors.size(), tables.buffers.size(), summary.num_branches);
  fmt::print("operators  {}: attributes and shapes are valid; each operator has a kernel on this machine\n",
             summary.operators.size());
  NESTRT_RETURN_IF_ERROR(check_packed_weights(*loaded.plan));
  fmt::print("weights    packed weights equal the operators' own\n");
  return verify_units(loaded);
}

// Verifies the requested shape, or else all.
Result<ExitCode> run_verify(const VerifyOptions& options) {
  UnitChoice units = options.units;
  units.method = ScheduleMethod::kFileOrder;  // all programs are run regardless of the schedule
  NESTRT_ASSIGN_OR_RETURN(const LoadOptions reading, options.reading.options());
  NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::map(options.plan, reading));
  const int all = std::max(static_cast<int>(plan->shapes().size()), 1);
  bool equal = true;
  for (int shape = std::max(options.units.shape, 1); shape <= all; ++shape) {
    units.shape = shape;
    if (all > 1) fmt::print("shape      {} of {}\n", shape, all);
    NESTRT_ASSIGN_OR_RETURN(const bool is_equal, verify_shape(options, units));
    equal = is_equal && equal;
    if (options.units.shape > 0) break;
  }
  if (options.units.shape > all) return tools::plan_of_shape(plan, options.units.shape).error();
  if (!equal) return ExitCode::kMismatch;
  fmt::print("{} is valid\n", options.plan);
  return ExitCode::kOk;
}

}  // namespace

void add_verify(tools::Cli& cli) {
  auto options = std::make_shared<VerifyOptions>();
  tools::Command app = cli.add_command(
      "verify", "Check a plan: digests, tables, operators, and the results of its units",
      {"nestrt verify squeezenet.nest && scp squeezenet.nest board:",
       "nestrt verify squeezenet.nest --units cpu,evta:sim", "nestrt verify squeezenet.nest --key team.pub"},
      [options] { return run_verify(*options); });
  add_plan_argument(app, options->plan);
  add_unit_options(app, options->units);
  add_read_options(app, options->reading);
}

}  // namespace nestrt::command
