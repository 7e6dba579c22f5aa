// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/methods.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "scheduler/problem/joins.h"
#include "scheduler/search/bounds.h"
#include "scheduler/search/search.h"

namespace nestrt::scheduler {
namespace {

uint32_t unit_of(const Problem& problem, uint32_t task, uint32_t choice) {
  return problem.lanes[problem.tasks[task].choices[choice].parts[0].lane].unit;
}

std::optional<uint32_t> choice_on(const Problem& problem, uint32_t task, uint32_t unit) {
  for (uint32_t choice = 0; choice < problem.tasks[task].choices.size(); ++choice)
    if (unit_of(problem, task, choice) == unit) return choice;
  return std::nullopt;
}

// The matchings of the paper. Calls visit(units) for every matching, where units[b] is the unit of branch b.
class Matchings {
 public:
  using Visit = std::function<void(const std::vector<uint32_t>&)>;

  Matchings(uint32_t branches, uint32_t units, Visit visit)
      : units_(units), assigned_(branches), visit_(std::move(visit)) {}

  void run() {
    for (uint32_t remaining = 0; remaining < units_; ++remaining) {
      std::fill(assigned_.begin(), assigned_.end(), remaining);
      give_branch_to(0, remaining);
    }
  }

 private:
  // Gives `unit` at most one of the branches that are assigned to unit `remaining`. An additional unit therefore never
  // removes a matching.
  void give_branch_to(uint32_t unit, uint32_t remaining) {
    if (unit == units_) return visit_(assigned_);
    if (unit == remaining) return give_branch_to(unit + 1, remaining);
    give_branch_to(unit + 1, remaining);
    for (uint32_t& branch : assigned_) {
      if (branch != remaining) continue;
      branch = unit;
      give_branch_to(unit + 1, remaining);
      branch = remaining;
    }
  }

  const uint32_t units_;
  std::vector<uint32_t> assigned_;
  const Visit visit_;
};

class PaperMethod {
 public:
  PaperMethod(const Problem& problem, const Solution& sequential, Deadline deadline)
      : problem_(problem), deadline_(deadline), best_(sequential) {
    for (Decision decision : sequential.order) sequential_choice_.push_back(decision.choice);
  }

  GroupSolution run() && {
    const JoinedGraph joined = with_joins(problem_);
    const RegionTree tree = find_regions(joined.graph);
    for (const ParallelGroup& group : parallel_groups(tree)) {
      if (!group.is_structured || group.nesting > 0) continue;
      std::vector<std::vector<uint32_t>> branches;
      for (uint32_t child : tree.regions[group.region].children)
        branches.push_back(joined.tasks_among(tree.nodes_of(child)));
      if (branches.size() > 1) try_group(branches);
    }
    return {std::move(best_), is_complete_};
  }

 private:
  void try_group(const std::vector<std::vector<uint32_t>>& branches) {
    const std::vector<Decision> base = best_.order;
    const auto try_matching = [&](const std::vector<uint32_t>& units) {
      is_complete_ = is_complete_ && std::chrono::steady_clock::now() < deadline_;
      if (!is_complete_) return;
      std::vector<Decision> order = base;
      for (size_t branch = 0; branch < branches.size(); ++branch)
        for (uint32_t task : branches[branch]) place(order, task, units[branch]);
      Solution solution = evaluate(problem_, order);
      if (solution.makespan_us < best_.makespan_us) best_ = std::move(solution);
    };
    Matchings(static_cast<uint32_t>(branches.size()), static_cast<uint32_t>(problem_.units.size()), try_matching).run();
  }

  // Sets the decision for a task. Tasks stay in file order, so the index of a decision equals that of its task.
  void place(std::vector<Decision>& order, uint32_t task, uint32_t unit) const {
    order[task] = {task, choice_on(problem_, task, unit).value_or(sequential_choice_[task]), false};
  }

  const Problem& problem_;
  const Deadline deadline_;
  bool is_complete_ = true;
  Solution best_;
  std::vector<uint32_t> sequential_choice_;
};

class LoadBalance {
 public:
  explicit LoadBalance(const Problem& problem)
      : problem_(problem),
        choice_(problem.tasks.size(), 0),
        loads_(problem.units.size(), 0),
        weights_(balancing_weights(problem)) {
    place_largest_first();
  }

  void improve(Deadline deadline) {
    while (std::chrono::steady_clock::now() < deadline && (improve_by_move() || improve_by_exchange())) {
    }
  }

  std::vector<Decision> order() const {
    std::vector<Decision> order;
    for (uint32_t task = 0; task < choice_.size(); ++task) order.push_back({task, choice_[task], false});
    return order;
  }

 private:
  // A placement of the first tasks in the order of placement.
  struct Placed {
    std::vector<double> loads;  // by unit
    double bound = 0;           // lower bound for the busiest unit
    uint32_t before = 0;        // index of its predecessor in the list with one task fewer
    uint32_t choice = 0;
  };

  double weighted(const std::vector<double>& loads) const {
    return std::inner_product(loads.begin(), loads.end(), weights_.begin(), 0.0);
  }

  double least_work(uint32_t task) const {
    double least = std::numeric_limits<double>::infinity();
    for (const Choice& choice : problem_.tasks[task].choices)
      least = std::min(least, choice.parts[0].us * weights_[problem_.lanes[choice.parts[0].lane].unit]);
    return least;
  }

  // Places the tasks by beam search: for each number of placed tasks, keeps the most promising placements.
  void place_largest_first() {
    constexpr size_t kWidth = 64;
    std::vector<uint32_t> order(choice_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return least_work(a) > least_work(b); });
    double rest = 0;
    for (uint32_t task : order) rest += least_work(task);
    std::vector<std::vector<Placed>> lists = {{{loads_, rest, 0, 0}}};
    for (uint32_t task : order) {
      rest -= least_work(task);
      std::vector<Placed> next = with_one_more(lists.back(), task, rest);
      const size_t kept = std::min(kWidth, next.size());
      std::partial_sort(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(kept), next.end(),
                        [](const Placed& a, const Placed& b) { return a.bound < b.bound; });
      next.resize(kept);
      lists.push_back(std::move(next));
    }
    loads_ = lists.back()[0].loads;
    for (size_t size = order.size(), at = 0; size > 0; at = lists[size--][at].before)
      choice_[order[size - 1]] = lists[size][at].choice;
  }

  std::vector<Placed> with_one_more(const std::vector<Placed>& list, uint32_t task, double rest) const {
    std::vector<Placed> next;
    for (uint32_t at = 0; at < list.size(); ++at) {
      for (uint32_t choice = 0; choice < problem_.tasks[task].choices.size(); ++choice) {
        Placed& placed = next.emplace_back(Placed{list[at].loads, 0, at, choice});
        placed.loads[unit_of(problem_, task, choice)] += problem_.tasks[task].choices[choice].parts[0].us;
        placed.bound =
            std::max(*std::max_element(placed.loads.begin(), placed.loads.end()), weighted(placed.loads) + rest);
      }
    }
    return next;
  }

  uint32_t busiest() const {
    return static_cast<uint32_t>(std::max_element(loads_.begin(), loads_.end()) - loads_.begin());
  }

  void set(uint32_t task, uint32_t choice) {
    const std::vector<Choice>& choices = problem_.tasks[task].choices;
    loads_[unit_of(problem_, task, choice_[task])] -= choices[choice_[task]].parts[0].us;
    choice_[task] = choice;
    loads_[unit_of(problem_, task, choice)] += choices[choice].parts[0].us;
  }

  // Makes the change, and undoes it unless it clearly reduces the load of the busiest unit. Returns whether it does.
  template <typename Change, typename Undo>
  bool helps(Change change, Undo undo) {
    const double before = loads_[busiest()];
    change();
    if (loads_[busiest()] < before * (1 - 1e-9)) return true;
    undo();
    return false;
  }

  bool improve_by_move() {
    for (uint32_t task = 0; task < choice_.size(); ++task) {
      const uint32_t from = choice_[task];
      if (unit_of(problem_, task, from) != busiest()) continue;
      for (uint32_t to = 0; to < problem_.tasks[task].choices.size(); ++to)
        if (to != from && helps([&] { set(task, to); }, [&] { set(task, from); })) return true;
    }
    return false;
  }

  bool improve_by_exchange() {
    const uint32_t full = busiest();
    for (uint32_t a = 0; a < choice_.size(); ++a) {
      if (unit_of(problem_, a, choice_[a]) != full) continue;
      for (uint32_t b = 0; b < choice_.size(); ++b) {
        const uint32_t other = unit_of(problem_, b, choice_[b]), from_a = choice_[a], from_b = choice_[b];
        const auto to_a = choice_on(problem_, a, other), to_b = choice_on(problem_, b, full);
        if (other == full || !to_a || !to_b) continue;
        const auto exchange = [&] { set(a, *to_a), set(b, *to_b); };
        if (helps(exchange, [&] { set(a, from_a), set(b, from_b); })) return true;
      }
    }
    return false;
  }

  const Problem& problem_;
  std::vector<uint32_t> choice_;  // by task
  std::vector<double> loads_;     // by unit
  const std::vector<double> weights_;
};

}  // namespace

bool is_whole(const Choice& choice) {
  return choice.parts.size() == 1 && (choice.sharing == 0 || choice.sharing == kAnySharing);
}

Restriction whole_placements(const Problem& problem) {
  Problem read_whole = problem;
  for (Task& task : read_whole.tasks)
    for (TaskInput& input : task.inputs) input.by_channel = false;
  return Restriction(std::move(read_whole),
                     [&](uint32_t task, uint32_t choice) { return is_whole(problem.tasks[task].choices[choice]); });
}

Solution on_unit(const Problem& whole_placements, uint32_t unit) {
  std::vector<Decision> order;
  for (uint32_t task = 0; task < whole_placements.tasks.size(); ++task) {
    const std::vector<Choice>& choices = whole_placements.tasks[task].choices;
    const auto fastest = std::min_element(
        choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.parts[0].us < b.parts[0].us; });
    const auto other = static_cast<uint32_t>(fastest - choices.begin());
    order.push_back({task, choice_on(whole_placements, task, unit).value_or(other), true});
  }
  return evaluate(whole_placements, order);
}

Solution sequential(const Problem& whole_placements, Deadline deadline) {
  Solution best;
  for (uint32_t unit = 0; unit < whole_placements.units.size(); ++unit) {
    Solution alone = on_unit(whole_placements, unit);
    if (alone.makespan_us < best.makespan_us) best = std::move(alone);
  }
  SearchOptions options;
  options.one_at_a_time = true;
  options.deadline = deadline;
  return search(whole_placements, Bounds(whole_placements), options, std::move(best)).best;
}

Solution improve_sequential(const Problem& whole_placements, Solution sequential, Deadline deadline,
                            FunctionRef<double(const std::vector<Decision>&)> makespan) {
  constexpr size_t kMaxNeighbours = 8;  // tasks that move together, which saves transfers between them
  sequential.makespan_us = makespan(sequential.order);
  const auto improved_by = [&](size_t first, size_t count, uint32_t unit) {
    std::vector<Decision> order = sequential.order;
    bool changed = false;
    for (size_t i = first; i < first + count; ++i) {
      const uint32_t choice = choice_on(whole_placements, order[i].task, unit).value_or(order[i].choice);
      changed |= std::exchange(order[i].choice, choice) != choice;
    }
    if (!changed) return false;
    const double makespan_us = makespan(order);
    if (makespan_us >= sequential.makespan_us) return false;
    sequential = {std::move(order), makespan_us};
    return true;
  };
  for (size_t count = 1; count <= std::min(kMaxNeighbours, sequential.order.size()); ++count)
    for (size_t first = 0; first + count <= sequential.order.size(); ++first)
      for (uint32_t unit = 0; unit < whole_placements.units.size(); ++unit) {
        if (std::chrono::steady_clock::now() >= deadline) return sequential;
        improved_by(first, count, unit);
      }
  return sequential;
}

GroupSolution enumerate_groups(const Problem& whole_placements, const Solution& sequential, Deadline deadline) {
  return PaperMethod(whole_placements, sequential, deadline).run();
}

Solution throughput(const Problem& whole_placements, Deadline deadline) {
  LoadBalance balance(whole_placements);
  balance.improve(deadline);
  return evaluate(whole_placements, balance.order());
}

}  // namespace nestrt::scheduler
