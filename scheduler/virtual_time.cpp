#include "scheduler/virtual_time.h"

#include <fmt/core.h>

#include <algorithm>

#include "scheduler/joins.h"
#include "scheduler/none.h"

namespace nestrt::scheduler {
namespace {

std::vector<uint32_t> tasks_by_branch(const Problem& problem) {
  std::vector<uint32_t> tasks;
  for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
    const uint32_t branch = problem.tasks[task].branch;
    if (branch >= tasks.size()) tasks.resize(branch + 1, kNone);
    tasks[branch] = task;
  }
  return tasks;
}

Status unknown_step(uint32_t step, const char* why) {
  return Status(Code::kInvalidArgument, fmt::format("step {} of the schedule {}", step, why));
}

// A step as a part of a task.
struct KnownStep {
  uint32_t task = 0;
  Part part;
};

// The problem's lane for one of a schedule's: of the same unit, and the first, second, ... of them for the first,
// second, ... of that one's.
uint32_t problem_lane(const Problem& problem, const Schedule& schedule, uint32_t lane) {
  const uint32_t unit = schedule.lanes[lane].unit;
  const auto is_of_unit = [unit](const Lane& other) { return other.unit == unit; };
  auto before = std::count_if(schedule.lanes.begin(), schedule.lanes.begin() + lane, is_of_unit);
  for (uint32_t other = 0; other < problem.lanes.size(); ++other)
    if (is_of_unit(problem.lanes[other]) && before-- == 0) return other;
  return kNone;
}

Result<uint32_t> find_task(const std::vector<uint32_t>& tasks, const Schedule& schedule, uint32_t index) {
  const Step& step = schedule.steps[index];
  if (step.lane >= schedule.lanes.size()) return unknown_step(index, "has a lane that does not exist");
  const uint32_t task = step.branch < tasks.size() ? tasks[step.branch] : kNone;
  if (task == kNone)
    return unknown_step(index, fmt::format("computes branch {}, which is no task", step.branch).c_str());
  return task;
}

Result<KnownStep> on_lane(const Problem& problem, const Schedule& schedule, uint32_t index, KnownStep step) {
  step.part.lane = problem_lane(problem, schedule, schedule.steps[index].lane);
  if (step.part.lane == kNone) return unknown_step(index, "has one lane too many of its unit");
  return step;
}

Result<KnownStep> find_step(const Problem& problem, const std::vector<uint32_t>& tasks, const Schedule& schedule,
                            uint32_t index) {
  NESTRT_ASSIGN_OR_RETURN(const uint32_t task, find_task(tasks, schedule, index));
  const Step& step = schedule.steps[index];
  for (const Choice& choice : problem.tasks[task].choices)
    for (const Part& part : choice.parts)
      if (problem.lanes[part.lane].unit == schedule.lanes[step.lane].unit && part.program == step.program &&
          part.channels == step.channels && part.threads == step.threads)
        return on_lane(problem, schedule, index, {task, part});
  return unknown_step(index, "is none that the problem knows the cost of");
}

// By branch: one more than the last channel that a step computes.
std::vector<uint32_t> channels_by_branch(const Schedule& schedule) {
  std::vector<uint32_t> channels;
  for (const Step& step : schedule.steps) {
    if (step.branch >= channels.size()) channels.resize(step.branch + 1, 0);
    channels[step.branch] = std::max(channels[step.branch], step.channels.end);
  }
  return channels;
}

Part part_of(const Step& step, double us, uint32_t channels) {
  Part part;
  part.us = us;
  part.program = step.program;
  part.channels = step.channels;
  part.threads = step.threads;
  if (!step.channels.all()) part.output_share = double{1} * (step.channels.end - step.channels.begin) / channels;
  return part;
}

Result<std::vector<KnownStep>> timed_steps(const Problem& problem, const Schedule& schedule,
                                           std::span<const double> step_us) {
  const std::vector<uint32_t> tasks = tasks_by_branch(problem), channels = channels_by_branch(schedule);
  std::vector<KnownStep> steps;
  for (uint32_t index = 0; index < schedule.steps.size(); ++index) {
    NESTRT_ASSIGN_OR_RETURN(const uint32_t task, find_task(tasks, schedule, index));
    const Step& step = schedule.steps[index];
    const Part part = part_of(step, step_us[index], channels[step.branch]);
    NESTRT_ASSIGN_OR_RETURN(steps.emplace_back(), on_lane(problem, schedule, index, {task, part}));
  }
  return steps;
}

Result<std::vector<KnownStep>> find_steps(const Problem& problem, const Schedule& schedule) {
  const std::vector<uint32_t> tasks = tasks_by_branch(problem);
  std::vector<KnownStep> steps;
  for (uint32_t index = 0; index < schedule.steps.size(); ++index) {
    NESTRT_ASSIGN_OR_RETURN(KnownStep step, find_step(problem, tasks, schedule, index));
    steps.push_back(std::move(step));
  }
  return steps;
}

class VirtualTime {
 public:
  VirtualTime(const Problem& problem, const Schedule& schedule, const std::vector<KnownStep>& steps)
      : problem_(problem),
        schedule_(schedule),
        steps_(steps),
        steps_of_(problem.tasks.size()),
        free_(schedule.lanes.size(), 0) {}

  Result<VirtualRun> run() && {
    for (uint32_t index = 0; index < steps_.size(); ++index) {
      NESTRT_RETURN_IF_ERROR(run_step(index));
      steps_of_[steps_[index].task].push_back(index);
    }
    return std::move(run_);
  }

 private:
  Status run_step(uint32_t index) {
    const auto& [task, part] = steps_[index];
    const Step& step = schedule_.steps[index];
    StepSpan span;
    span.ready_us = fetch_us(problem_, problem_.tasks[task], part);
    for (const TaskInput& input : problem_.tasks[task].inputs) {
      if (steps_of_[input.task].empty()) return unknown_step(index, "comes before a step that it reads");
      for (uint32_t from : steps_of_[input.task])
        if (reads(input, part, steps_[from].part))
          span.ready_us = std::max(span.ready_us, arrival_us(from, index, input.bytes));
    }
    for (uint32_t wait : step.waits) {
      if (wait >= index) return unknown_step(index, "waits for a later one");
      span.ready_us = std::max(span.ready_us, arrival_us(wait, index, 0));
    }
    span.start_us = std::max(span.ready_us, free_[step.lane]);
    span.end_us = span.start_us + part.us;
    free_[step.lane] = span.end_us;
    run_.makespan_us = std::max(run_.makespan_us, span.end_us + deliver_us(problem_, problem_.tasks[task], part));
    run_.spans.push_back(span);
    return {};
  }

  double arrival_us(uint32_t from, uint32_t to, double bytes) const {
    const Part &before = steps_[from].part, &after = steps_[to].part;
    return run_.spans[from].end_us + transfer_us(problem_, before.lane, after.lane, bytes * before.output_share);
  }

  const Problem& problem_;
  const Schedule& schedule_;
  const std::vector<KnownStep>& steps_;
  std::vector<std::vector<uint32_t>> steps_of_;  // by task
  std::vector<double> free_;                     // by lane
  VirtualRun run_;
};

}  // namespace

Result<VirtualRun> run_in_virtual_time(const Problem& problem, const Schedule& schedule) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<KnownStep> steps, find_steps(problem, schedule));
  return VirtualTime(problem, schedule, steps).run();
}

Result<VirtualRun> run_in_virtual_time(const Problem& problem, const Schedule& schedule,
                                       std::span<const double> step_us) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<KnownStep> steps, timed_steps(problem, schedule, step_us));
  return VirtualTime(problem, schedule, steps).run();
}

Result<std::vector<double>> unit_loads_us(const Problem& problem, const Schedule& schedule) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<KnownStep> steps, find_steps(problem, schedule));
  std::vector<double> loads(problem.units.size(), 0);
  for (const KnownStep& step : steps) loads[problem.lanes[step.part.lane].unit] += step.part.us * step.part.unit_share;
  return loads;
}

uint32_t count_groups_side_by_side(const Problem& problem, const Schedule& schedule, const VirtualRun& run) {
  const JoinedGraph joined = with_joins(problem);
  const RegionTree tree = find_regions(joined.graph);
  const std::vector<uint32_t> task_of = tasks_by_branch(problem);
  uint32_t count = 0;
  for (const ParallelGroup& group : parallel_groups(tree)) {
    std::vector<uint32_t> child_of(problem.tasks.size(), kNone);
    for (uint32_t child : tree.regions[group.region].children)
      for (uint32_t task : joined.tasks_among(tree.nodes_of(child))) child_of[task] = child;
    struct Busy {
      double start, end;
      uint32_t child;
    };
    std::vector<Busy> busy;
    for (uint32_t i = 0; i < schedule.steps.size(); ++i) {
      const uint32_t child = child_of[task_of[schedule.steps[i].branch]];
      if (child != kNone && run.spans[i].end_us > run.spans[i].start_us)
        busy.push_back({run.spans[i].start_us, run.spans[i].end_us, child});
    }
    count += std::any_of(busy.begin(), busy.end(), [&](const Busy& a) {
      return std::any_of(busy.begin(), busy.end(),
                         [&](const Busy& b) { return a.child != b.child && a.start < b.end && b.start < a.end; });
    });
  }
  return count;
}

}  // namespace nestrt::scheduler
