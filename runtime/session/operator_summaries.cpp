// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/operator_summaries.h"

#include <string>

#include "nestrt/driver/operator_kinds.h"
#include "nestrt/driver/plan_tables.h"

namespace nestrt {
namespace {

// Adds the unit once, even if several of its steps compute slices of the operator.
void add_unit(OperatorSummary& summary, const std::string& name) {
  const std::string known = "+" + summary.unit + "+";
  if (known.find("+" + name + "+") != std::string::npos) return;
  summary.unit += (summary.unit.empty() ? "" : "+") + name;
}

}  // namespace

std::vector<OperatorSummary> summarize_operators(const Plan& plan, const UnitList& units,
                                                 const PreparedSchedule& schedule) {
  std::vector<OperatorSummary> summaries;
  for (const plan::Operator& op : plan.tables().operators) {
    OperatorSummary& summary = summaries.emplace_back();
    summary.name = op.name;
    summary.kind = ops::name(op.kind());
  }
  for (const PreparedStep& step : schedule.steps()) {
    for (const Executable::KernelChoice& choice : step.executable->kernel_choices()) {
      OperatorSummary& summary = summaries[choice.operator_index];
      summary.kernel = choice.kernel;
      summary.repacked |= choice.repacked;
      summary.is_row_fused |= choice.is_row_fused;
      add_unit(summary, units[step.unit]->info().name);
    }
  }
  return summaries;
}

}  // namespace nestrt
