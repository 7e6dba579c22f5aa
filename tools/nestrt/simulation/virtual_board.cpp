// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/simulation/virtual_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "nestrt/driver/plan_tables.h"
#include "runtime/costs/estimated_costs.h"
#include "runtime/costs/operator_cost.h"
#include "runtime/costs/unit_key.h"
#include "tools/nestrt/figures/memory_traffic.h"

namespace nestrt::command {
namespace {

std::vector<UnitInfo> instances_of(const tools::BoardUnit& unit, int instances) {
  std::vector<UnitInfo> units;
  for (int i = 0; i < (instances > 0 ? instances : unit.instances); ++i)
    units.push_back({unit.kind, unit.kind + std::to_string(i), unit.configuration, 1});
  return units;
}

// Returns the instruction set under which the profile lists the CPU's costs. If the board does not specify one, returns
// the only one in the profile.
Result<std::string> instruction_set_of(const tools::Board& board, const tools::BoardUnit& cpu,
                                       const CostTable& profile) {
  if (!cpu.instruction_set.empty()) return cpu.instruction_set;
  std::set<std::string> measured;
  for (const auto& [key, works] : profile.units())
    if (key.kind == cpu.kind) measured.insert(key.configuration);
  if (measured.size() == 1) return *measured.begin();
  const std::string why =
      measured.empty() && !cpu.estimates.kinds.empty()
          ? "does not specify the instruction_set of its CPU, such as neon, to which its estimates apply"
      : measured.empty()
          ? "has no costs of its CPU; measure them with nestrt profile and pass the file with --profile"
          : fmt::format("does not specify the instruction_set of its CPU, and the profile has several: {}",
                        fmt::join(measured, ", "));
  return Status(Code::kInvalidArgument, fmt::format("board '{}' {}", board.name, why));
}

void add_cpu_costs(const tools::BoardUnit& unit, const std::string& instruction_set, const CostTable& profile,
                   double scale, CostTable& costs) {
  for (const auto& [key, works] : profile.units()) {
    if (key.kind != unit.kind || key.configuration != instruction_set) continue;
    for (const auto& [work, cost] : works) costs.set(key, work, {cost.microseconds * scale, cost.source});
  }
}

// Estimates, for one thread and for all, the operators that are not in a profile, and returns them.
std::vector<uint32_t> estimate_missing(const Plan& plan, UnitInfo cpu, const HostRates& rates, CostTable& profile) {
  std::vector<uint32_t> missing;
  for (uint32_t op = 0; op < plan.tables().operators.size(); ++op)
    if (!operator_cost(profile, plan, op, key_of(cpu), {})) missing.push_back(op);
  if (rates.kinds.empty()) return {};
  add_estimates(plan, std::span(&cpu, 1), profile, rates);
  cpu.num_threads = 1;
  add_estimates(plan, std::span(&cpu, 1), profile, rates);
  return missing;
}

// Returns the plan's target for a kind of unit, or null. A plan has one configuration per kind.
const plan::Target* find_target(const Plan& plan, std::string_view unit) {
  const auto& targets = plan.tables().targets;
  const auto target = std::ranges::find(targets, unit, &plan::Target::unit);
  return target == targets.end() ? nullptr : &*target;
}

// Factors for the times of programs: those in the profile and those in the plan.
struct ClockScales {
  double known = 1, stated = 1;
};

Result<ClockScales> clock_scales(const Plan& plan, const tools::Board& board, const tools::BoardUnit& unit,
                                 double asked_mhz) {
  const double plan_mhz = stated_clock_mhz(plan, unit.kind);
  const double board_mhz = unit.clock_mhz > 0 ? unit.clock_mhz : plan_mhz;
  if (asked_mhz > 0 && board_mhz <= 0)
    return Status(
        Code::kInvalidArgument,
        fmt::format("neither board '{}' nor the plan specifies the clock of '{}'; add clock_mhz to the board file",
                    board.name, unit.kind));
  const double mhz = asked_mhz > 0 ? asked_mhz : board_mhz;
  if (mhz <= 0) return ClockScales();
  return ClockScales{board_mhz / mhz, (plan_mhz > 0 ? plan_mhz : board_mhz) / mhz};
}

double widening_us(const plan::Program& program, double mb_per_s) {
  return mb_per_s > 0 ? static_cast<double>(widened_bytes(program)) / mb_per_s : 0;
}

// The time of a unit's programs in addition to their cycles.
struct ExtraTime {
  double launch_us = 0;
  double widen_mb_per_s = 0;

  double us_of(const plan::Program& program) const { return launch_us + widening_us(program, widen_mb_per_s); }
};

ExtraTime extra_time_on(const tools::BoardUnit& unit, const BoardOverrides& changes) {
  return {unit.launch_us * changes.transfer_scale, unit.widen_mb_per_s / changes.cpu_scale};
}

// Returns the extra time that the plan's times include.
ExtraTime extra_time_in(const Plan& plan, std::string_view unit) {
  const plan::Target* const target = find_target(plan, unit);
  return target == nullptr ? ExtraTime{} : ExtraTime{target->launch_us, target->widen_mb_per_s};
}

// Returns the profile's cost of a program, the sum of its operators' costs if the program is not listed, or else the
// plan's cost.
Result<WorkCost> cost_of_program(const CostTable& profile, const Plan& plan, uint32_t branch, uint32_t program,
                                 const UnitKey& key) {
  Result<WorkCost> cost = branch_cost(profile, plan, branch, program, key);
  const bool is_ours = plan.tables().branches[branch].programs[program].kind == plan::ProgramKind::kInstructions;
  if (cost || cost.error().code() != Code::kNotFound || !is_ours) return cost;
  return Status(
      Code::kInvalidArgument,
      fmt::format("the plan does not contain the times of its programs for '{}'; compile the model with --target for "
                  "a board, such as zcu102, whose file specifies the clock_mhz of that unit",
                  key.kind));
}

// Modelled cycles exclude the launch and the host's share. Measured costs include both. The times in a plan include
// both for the board it was compiled for.
Status add_npu_costs(const Plan& plan, const UnitInfo& unit, const CostTable& profile, const ClockScales& scales,
                     const ExtraTime& extra_time, CostTable& costs) {
  const UnitKey key = key_of(unit);
  const ExtraTime stated = extra_time_in(plan, unit.kind);
  const auto& branches = plan.tables().branches;
  for (uint32_t branch = 0; branch < branches.size(); ++branch) {
    const auto& programs = branches[branch].programs;
    for (uint32_t index = 0; index < programs.size(); ++index) {
      const plan::Program& program = programs[index];
      if (program.unit != unit.kind || program.configuration != unit.configuration) continue;
      const auto known = known_program_cost(profile, plan, branch, index, key);
      NESTRT_ASSIGN_OR_RETURN(const WorkCost cost,
                              known ? Result<WorkCost>(*known) : cost_of_program(profile, plan, branch, index, key));
      const double scale = known ? scales.known : scales.stated;
      double cycles = cost.microseconds, others = 0;
      if (cost.source == CostSource::kModelled) {
        cycles -= std::min(cycles, stated.us_of(program));
        others = extra_time.us_of(program);
      }
      costs.set(key, program_work_name(plan, branch, index), {cycles * scale + others, cost.source});
    }
  }
  return {};
}

UnitOverhead scaled(UnitOverhead overhead, double scale) {
  overhead.start_us *= scale;
  overhead.finish_us *= scale;
  overhead.lane_us *= scale;
  return overhead;
}

// Returns the shared resources without the values that depend on single units.
Result<scheduler::SharedResources> shared_by(const Plan& plan, double memory_mb_per_s) {
  NESTRT_ASSIGN_OR_RETURN(MemoryTraffic traffic, MemoryTraffic::of(plan));
  scheduler::SharedResources shared;
  shared.memory_mb_per_s = memory_mb_per_s;
  shared.bytes = [traffic = std::move(traffic)](uint32_t branch, uint32_t program, ChannelRange channels) {
    return traffic.bytes(branch, program, channels);
  };
  return shared;
}

}  // namespace

double stated_clock_mhz(const Plan& plan, std::string_view unit) {
  const plan::Target* const target = find_target(plan, unit);
  return target == nullptr ? 0 : target->clock_mhz;
}

Result<VirtualBoard> make_virtual_board(const Plan& plan, const tools::Board& board, const CostTable& profile,
                                        const BoardOverrides& changes) {
  VirtualBoard result;
  std::vector<UnitInfo> cpus;
  std::map<std::string, double, std::less<>> widen_mb_per_s;  // by kind of unit
  NESTRT_ASSIGN_OR_RETURN(result.shared, shared_by(plan, changes.memory_mb_per_s.value_or(board.memory_mb_per_s)));
  for (const tools::BoardUnit& unit : board.units) {
    if (unit.is_host) {
      const int threads = changes.threads > 0 ? changes.threads : static_cast<int>(unit.threads);
      NESTRT_ASSIGN_OR_RETURN(const std::string instruction_set, instruction_set_of(board, unit, profile));
      cpus.push_back({unit.kind, unit.kind, instruction_set, threads, true});
      result.shared.waits = {unit.awake_us * changes.wait_scale, unit.wake_us * changes.wait_scale};
      result.shared.kernel_us = unit.kernel_us * changes.cpu_scale;
      CostTable known = profile;
      result.estimated = estimate_missing(plan, cpus.back(), unit.estimates, known);
      add_cpu_costs(unit, instruction_set, known, changes.cpu_scale, result.costs);
      const UnitOverhead overhead = scaled(unit.overhead, changes.transfer_scale);
      result.costs.set_overhead({unit.kind, instruction_set, 1}, overhead);
      continue;
    }
    NESTRT_ASSIGN_OR_RETURN(const ClockScales scales, clock_scales(plan, board, unit, changes.npu_clock_mhz));
    const std::vector<UnitInfo> instances = instances_of(unit, changes.instances);
    const ExtraTime extra_time = extra_time_on(unit, changes);
    NESTRT_RETURN_IF_ERROR(add_npu_costs(plan, instances.front(), profile, scales, extra_time, result.costs));
    widen_mb_per_s[unit.kind] = extra_time.widen_mb_per_s;
    result.costs.set_overhead(key_of(instances.front()), scaled(unit.overhead, changes.transfer_scale));
    result.units.insert(result.units.end(), instances.begin(), instances.end());
    result.shared.awake_us.resize(result.units.size(), unit.awake_us * changes.wait_scale);
  }
  if (cpus.size() != 1)
    return Status(Code::kInvalidArgument, "board '" + board.name + "' must have exactly one unit 'cpu'");
  result.units.push_back(cpus.front());
  result.shared.awake_us.push_back(0);
  result.shared.host_us = [tables = &plan.tables(), widen_mb_per_s](uint32_t branch, uint32_t program) {
    const plan::Program& its = tables->branches[branch].programs[program];
    const auto rate = widen_mb_per_s.find(its.unit);
    return rate == widen_mb_per_s.end() ? 0 : widening_us(its, rate->second);
  };
  return result;
}

std::vector<std::string> estimated_operators(const Plan& plan, const VirtualBoard& board) {
  std::vector<std::string> names;
  for (const uint32_t op : board.estimated) names.emplace_back(plan.tables().operators[op].name);
  return names;
}

}  // namespace nestrt::command
