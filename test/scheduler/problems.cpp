// SPDX-License-Identifier: Apache-2.0
#include "test/scheduler/problems.h"

#include <algorithm>
#include <limits>

#include "scheduler/problem/invalid_index.h"
#include "scheduler/problem/joins.h"

namespace nestrt::test {

using scheduler::Choice;
using scheduler::kAnySharing;
using scheduler::Part;
using scheduler::Problem;
using scheduler::Task;
using scheduler::TaskInput;

namespace {

double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

bool chance(std::mt19937& random, int percent) { return static_cast<int>(random() % 100) < percent; }

Choice whole(uint32_t lane, double us, uint32_t sharing, double unit_share, uint32_t program, int threads) {
  Part part;
  part.lane = lane;
  part.us = us;
  part.unit_share = unit_share;
  part.program = program;
  part.threads = threads;
  return {{part}, sharing};
}

// Returns a choice that splits a task. The program of the first part is 100 + its share in percent, so that each part
// is a different step.
Choice split(uint32_t lane, double lane_us, double share, double cpu_us) {
  const auto percent = static_cast<uint32_t>(share * 100);
  Choice choice = {{whole(lane, lane_us * share * 1.1, kAnySharing, 1, 100 + percent, 0).parts[0],
                    whole(0, cpu_us * (1 - share) * 1.1, 0, 1, 0, 0).parts[0]},
                   0};
  choice.parts[0].output_share = share;
  choice.parts[0].channels = {0, percent};
  choice.parts[1].output_share = 1 - share;
  choice.parts[1].channels = {percent, 100};
  return choice;
}

Part channels_on_cpu(double cpu_us, uint32_t begin, uint32_t end) {
  const double share = (end - begin) / 100.0;
  Part part = whole(0, cpu_us * share * 1.1, 0, 1, 0, 0).parts[0];
  part.output_share = share;
  part.channels = {begin, end};
  return part;
}

// Adds choices with two parts on the CPU, or with an accelerator part followed by two on the CPU. The second half comes
// first on the CPU, because the unit may still be busy with the previous task.
void add_followers(Task& task) {
  const double cpu_us = task.choices[0].parts[0].us;
  const Part half = channels_on_cpu(cpu_us, 50, 100);
  std::vector<Choice> added = {{{half, channels_on_cpu(cpu_us, 0, 50)}, 0}};
  for (const Choice& choice : task.choices)
    if (choice.parts.size() == 2 && choice.parts[0].channels.end == 25)
      added.push_back({{choice.parts[0], half, channels_on_cpu(cpu_us, 25, 50)}, 0});
  task.choices.insert(task.choices.end(), added.begin(), added.end());
}

// Makes the task read its last input channel by channel, unless the task that produces it also reads in this way.
void read_by_channel(Problem& problem, Task& task) {
  if (task.inputs.empty()) return;
  const std::vector<TaskInput>& before = problem.tasks[task.inputs.back().task].inputs;
  if (std::any_of(before.begin(), before.end(), [](const TaskInput& input) { return input.by_channel; })) return;
  task.inputs.back().by_channel = true;
  add_followers(task);
}

void add_units(Problem& problem, uint32_t units, bool sharings, std::mt19937& random) {
  for (uint32_t unit = 0; unit < units; ++unit) {
    scheduler::ProblemUnit& added = problem.units.emplace_back();
    added.is_host = unit == 0;
    const auto up_to = [&](double most) { return uniform(random, 0, most); };
    if (chance(random, 70)) added.overhead = {up_to(8), up_to(8), up_to(50), up_to(8)};
    problem.lanes.push_back({unit});
    if (unit == 0 && sharings) problem.lanes.push_back({0});
  }
  if (sharings) problem.sharings = {{1.0}, {0.5, 0.5}};
}

void add_choices(Problem& problem, Task& task, const ProblemKind& kind, std::mt19937& random) {
  const double cpu_us = static_cast<double>(1 + random() % 60);
  task.choices.push_back(whole(0, cpu_us, 0, 1, 0, 0));
  const double shared_us = cpu_us * uniform(random, 1, 2);
  for (uint32_t lane = 0; kind.sharings && lane < 2; ++lane)
    task.choices.push_back(whole(lane, shared_us, 1, 0.5, 0, 1));
  for (uint32_t lane = kind.sharings ? 2 : 1; lane < problem.lanes.size(); ++lane) {
    if (chance(random, 20)) continue;
    const double us = static_cast<double>(1 + random() % 60);
    task.choices.push_back(whole(lane, us, kAnySharing, 1, problem.lanes[lane].unit, 0));
    if (kind.splits && chance(random, 50)) task.choices.push_back(split(lane, us, 0.5, cpu_us));
    if (kind.by_channel && chance(random, 30)) task.choices.push_back(split(lane, us, 0.25, cpu_us));
  }
}

// Exhaustive search: the current partial placement and the best complete schedule found so far.
class BruteForce {
 public:
  explicit BruteForce(const Problem& problem)
      : problem_(problem),
        chosen_(problem.tasks.size(), nullptr),
        ends_(problem.tasks.size()),
        free_(problem.lanes.size(), 0),
        rest_(problem.tasks.size(), 0),
        stretch_(problem.tasks.size(), 0) {
    for (const Task& task : problem.tasks)
      for (const Choice& choice : task.choices) has_splits_ |= choice.parts.size() > 1;
    for (auto task = static_cast<uint32_t>(rest_.size()); task-- > 0;) {
      double least = std::numeric_limits<double>::infinity();
      for (const Choice& choice : problem.tasks[task].choices)
        least = std::min(least, std::max(choice.parts[0].us, choice.parts.back().us));
      rest_[task] += least;
      for (const TaskInput& input : problem.tasks[task].inputs)
        if (!input.by_channel) rest_[input.task] = std::max(rest_[input.task], rest_[task]);
    }
    // Each barrier is a separate stretch with an odd number.
    uint32_t stretch = 0, task = 0;
    for (const scheduler::Separator& separator : scheduler::separators_of(problem)) {
      while (task < separator.tasks_before) stretch_[task++] = stretch;
      if (separator.barrier != scheduler::kInvalidIndex) stretch_[task++] = stretch + 1;
      stretch += 2;
    }
    while (task < stretch_.size()) stretch_[task++] = stretch;
    sharing_.assign(stretch + 2, kAnySharing);
  }

  double run() {
    place_next(0, 0, 0);
    return best_;
  }

 private:
  // Appends tasks in the order of their starts, which visits every schedule once. The parts of a task start separately.
  void place_next(size_t placed, double last_start, double makespan) {
    if (placed == chosen_.size()) {
      best_ = std::min(best_, makespan);
      return;
    }
    for (uint32_t task = 0; task < chosen_.size(); ++task)
      if (is_ready(task))
        for (const Choice& choice : problem_.tasks[task].choices) place(task, choice, placed, last_start, makespan);
  }

  bool is_ready(uint32_t task) const {
    const std::vector<TaskInput>& inputs = problem_.tasks[task].inputs;
    return chosen_[task] == nullptr && std::all_of(inputs.begin(), inputs.end(), [&](const TaskInput& input) {
             return chosen_[input.task] != nullptr;
           });
  }

  void place(uint32_t task, const Choice& choice, size_t placed, double last_start, double makespan) {
    uint32_t& sharing = sharing_[stretch_[task]];
    const uint32_t old_sharing = sharing;
    if (choice.sharing != kAnySharing) {
      if (stretch_[task] % 2 == 1 && choice.sharing != 0) return;
      if (sharing != kAnySharing && sharing != choice.sharing) return;
    }
    std::vector<double> ends;
    double first = std::numeric_limits<double>::infinity(), last = 0;
    const std::vector<double> old_free = free_;
    for (const Part& part : choice.parts) {
      const double start = start_of(task, part);
      free_[part.lane] = start + part.us;
      first = std::min(first, start);
      last = std::max(last, start + part.us);
      makespan = std::max(makespan, start + part.us + deliver_us(problem_, problem_.tasks[task], part));
      ends.push_back(start + part.us);
    }
    const double least_rest = rest_[task] - std::max(choice.parts[0].us, choice.parts.back().us);
    if ((!has_splits_ && first < last_start) || makespan >= best_ || last + std::min(0.0, least_rest) >= best_) {
      free_ = old_free;
      return;
    }
    if (choice.sharing != kAnySharing) sharing = choice.sharing;
    chosen_[task] = &choice;
    ends_[task] = ends;
    if (!cannot_improve()) place_next(placed + 1, first, makespan);
    chosen_[task] = nullptr;
    free_ = old_free;
    sharing_[stretch_[task]] = old_sharing;
  }

  double start_of(uint32_t task, const Part& part) const {
    double start = std::max(free_[part.lane], fetch_us(problem_, problem_.tasks[task], part));
    for (const TaskInput& input : problem_.tasks[task].inputs) {
      const Choice& from = *chosen_[input.task];
      for (size_t i = 0; i < from.parts.size(); ++i)
        if (reads(input, part, from.parts[i]))
          start = std::max(start, ends_[input.task][i] + transfer_us(problem_, from.parts[i].lane, part.lane,
                                                                     input.bytes * from.parts[i].output_share));
    }
    return start;
  }

  // Returns whether some remaining task cannot end in time even if it waits only for its inputs.
  bool cannot_improve() const {
    for (uint32_t task = 0; task < chosen_.size(); ++task) {
      if (chosen_[task] != nullptr) continue;
      double ready = 0;
      for (const TaskInput& input : problem_.tasks[task].inputs)
        if (chosen_[input.task] != nullptr && !input.by_channel)
          ready = std::max(ready, *std::max_element(ends_[input.task].begin(), ends_[input.task].end()));
      if (ready + rest_[task] >= best_) return true;
    }
    return false;
  }

  const Problem& problem_;
  bool has_splits_ = false;
  std::vector<const Choice*> chosen_;
  std::vector<std::vector<double>> ends_;
  std::vector<double> free_;
  std::vector<double> rest_;  // per task: minimum time from its start to the end of everything that follows
  std::vector<uint32_t> stretch_, sharing_;
  double best_ = std::numeric_limits<double>::infinity();
};

double least_load(const Problem& problem, uint32_t task, std::vector<double>& loads) {
  if (task == problem.tasks.size()) return *std::max_element(loads.begin(), loads.end());
  double least = std::numeric_limits<double>::infinity();
  for (const Choice& choice : problem.tasks[task].choices) {
    if (choice.parts.size() > 1 || (choice.sharing != 0 && choice.sharing != kAnySharing)) continue;
    double& load = loads[problem.lanes[choice.parts[0].lane].unit];
    load += choice.parts[0].us;
    least = std::min(least, least_load(problem, task + 1, loads));
    load -= choice.parts[0].us;
  }
  return least;
}

}  // namespace

Problem random_problem(const ProblemKind& kind, std::mt19937& random) {
  Problem problem;
  add_units(problem, kind.units, kind.sharings, random);
  const uint32_t count = 1 + random() % kind.max_tasks, window = 1 + random() % 5;
  const uint32_t edges = kind.joins ? 2 : 1 + random() % 2;
  for (uint32_t index = 0; index < count; ++index) {
    Task& task = problem.tasks.emplace_back();
    task.branch = index;
    add_choices(problem, task, kind, random);
    for (uint32_t edge = 0; index > 0 && edge < edges; ++edge) {
      const uint32_t before = index - 1 - static_cast<uint32_t>(random() % std::min(index, window));
      const auto known = std::find_if(task.inputs.begin(), task.inputs.end(),
                                      [&](const TaskInput& input) { return input.task == before; });
      if (known == task.inputs.end() && !chance(random, 15))
        task.inputs.push_back({before, static_cast<double>(random() % 500)});
    }
    if (kind.joins && index > 0 && chance(random, 60)) task.inputs = problem.tasks[index - 1].inputs;
    if (kind.by_channel && chance(random, 60)) read_by_channel(problem, task);
    task.reads_caller = task.inputs.empty();
    task.caller_bytes = 100;
    task.is_result = chance(random, 20) || index + 1 == count;
    task.result_bytes = 50;
  }
  keep_barriers(problem);
  return problem;
}

Problem network_problem(const Predecessors& graph, double ratio, bool splits, std::mt19937& random) {
  Problem problem;
  problem.units = {{true, {}}, {false, {15, 10, 4000}}};
  problem.lanes = {{0}, {1}};
  for (uint32_t index = 0; index < graph.size(); ++index) {
    Task& task = problem.tasks.emplace_back();
    task.branch = index;
    for (uint32_t before : graph[index]) task.inputs.push_back({before, uniform(random, 5e4, 2e5)});
    task.reads_caller = graph[index].empty();
    task.caller_bytes = 150528;
    task.is_result = index + 1 == graph.size();
    const double cpu_us = uniform(random, 500, 8000);
    task.choices.push_back(whole(0, cpu_us, 0, 1, 0, 0));
    if (index == 0 || chance(random, 15)) continue;
    const double us = cpu_us / (ratio * uniform(random, 0.5, 1.5));
    task.choices.push_back(whole(1, us, kAnySharing, 1, 1, 0));
    for (double share = 0.25; splits && share < 1; share += 0.25) task.choices.push_back(split(1, us, share, cpu_us));
  }
  return problem;
}

double brute_force_makespan(const Problem& problem) { return BruteForce(problem).run(); }

double brute_force_load(const Problem& problem) {
  std::vector<double> loads(problem.units.size(), 0);
  return least_load(problem, 0, loads);
}

}  // namespace nestrt::test
