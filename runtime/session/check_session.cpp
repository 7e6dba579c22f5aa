// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/check_session.h"

#include <fmt/core.h>

#include <algorithm>

#include "nestrt/log.h"
#include "runtime/execution/check_options.h"
#include "runtime/plan/queries/program_for.h"

namespace nestrt {
namespace {

Status check_units(const UnitList& units) {
  if (units.empty())
    return Status(Code::kInvalidArgument, "a session needs at least one unit; open one with open_units(\"cpu\")");
  for (auto unit = units.begin(); unit != units.end(); ++unit) {
    if (*unit == nullptr) return Status(Code::kInvalidArgument, "a unit of the session is null");
    const auto has_same_name = [&](const auto& other) { return other->info().name == (*unit)->info().name; };
    if (std::any_of(units.begin(), unit, has_same_name))
      return Status(Code::kInvalidArgument, "two units of the session have the same name; pass each unit once");
  }
  return {};
}

Status check_signer(const Plan& plan, const std::vector<PublicKey>& trusted) {
  if (trusted.empty() || (plan.signer() && std::ranges::find(trusted, *plan.signer()) != trusted.end())) return {};
  return Status(Code::kInvalidPlan,
                "the session only accepts signed plans, and this plan was not loaded with a trusted key as its signer; "
                "load it with LoadOptions::trusted_keys");
}

void log_unused_units(const Plan& plan, const UnitList& units) {
  for (const std::shared_ptr<Unit>& unit : units) {
    const UnitInfo& info = unit->info();
    if (info.is_host || is_useful(plan.tables(), info)) continue;
    log(LogLevel::kWarning,
        fmt::format("unit '{}' ({}) is not used: the plan has no program for it; quantize the model and compile it for "
                    "this unit",
                    info.name, info.configuration));
  }
}

}  // namespace

Status check_session(const Plan& plan, const UnitList& units, const SessionOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_options(options));
  NESTRT_RETURN_IF_ERROR(check_units(units));
  NESTRT_RETURN_IF_ERROR(check_signer(plan, options.trusted_keys));
  log_unused_units(plan, units);
  return {};
}

}  // namespace nestrt
