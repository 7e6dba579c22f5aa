// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/check_schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/plan/queries/channel_order.h"
#include "runtime/plan/queries/dependencies.h"
#include "runtime/plan/queries/program_for.h"

namespace nestrt {
namespace {

class ScheduleCheck {
 public:
  ScheduleCheck(const Plan& plan, std::span<const UnitInfo> units, const Schedule& schedule)
      : plan_(plan.tables()), units_(units), schedule_(schedule), steps_of_(plan_.branches.size()) {}

  Status run() {
    NESTRT_RETURN_IF_ERROR(check_lanes());
    for (uint32_t step = 0; step < schedule_.steps.size(); ++step) {
      const Status status = check_step(step);
      if (!status.ok()) return status.with_context(fmt::format("step {}", step));
      steps_of_[schedule_.steps[step].branch].push_back(step);
    }
    for (uint32_t branch = 0; branch < steps_of_.size(); ++branch) NESTRT_RETURN_IF_ERROR(check_coverage(branch));
    return check_order();
  }

 private:
  static Status wrong(std::string what) {
    return Status(Code::kInvalidArgument, fmt::format("invalid schedule: {}", what));
  }

  Status check_lanes() const {
    for (const Lane& lane : schedule_.lanes)
      if (lane.unit >= units_.size())
        return wrong(fmt::format("a lane refers to unit {}, which does not exist", lane.unit));
    const auto host = std::ranges::find(units_, true, &UnitInfo::is_host);
    if (schedule_.lanes.size() < 2 || host == units_.end()) return {};
    if (&units_[schedule_.lanes[0].unit] == &*host) return {};
    return wrong(fmt::format("lane 0 does not belong to unit '{}'", host->name));  // it runs on the caller's thread
  }

  Status check_step(uint32_t index) const {
    const Step& step = schedule_.steps[index];
    if (step.lane >= schedule_.lanes.size()) return wrong("its lane does not exist");
    if (step.branch >= steps_of_.size()) return wrong("its branch does not exist");
    for (uint32_t before : step.waits)
      if (before >= index) return wrong("it waits for a step that does not precede it");
    const auto& programs = plan_.branches[step.branch].programs;
    if (step.program >= programs.size()) return wrong("its program does not exist");
    const plan::Program& program = programs[step.program];
    const UnitInfo& unit = units_[schedule_.lanes[step.lane].unit];
    if (step.threads < 0 || (unit.is_host && step.threads > unit.num_threads))
      return wrong(fmt::format("it requests {} threads, expected 0 to {}", step.threads, unit.num_threads));
    if (!can_run(program, unit)) return wrong(fmt::format("unit '{}' cannot run its program", unit.name));
    const bool fits = program.channels.all() ? step.channels.all() || program.kind == plan::ProgramKind::kKernels
                                             : step.channels == program.channels;
    return fits ? Status() : wrong("its program does not compute the requested channels");
  }

  // Checks that the channel ranges of an operator's parts are contiguous and complete.
  Status check_coverage(uint32_t branch) const {
    std::vector<ChannelRange> parts;
    for (uint32_t step : steps_of_[branch]) parts.push_back(schedule_.steps[step].channels);
    if (parts.empty() && computes_nothing(plan_, branch)) return {};
    std::sort(parts.begin(), parts.end());
    if (parts.size() == 1 && parts[0].all()) return {};
    const uint64_t channels = output_channels(branch);
    using Place = std::pair<uint32_t, uint32_t>;  // a channel, and a row of its block
    Place next{0, 0};
    bool follow = true;
    for (const ChannelRange& part : parts) {
      const Place begin{part.begin, part.begin_row}, end{part.end, part.end_row};
      follow &= begin == next && end > begin;
      next = end;
    }
    return follow && next.first > 0 && next.first == channels && next.second == 0
               ? Status()
               : wrong(fmt::format("branch {} is not computed exactly once", branch));
  }

  uint64_t output_channels(uint32_t branch) const {
    const plan::Operator& op = plan_.operators[plan_.branches[branch].operators[0]];
    const plan::Tensor& output = plan_.tensors[static_cast<uint32_t>(op.outputs[0])];
    return output.shape.rank() > 1 ? static_cast<uint64_t>(output.shape[1]) : 0;
  }

  // Computes, for each step, how many steps of each lane are guaranteed to have ended before it starts. The counts
  // propagate along lanes and waits.
  Status check_order() const {
    const size_t lanes = schedule_.lanes.size();
    std::vector<std::vector<uint32_t>> ended(schedule_.steps.size(), std::vector<uint32_t>(lanes, 0));
    std::vector<uint32_t> last(lanes, UINT32_MAX), position(schedule_.steps.size());
    std::vector<uint32_t> count(lanes, 0);
    const auto dependencies = branch_dependencies(plan_);
    const std::vector<uint32_t> by_channel = channel_predecessors(plan_);
    for (uint32_t index = 0; index < schedule_.steps.size(); ++index) {
      const Step& step = schedule_.steps[index];
      std::vector<uint32_t>& mine = ended[index];
      const auto follow = [&](uint32_t before) {
        for (size_t lane = 0; lane < lanes; ++lane) mine[lane] = std::max(mine[lane], ended[before][lane]);
        uint32_t& own = mine[schedule_.steps[before].lane];
        own = std::max(own, position[before] + 1);
      };
      if (last[step.lane] != UINT32_MAX) follow(last[step.lane]);
      for (uint32_t before : step.waits) follow(before);
      position[index] = count[step.lane]++;
      last[step.lane] = index;
      for (uint32_t branch : dependencies[step.branch])
        for (uint32_t before : steps_of_[branch])
          if ((by_channel[step.branch] != branch || step.channels.has_channels_of(schedule_.steps[before].channels)) &&
              (before >= index || mine[schedule_.steps[before].lane] <= position[before]))
            return wrong(fmt::format("step {} reads data that step {} may not have computed yet", index, before));
    }
    return {};
  }

  const plan::Tables& plan_;
  const std::span<const UnitInfo> units_;
  const Schedule& schedule_;
  std::vector<std::vector<uint32_t>> steps_of_;  // per branch
};

}  // namespace

Status check_schedule(const Plan& plan, std::span<const UnitInfo> units, const Schedule& schedule) {
  return ScheduleCheck(plan, units, schedule).run();
}

bool is_file_order(const Schedule& schedule) {
  for (uint32_t index = 1; index < schedule.steps.size(); ++index) {
    const Step &before = schedule.steps[index - 1], &step = schedule.steps[index];
    const bool follows = step.lane == before.lane || std::count(step.waits.begin(), step.waits.end(), index - 1) > 0;
    if (!follows || step.branch < before.branch) return false;
  }
  return true;
}

}  // namespace nestrt
