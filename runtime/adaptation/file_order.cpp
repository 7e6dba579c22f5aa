// SPDX-License-Identifier: Apache-2.0
#include "runtime/adaptation/file_order.h"

#include <fmt/core.h>

#include <optional>

#include "runtime/plan/queries/program_for.h"

namespace nestrt {
namespace {

struct Place {
  uint32_t unit = 0;
  uint32_t program = 0;
};

std::optional<Place> place_of(const plan::Branch& branch, std::span<const UnitInfo> units) {
  std::optional<Place> on_host;
  for (uint32_t unit = 0; unit < units.size(); ++unit) {
    const std::optional<uint32_t> program = program_index_for(branch, units[unit]);
    if (!program) continue;
    const Place place{unit, *program};
    if (!units[unit].is_host) return place;
    if (!on_host) on_host = place;
  }
  return on_host;
}

std::string describe(std::string_view kind, std::string_view configuration) {
  return configuration.empty() ? std::string(kind) : fmt::format("{} ({})", kind, configuration);
}

Status no_unit_for(const plan::Branch& branch, uint32_t index, std::span<const UnitInfo> units) {
  std::string wanted, given;
  for (const plan::Program& program : branch.programs)
    wanted += fmt::format("{}{}", wanted.empty() ? "" : ", ", describe(program.unit, program.configuration));
  for (const UnitInfo& unit : units)
    given += fmt::format("{}{}", given.empty() ? "" : ", ", describe(unit.kind, unit.configuration));
  return Status(
      Code::kIncompatible,
      fmt::format(
          "branch {} has programs for {}, but the session's units are {}; add a unit or recompile the model for it",
          index, wanted, given));
}

// Adds a lane for each unit, the host's first, and returns the lane of each unit.
std::vector<uint32_t> lanes_of(std::span<const UnitInfo> units, Schedule* schedule) {
  std::vector<uint32_t> lane_of(units.size());
  const auto add = [&](bool host) {
    for (uint32_t unit = 0; unit < units.size(); ++unit) {
      if (units[unit].is_host != host) continue;
      lane_of[unit] = static_cast<uint32_t>(schedule->lanes.size());
      schedule->lanes.push_back({unit});
    }
  };
  add(true);
  add(false);
  return lane_of;
}

}  // namespace

Result<Schedule> file_order_schedule(const Plan& plan, std::span<const UnitInfo> units) {
  Schedule schedule;
  const std::vector<uint32_t> lane_of = lanes_of(units, &schedule);
  const auto& branches = plan.tables().branches;
  for (uint32_t branch = 0; branch < branches.size(); ++branch) {
    const std::optional<Place> place = place_of(branches[branch], units);
    if (!place) return no_unit_for(branches[branch], branch, units);
    Step step;
    step.branch = branch;
    step.program = place->program;
    step.lane = lane_of[place->unit];
    if (branch > 0 && schedule.steps.back().lane != step.lane) step.waits.push_back(branch - 1);
    schedule.steps.push_back(std::move(step));
  }
  return schedule;
}

}  // namespace nestrt
