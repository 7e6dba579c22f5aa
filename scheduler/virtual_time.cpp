#include "scheduler/virtual_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "scheduler/joins.h"
#include "scheduler/none.h"
#include "scheduler/rates.h"

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

// From event to event: a step starts, or ends, or a waiter begins to look for its end.
class VirtualTime {
 public:
  VirtualTime(const Problem& problem, const Schedule& schedule, const std::vector<KnownStep>& steps)
      : problem_(problem), schedule_(schedule), steps_(steps), needs_(steps.size()), queues_(schedule.lanes.size()) {}

  Result<VirtualRun> run() && {
    NESTRT_RETURN_IF_ERROR(find_needs());
    run_.spans.resize(steps_.size());
    while (next_event()) {
    }
    return std::move(run_);
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  // What a step waits for, and how many bytes of it.
  struct Need {
    uint32_t step = 0;
    double bytes = 0;
  };

  struct Queue {
    std::vector<uint32_t> steps;
    size_t next = 0;
    bool is_running = false;
    double left_us = 0;  // of the step that runs, alone
    double free_us = 0;  // when the step before ended
  };

  Status find_needs() {
    std::vector<std::vector<uint32_t>> steps_of(problem_.tasks.size());
    for (uint32_t index = 0; index < steps_.size(); ++index) {
      const auto& [task, part] = steps_[index];
      for (const TaskInput& input : problem_.tasks[task].inputs) {
        if (steps_of[input.task].empty()) return unknown_step(index, "comes before a step that it reads");
        for (const uint32_t from : steps_of[input.task])
          if (reads(input, part, steps_[from].part)) needs_[index].push_back({from, input.bytes});
      }
      for (const uint32_t wait : schedule_.steps[index].waits) {
        if (wait >= index) return unknown_step(index, "waits for a later one");
        needs_[index].push_back({wait, 0});
      }
      steps_of[task].push_back(index);
      queues_[schedule_.steps[index].lane].steps.push_back(index);
    }
    return {};
  }

  // False where nothing is left to do.
  bool next_event() {
    std::vector<RunningPart> running;
    std::vector<Queue*> lanes;
    double next = kNever;
    int waiting = 0;
    for (Queue& queue : queues_) {
      if (!queue.is_running) waiting += start_or_wait(queue, next) ? 1 : 0;
      if (!queue.is_running) continue;
      lanes.push_back(&queue);
      running.push_back({&steps_[queue.steps[queue.next]].part, queue.left_us});
    }
    if (running.empty() && next == kNever) return false;
    const std::vector<double> rate = rates(problem_, running, waiting);
    for (size_t i = 0; i < running.size(); ++i) next = std::min(next, now_ + until_change(running[i]) / rate[i]);
    for (size_t i = 0; i < running.size(); ++i) advance(*lanes[i], (next - now_) * rate[i], next);
    now_ = next;
    return true;
  }

  // A running part changes what others get when somebody begins to look for its end, and when it ends.
  double until_change(const RunningPart& running) const {
    const double awake = problem_.unit_of(*running.part).awake_us;
    const bool is_still_alone = awake > 0 && !is_awaited(problem_, running);
    return is_still_alone ? running.left_us - awake : running.left_us;
  }

  // Starts the lane's next step, or has the next event be no later than what becomes of its waiting. True where it
  // waits without sleeping, on one of the host's cores beside those of its steps.
  bool start_or_wait(Queue& queue, double& next) {
    if (queue.next == queue.steps.size()) return false;
    const uint32_t step = queue.steps[queue.next];
    const double ready = ready_us(step), asleep = queue.free_us + problem_.waits.awake_us;
    const double start = ready > asleep ? ready + problem_.waits.wake_us : ready;
    if (start <= now_) {
      run_.spans[step].ready_us = ready;
      run_.spans[step].start_us = now_;
      queue.is_running = true;
      queue.left_us = steps_[step].part.us;
      return false;
    }
    next = std::min(next, start);
    if (now_ >= asleep || problem_.unit_of(steps_[step].part).is_host) return false;
    next = std::min(next, asleep);
    return true;
  }

  void advance(Queue& queue, double done_us, double now) {
    queue.left_us -= done_us;
    const uint32_t step = queue.steps[queue.next];
    const auto& [task, part] = steps_[step];
    if (queue.left_us > part.us * kDigits) return;
    run_.spans[step].end_us = now;
    run_.makespan_us = std::max(run_.makespan_us, now + deliver_us(problem_, problem_.tasks[task], part));
    is_done_[step] = true;
    queue.is_running = false;
    queue.free_us = now;
    ++queue.next;
  }

  double ready_us(uint32_t step) const {
    const auto& [task, part] = steps_[step];
    double ready = fetch_us(problem_, problem_.tasks[task], part);
    for (const Need& need : needs_[step]) {
      if (!is_done_[need.step]) return kNever;
      const Part& before = steps_[need.step].part;
      const double transfer = transfer_us(problem_, before.lane, part.lane, need.bytes * before.output_share);
      ready = std::max(ready, run_.spans[need.step].end_us + transfer);
    }
    return ready;
  }

  static constexpr double kDigits = 1e-9;  // in which sums of the same times differ

  const Problem& problem_;
  const Schedule& schedule_;
  const std::vector<KnownStep>& steps_;
  std::vector<std::vector<Need>> needs_;  // by step
  std::vector<Queue> queues_;             // by lane
  std::vector<bool> is_done_ = std::vector<bool>(steps_.size(), false);
  double now_ = 0;
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
