// SPDX-License-Identifier: Apache-2.0
#include "scheduler/simulation/virtual_time.h"

#include <algorithm>
#include <limits>

#include "runtime/core/function_ref.h"
#include "scheduler/problem/invalid_index.h"
#include "scheduler/problem/joins.h"
#include "scheduler/problem/rates.h"
#include "scheduler/simulation/virtual_steps.h"
#include "scheduler/unit_queue.h"

namespace nestrt::scheduler {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

UnitQueue::Time time_of(double us) {
  return UnitQueue::Time(std::chrono::round<SteadyClock::duration>(std::chrono::duration<double, std::micro>(us)));
}

double microseconds(UnitQueue::Time time) {
  return std::chrono::duration<double, std::micro>(time.time_since_epoch()).count();
}

struct VirtualSessionState;

// A lane of a session and its progress.
struct VirtualLane {
  enum class State : uint8_t { kWaiting, kQueued, kRunning };  // waits for its inputs; waits for its unit; runs
  VirtualSessionState* session = nullptr;
  uint32_t first = kInvalidIndex;
  uint32_t step = kInvalidIndex;  // kInvalidIndex: no steps remain
  State state = State::kWaiting;
  double left_us = 0;    // remaining time of the running step if it ran alone
  double free_us = 0;    // when the previous step ended
  double queued_us = 0;  // when the step began to wait for its unit
};

struct VirtualStepState : UnitClaim {
  VirtualLane* lane = nullptr;
  uint32_t next_of_lane = kInvalidIndex;
  StepSpan span;           // its times in the last inference
  double end_us = kNever;  // in the current inference, relative to its start
};

// A session and its progress.
struct VirtualSessionState {
  VirtualSessionState(const Problem& its_problem, VirtualSteps its_steps, bool is_urgent = false)
      : problem(its_problem),
        urgent(is_urgent),
        all(std::move(its_steps)),
        states(all.steps.size()),
        steps_left(all.steps.size()) {}

  const Problem& problem;
  bool urgent;
  VirtualSteps all;
  std::vector<VirtualStepState> states;  // by step
  size_t steps_left = 0;                 // in the current inference
  VirtualInference inference;            // the current inference, up to now

  const Part& part(const VirtualLane& lane) const { return all.steps[lane.step].part; }
  VirtualStepState& state(const VirtualLane& lane) { return states[lane.step]; }
};

// A discrete-event simulation. Events: a step starts or ends, or a thread begins to poll for its end.
class VirtualTime {
 public:
  VirtualTime(const Problem& problem, std::span<VirtualSessionState> sessions)
      : problem_(problem),
        rates_(problem),
        sessions_(sessions),
        lanes_(sessions.size() * problem.lanes.size()),
        units_(problem.units.size()) {
    for (size_t i = 0; i < sessions.size(); ++i) add_lanes(sessions[i], &lanes_[i * problem.lanes.size()]);
  }

  // Runs until a session has completed an inference and goes_on() returns false for it.
  void run(FunctionRef<bool(VirtualSessionState&)> goes_on) {
    while (next_event()) {
      for (VirtualSessionState& state : sessions_) {
        if (state.steps_left > 0) continue;
        if (!goes_on(state)) return;
        begin_next(state);
      }
    }
  }

 private:
  // An accelerator.
  struct VirtualUnit {
    UnitQueue queue;
    bool is_taken = false;
  };

  // `lanes`: the lanes of the session, in the order of the problem's lanes.
  static void add_lanes(VirtualSessionState& state, VirtualLane* lanes) {
    for (auto step = static_cast<uint32_t>(state.all.steps.size()); step-- > 0;) {
      VirtualLane& lane = lanes[state.all.steps[step].part.lane];
      lane.session = &state;
      state.states[step].lane = &lane;
      state.states[step].urgent = state.urgent;
      state.states[step].next_of_lane = lane.first;
      lane.first = lane.step = step;
    }
  }

  // Begins the next inference when the caller has the results of the previous one.
  void begin_next(VirtualSessionState& state) {
    const double begin = state.inference.end_us;
    state.inference = {begin, begin};
    for (VirtualStepState& step : state.states) step.end_us = kNever;
    state.steps_left = state.all.steps.size();
    for (VirtualLane& lane : lanes_) {
      if (lane.session != &state) continue;
      lane.step = lane.first;
      lane.free_us = begin;
    }
  }

  // Advances to the next event. Returns false if none remains.
  bool next_event() {
    double next = kNever;
    int waiting = 0;
    for (VirtualLane& lane : lanes_)
      if (lane.state == VirtualLane::State::kWaiting) waiting += start_or_wait(lane, next) ? 1 : 0;
    for (VirtualUnit& unit : units_) next = std::min(next, give(unit));
    running_.clear();
    running_lanes_.clear();
    for (VirtualLane& lane : lanes_) {
      if (lane.state != VirtualLane::State::kRunning) continue;
      running_lanes_.push_back(&lane);
      running_.push_back({&lane.session->part(lane), lane.left_us, lane.session->urgent});
    }
    if (running_.empty() && next == kNever) return false;
    const std::vector<double>& rate = rates_.of(running_, waiting);
    const auto change_at = [&](size_t i) { return now_ + until_change(running_[i]) / rate[i]; };
    for (size_t i = 0; i < running_.size(); ++i) next = std::min(next, change_at(i));
    // Parts that are due advance by exactly the remaining work, because the difference of two large times would be
    // rounded.
    for (size_t i = 0; i < running_.size(); ++i)
      advance(*running_lanes_[i], change_at(i) <= next ? until_change(running_[i]) : (next - now_) * rate[i], next);
    now_ = next;
    return true;
  }

  // Returns the work of a running part until it affects the rates of others: until a thread begins to poll for its end,
  // or until it ends.
  double until_change(const RunningPart& running) const {
    const double awake = awaited_us(problem_, *running.part);
    const bool is_still_alone = awake > 0 && !is_awaited(problem_, running);
    return is_still_alone ? running.left_us - awake : running.left_us;
  }

  // Starts the lane's next step, or queues it for its unit. If the step is not ready, lowers `next` to the time of the
  // next change of its wait. Returns true if the lane polls on one of the host's cores, in addition to those used by
  // steps.
  bool start_or_wait(VirtualLane& lane, double& next) {
    if (lane.step == kInvalidIndex) return false;
    VirtualSessionState& state = *lane.session;
    const double ready = ready_us(state, lane.step);
    const double asleep = lane.free_us + problem_.waits.awake_us;
    const double start = ready > asleep ? ready + problem_.waits.wake_us : ready;
    const ProblemUnit& unit = problem_.unit_of(state.part(lane));
    if (start <= now_) {
      state.state(lane).span.ready_us = ready;
      lane.left_us = state.part(lane).us;
      unit.is_host ? start_step(lane) : queue(lane);
      return false;
    }
    next = std::min(next, start);
    if (now_ >= asleep || unit.is_host) return false;
    next = std::min(next, asleep);
    return true;
  }

  void start_step(VirtualLane& lane) {
    lane.session->state(lane).span.start_us = now_;
    lane.state = VirtualLane::State::kRunning;
  }

  void queue(VirtualLane& lane) {
    lane.state = VirtualLane::State::kQueued;
    lane.queued_us = now_;
    unit_of(lane).queue.add(lane.session->state(lane), time_of(now_));
  }

  // Gives a free unit to the next claim in its queue. If the lane had to wait, it has gone to sleep and must wake.
  // Returns when to check again.
  double give(VirtualUnit& unit) {
    if (unit.is_taken || unit.queue.oldest() == nullptr) return kNever;
    UnitClaim* const claim = unit.queue.next(time_of(now_));
    if (claim == nullptr) return microseconds(unit.queue.reserved_until());
    VirtualLane& lane = *static_cast<VirtualStepState*>(claim)->lane;
    unit.queue.begin(*claim, time_of(now_));
    unit.is_taken = true;
    if (lane.queued_us < now_) lane.left_us += problem_.waits.wake_us;
    start_step(lane);
    return kNever;
  }

  void advance(VirtualLane& lane, double done_us, double now) {
    lane.left_us -= done_us;
    VirtualSessionState& state = *lane.session;
    const VirtualStep& ended = state.all.steps[lane.step];
    if (lane.left_us > ended.part.us * kTimeRounding) return;
    VirtualStepState& step = state.state(lane);
    if (!problem_.unit_of(ended.part).is_host) {
      unit_of(lane).queue.end(step, time_of(now));
      unit_of(lane).is_taken = false;
    }
    const Problem& problem = state.problem;
    step.span.end_us = now;
    step.end_us = now - state.inference.begin_us;
    state.inference.end_us =
        std::max(state.inference.end_us, now + deliver_us(problem, problem.tasks[ended.task], ended.part));
    --state.steps_left;
    lane.state = VirtualLane::State::kWaiting;
    lane.free_us = now;
    lane.step = step.next_of_lane;
  }

  // Returns when a step has all of its inputs, or kNever if a step that it needs has not ended.
  static double ready_us(const VirtualSessionState& state, uint32_t index) {
    const Problem& problem = state.problem;
    const VirtualStep& step = state.all.steps[index];
    double ready = fetch_us(problem, problem.tasks[step.task], step.part);
    for (const Need& need : state.all.needs_of(step)) {
      const Part& before = state.all.steps[need.step].part;
      const double transfer = transfer_us(problem, before.lane, step.part.lane, need.bytes * before.output_share);
      ready = std::max(ready, state.states[need.step].end_us + transfer);
    }
    return state.inference.begin_us + ready;
  }

  VirtualUnit& unit_of(const VirtualLane& lane) { return units_[problem_.lanes[lane.session->part(lane).lane].unit]; }

  const Problem& problem_;  // problem of any session; read for what all sessions share
  Rates rates_;
  const std::span<VirtualSessionState> sessions_;
  std::vector<VirtualLane> lanes_;
  std::vector<VirtualUnit> units_;  // by unit
  double now_ = 0;
  std::vector<RunningPart> running_;
  std::vector<VirtualLane*> running_lanes_;  // by running part
};

bool have_same_units(const Problem& a, const Problem& b) {
  const auto unit_of = [](const Lane& lane) { return lane.unit; };
  return a.units.size() == b.units.size() && std::ranges::equal(a.lanes, b.lanes, {}, unit_of, unit_of);
}

}  // namespace

Result<VirtualRun> run_in_virtual_time(const Problem& problem, const Schedule& schedule,
                                       std::span<const double> step_us) {
  NESTRT_ASSIGN_OR_RETURN(VirtualSteps steps, virtual_steps(problem, schedule, step_us));
  VirtualSessionState session(problem, std::move(steps));
  VirtualTime(problem, {&session, 1}).run([](VirtualSessionState&) { return false; });
  VirtualRun run{std::vector<StepSpan>(session.states.size()), session.inference.end_us};
  for (size_t step = 0; step < run.spans.size(); ++step) run.spans[step] = session.states[step].span;
  return run;
}

double makespan_in_virtual_time(const Problem& problem, std::span<const Decision> order) {
  VirtualSessionState session(problem, virtual_steps(problem, order));
  VirtualTime(problem, {&session, 1}).run([](VirtualSessionState&) { return false; });
  return session.inference.end_us;
}

Result<std::vector<std::vector<VirtualInference>>> run_in_virtual_time(std::span<const VirtualSession> sessions,
                                                                       size_t inferences) {
  std::vector<VirtualSessionState> states;
  for (const VirtualSession& session : sessions) {
    if (!have_same_units(session.problem, sessions[0].problem))
      return Status(Code::kInvalidArgument, "concurrent sessions require the same units and host lanes");
    NESTRT_ASSIGN_OR_RETURN(VirtualSteps steps, virtual_steps(session.problem, session.schedule));
    if (steps.steps.empty()) return Status(Code::kInvalidArgument, "a simulated session computes nothing");
    states.emplace_back(session.problem, std::move(steps), session.urgent);
  }
  std::vector<std::vector<VirtualInference>> over(sessions.size());
  const auto goes_on = [&](VirtualSessionState& state) {
    over[static_cast<size_t>(&state - states.data())].push_back(state.inference);
    return std::ranges::any_of(over, [&](const auto& session) { return session.size() < inferences; });
  };
  if (!states.empty()) VirtualTime(sessions[0].problem, states).run(goes_on);
  return over;
}

Result<Loads> loads_of(const Problem& problem, const Schedule& schedule) {
  NESTRT_ASSIGN_OR_RETURN(const VirtualSteps all, virtual_steps(problem, schedule));
  Loads loads{std::vector<double>(problem.units.size(), 0), std::vector<double>(problem.units.size(), 0)};
  const auto add_transfer = [&](uint32_t unit, double bytes) {
    if (!problem.units[unit].is_host) loads.transfers_us[unit] += copy_us(problem.units[unit], bytes);
  };
  for (const VirtualStep& step : all.steps) {
    const uint32_t unit = problem.lanes[step.part.lane].unit;
    const Task& task = problem.tasks[step.task];
    loads.units_us[unit] += step.part.us * step.part.unit_share;
    loads.bytes += step.part.bytes;
    add_transfer(unit, task.caller_bytes + task.result_bytes * step.part.output_share);
    for (const Need& need : all.needs_of(step)) {
      const Part& before = all.steps[need.step].part;
      const uint32_t from = problem.lanes[before.lane].unit;
      if (from == unit) continue;
      add_transfer(unit, need.bytes * before.output_share);
      add_transfer(from, need.bytes * before.output_share);
    }
  }
  return loads;
}

uint32_t num_concurrent_groups(const Problem& problem, const Schedule& schedule, const VirtualRun& run) {
  const JoinedGraph joined = with_joins(problem);
  const RegionTree tree = find_regions(joined.graph);
  const std::vector<uint32_t> task_of = tasks_by_branch(problem);
  uint32_t count = 0;
  for (const ParallelGroup& group : parallel_groups(tree)) {
    std::vector<uint32_t> child_of(problem.tasks.size(), kInvalidIndex);
    for (uint32_t child : tree.regions[group.region].children)
      for (uint32_t task : joined.tasks_among(tree.nodes_of(child))) child_of[task] = child;
    struct Busy {
      double start, end;
      uint32_t child;
    };
    std::vector<Busy> busy;
    for (uint32_t i = 0; i < schedule.steps.size(); ++i) {
      const uint32_t child = child_of[task_of[schedule.steps[i].branch]];
      if (child != kInvalidIndex && run.spans[i].end_us > run.spans[i].start_us)
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
