// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/list_schedule.h"

#include <algorithm>
#include <numeric>

namespace nestrt::scheduler {
namespace {

bool has_all_cores(const Choice& choice) { return choice.sharing == 0 || choice.sharing == kAnySharing; }

double least_from_start(const Problem& problem, const Bounds& bounds, uint32_t task) {
  double least = std::numeric_limits<double>::infinity();
  const std::vector<Choice>& choices = problem.tasks[task].choices;
  for (uint32_t choice = 0; choice < choices.size(); ++choice) {
    double longest = 0;
    for (uint32_t part = 0; part < choices[choice].parts.size(); ++part)
      longest = std::max(longest, choices[choice].parts[part].us + bounds.tail_us(task, choice, part));
    least = std::min(least, longest);
  }
  return least;
}

// Sorts tasks by decreasing time from their start to the end of the schedule, with predecessors first. A predecessor
// gets at least the time of its readers, because a reader that proceeds channel by channel may have more time left than
// its parts suggest.
std::vector<uint32_t> by_urgency(const Problem& problem, const Bounds& bounds) {
  std::vector<double> rest(problem.tasks.size());
  for (auto task = static_cast<uint32_t>(rest.size()); task-- > 0;) {
    rest[task] = least_from_start(problem, bounds, task);
    for (const TaskInput& reader : bounds.readers_of(task)) rest[task] = std::max(rest[task], rest[reader.task]);
  }
  std::vector<uint32_t> order(problem.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return rest[a] > rest[b]; });
  return order;
}

Solution place_in_order(const Problem& problem, const Bounds& bounds, const std::vector<uint32_t>& order,
                        bool looks_ahead) {
  Timeline timeline(problem);
  for (uint32_t task : order) {
    const std::vector<Choice>& choices = problem.tasks[task].choices;
    double least = std::numeric_limits<double>::infinity();
    uint32_t best = 0;
    for (uint32_t choice = 0; choice < choices.size(); ++choice) {
      if (!has_all_cores(choices[choice])) continue;
      double latest = 0;
      const PartEnds ends = timeline.ends_of({task, choice, false});
      for (uint32_t part = 0; part < choices[choice].parts.size(); ++part)
        latest = std::max(latest, ends[part] + (looks_ahead ? bounds.tail_us(task, choice, part) : 0));
      if (latest >= least) continue;
      least = latest;
      best = choice;
    }
    timeline.place({task, best, false});
  }
  return std::move(timeline).solution();
}

class LocalMoves {
 public:
  LocalMoves(const Problem& problem, const Bounds& bounds, Solution solution, const Evaluation& evaluation)
      : problem_(problem),
        bounds_(bounds),
        evaluation_(evaluation),
        best_(std::move(solution)),
        sharing_(bounds.stretches().size(), kAnySharing) {
    for (Decision decision : best_.order) {
      const uint32_t sharing = problem.tasks[decision.task].choices[decision.choice].sharing;
      if (sharing != kAnySharing && !bounds.is_barrier(decision.task)) sharing_of(decision.task) = sharing;
    }
  }

  // Tries to change the choice of every task once. Returns false if nothing improved or the deadline passed.
  bool sweep(std::chrono::steady_clock::time_point deadline, uint32_t reach) {
    bool helped = false;
    for (size_t at = 0; at < best_.order.size(); ++at) {
      const uint32_t own = best_.order[at].choice;
      const size_t count = problem_.tasks[best_.order[at].task].choices.size();
      const auto end = static_cast<uint32_t>(std::min<uint64_t>(count, uint64_t{own} + reach + 1));
      for (uint32_t choice = own - std::min(own, reach); choice < end; ++choice) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        helped |= try_move(at, choice);
      }
    }
    return helped;
  }

  Solution solution() && { return std::move(best_); }

 private:
  uint32_t& sharing_of(uint32_t task) { return sharing_[bounds_.stretch_of(task)]; }

  bool is_possible(uint32_t task, const Choice& choice) {
    if (choice.sharing == kAnySharing) return true;
    if (bounds_.is_barrier(task) || sharing_of(task) == kAnySharing) return choice.sharing == 0;
    return choice.sharing == sharing_of(task);
  }

  bool try_move(size_t at, uint32_t choice) {
    const Decision old = best_.order[at];
    const Choice& other = problem_.tasks[old.task].choices[choice];
    if (choice == old.choice || !is_possible(old.task, other)) return false;
    std::vector<Decision> order = best_.order;
    order[at].choice = choice;
    Solution moved = evaluation_(problem_, order);
    if (moved.makespan_us >= best_.makespan_us * (1 - 1e-9)) return false;
    best_ = std::move(moved);
    if (other.sharing != kAnySharing && !bounds_.is_barrier(old.task)) sharing_of(old.task) = other.sharing;
    return true;
  }

  const Problem& problem_;
  const Bounds& bounds_;
  const Evaluation& evaluation_;
  Solution best_;
  std::vector<uint32_t> sharing_;  // by stretch, ignoring its barrier
};

}  // namespace

Solution list_schedule(const Problem& problem, const Bounds& bounds) {
  const std::vector<uint32_t> order = by_urgency(problem, bounds);
  Solution by_end = place_in_order(problem, bounds, order, false);
  Solution by_rest = place_in_order(problem, bounds, order, true);
  return by_end.makespan_us < by_rest.makespan_us ? by_end : by_rest;
}

Solution improve_by_moves(const Problem& problem, const Bounds& bounds, Solution solution,
                          std::chrono::steady_clock::time_point deadline, const Evaluation& evaluation,
                          uint32_t reach) {
  LocalMoves moves(problem, bounds, std::move(solution), evaluation);
  while (moves.sweep(deadline, reach)) {
  }
  return std::move(moves).solution();
}

}  // namespace nestrt::scheduler
