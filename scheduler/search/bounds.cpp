// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/bounds.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "scheduler/problem/joins.h"

namespace nestrt::scheduler {
namespace {

// A lower bound for the work of some tasks: the sum of their smallest weighted loads.
class WorkBound {
 public:
  // The loads of one task, flattened: for each choice, one load per unit.
  using Loads = std::vector<double>;

  explicit WorkBound(size_t units) : units_(units) {}

  void add(Loads loads) { tasks_.push_back(std::move(loads)); }

  static double least(const Loads& loads, const std::vector<double>& weights) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t choice = 0; choice < loads.size(); choice += weights.size()) {
      double weighted = 0;
      for (size_t unit = 0; unit < weights.size(); ++unit) weighted += weights[unit] * loads[choice + unit];
      least = std::min(least, weighted);
    }
    return least;
  }

  double value(const std::vector<double>& weights) const {
    double sum = 0;
    for (const Loads& loads : tasks_) sum += least(loads, weights);
    return sum;
  }

  // Returns weights that make the bound large. For at most two kinds of units, the result is the maximum: the bound is
  // concave in their shares, and some maximum has equal weights for identical units.
  std::vector<double> best_weights() {
    find_kinds();
    std::vector<double> best(units_, 1.0 / static_cast<double>(units_));
    for (size_t kind = 0; kind < units_; ++kind) balance(best, kind, kind);
    for (int round = 0; round < (units_ > 2 ? 3 : 1); ++round)
      for (size_t a = 0; a < units_; ++a)
        for (size_t b = a + 1; b < units_; ++b) balance(best, a, b);
    return best;
  }

 private:
  // Groups units into kinds. Units of a kind need the same time for each task that they can compute alone. A kind is
  // identified by its first unit.
  void find_kinds() {
    for (size_t unit = 0; unit < units_; ++unit)
      for (kind_[unit] = 0; !are_alike(kind_[unit], unit);) ++kind_[unit];
    for (size_t unit = 0; unit < units_; ++unit) ++count_[kind_[unit]];
  }

  bool are_alike(size_t a, size_t b) const {
    for (const Loads& loads : tasks_)
      if (least_alone(loads, a) != least_alone(loads, b)) return false;
    return true;
  }

  double least_alone(const Loads& loads, size_t unit) const {
    double least = std::numeric_limits<double>::infinity();
    for (size_t choice = 0; choice < loads.size(); choice += units_) {
      double all = 0;
      for (size_t other = 0; other < units_; ++other) all += loads[choice + other];
      if (all == loads[choice + unit]) least = std::min(least, all);
    }
    return least;
  }

  // Redistributes the weight of two kinds of units between them. If a == b, gives that kind all the weight.
  void balance(std::vector<double>& weights, size_t a, size_t b) const {
    if (count_[a] == 0 || count_[b] == 0) return;
    std::vector<double> trial = weights;
    const double sum = a == b ? 1 : weights[a] * count_[a] + weights[b] * count_[b];
    const auto at = [&](double share) {
      for (size_t unit = 0; unit < units_; ++unit) {
        if (kind_[unit] == b) trial[unit] = sum * (1 - share) / count_[b];
        if (kind_[unit] == a) trial[unit] = sum * share / count_[a];
        if (a == b && kind_[unit] != a) trial[unit] = 0;
      }
      return value(trial);
    };
    double low = a == b ? 1 : 0, high = 1;
    for (int i = 0; i < 40 && low < high; ++i) {
      const double lower = low + (high - low) / 3, higher = high - (high - low) / 3;
      const bool rises = at(lower) < at(higher);
      (rises ? low : high) = rises ? lower : higher;
    }
    if (at((low + high) / 2) > value(weights)) weights = trial;
  }

  size_t units_;
  std::vector<Loads> tasks_;
  std::vector<size_t> kind_ = std::vector<size_t>(units_, 0);   // by unit
  std::vector<double> count_ = std::vector<double>(units_, 0);  // by kind: number of its units
};

WorkBound::Loads loads_of(const Problem& problem, uint32_t task, bool whole_only) {
  WorkBound::Loads all;
  for (const Choice& choice : problem.tasks[task].choices) {
    if (whole_only && (choice.parts.size() != 1 || (choice.sharing != 0 && choice.sharing != kAnySharing))) continue;
    all.resize(all.size() + problem.units.size(), 0.0);
    double* const loads = all.data() + all.size() - problem.units.size();
    for (const Part& part : choice.parts) loads[problem.lanes[part.lane].unit] += part.us * part.unit_share;
  }
  return all;
}

std::vector<Stretch> stretches_of(const Problem& problem) {
  std::vector<Stretch> stretches;
  uint32_t task = 0;
  const auto add_up_to = [&](const Separator& separator) {
    Stretch& stretch = stretches.emplace_back();
    for (; task < separator.tasks_before; ++task) stretch.tasks.push_back(task);
    stretch.barrier = separator.barrier;
    stretch.last = separator.tasks;
    if (stretch.barrier != kInvalidIndex) ++task;
    stretch.end = task;
  };
  for (const Separator& separator : separators_of(problem)) add_up_to(separator);
  if (task < problem.tasks.size()) add_up_to({kInvalidIndex, {}, static_cast<uint32_t>(problem.tasks.size())});
  return stretches;
}

WorkBound work_of_whole(const Problem& problem, const std::vector<uint32_t>& tasks) {
  WorkBound work(problem.units.size());
  for (uint32_t task : tasks) work.add(loads_of(problem, task, true));
  return work;
}

double divided_us(const Problem& problem, const std::vector<uint32_t>& tasks) {
  WorkBound work = work_of_whole(problem, tasks);
  return tasks.empty() ? 0 : work.value(work.best_weights());
}

std::vector<uint32_t> all_tasks(const Problem& problem) {
  std::vector<uint32_t> tasks(problem.tasks.size());
  std::iota(tasks.begin(), tasks.end(), 0);
  return tasks;
}

}  // namespace

Bounds::Bounds(const Problem& problem)
    : problem_(problem),
      stretches_(stretches_of(problem)),
      stretch_of_(problem.tasks.size(), 0),
      readers_(problem.tasks.size()),
      tails_(problem.tasks.size()),
      work_(problem.tasks.size(), 0) {
  for (uint32_t task = 0; task < problem.tasks.size(); ++task)
    for (const TaskInput& input : problem.tasks[task].inputs)
      readers_[input.task].push_back({task, input.bytes, input.by_channel});
  for (uint32_t index = 0; index < stretches_.size(); ++index) {
    for (uint32_t task : stretches_[index].tasks) stretch_of_[task] = index;
    if (stretches_[index].barrier != kInvalidIndex) stretch_of_[stretches_[index].barrier] = index;
    weigh(stretches_[index]);
  }
  find_tails();
}

void Bounds::weigh(Stretch& stretch) {
  WorkBound work(problem_.units.size());
  for (uint32_t task : stretch.tasks) work.add(loads_of(problem_, task, false));
  stretch.weights = stretch.tasks.empty() ? std::vector<double>(problem_.units.size(), 0) : work.best_weights();
  for (uint32_t task : stretch.tasks) {
    work_[task] = WorkBound::least(loads_of(problem_, task, false), stretch.weights);
    stretch.work_us += work_[task];
  }
  stretch.least_us = stretch.work_us;
}

// Proceeds from the last stretch to the first, because the tail of a barrier or join depends on the tails after it.
void Bounds::find_tails() {
  tail_from_end_.assign(stretches_.size(), 0);
  double least_from_start = 0;  // length of the longest path through the tasks of this stretch, from its start
  for (auto index = static_cast<uint32_t>(stretches_.size()); index-- > 0;) {
    const Stretch& stretch = stretches_[index];
    const bool is_last = index + 1 == stretches_.size();
    const double after = is_last ? 0 : stretches_[index + 1].least_us + tail_from_end_[index + 1];
    if (stretch.barrier == kInvalidIndex) {
      tail_from_end_[index] = std::max(after, least_from_start);
    } else {
      tail_from_end_[index] = find_tails_of(stretch.barrier, after);
    }
    const double behind = stretch.barrier == kInvalidIndex ? tail_from_end_[index] : 0;
    least_from_start = tail_from_end_[index];
    for (auto task = stretch.tasks.rbegin(); task != stretch.tasks.rend(); ++task)
      least_from_start = std::max(least_from_start, find_tails_of(*task, behind));
  }
  if (!stretches_.empty()) total_ = std::max(least_from_start, stretches_[0].least_us + tail_from_end_[0]);
}

// Returns the lower bound from the start of the task to the end of the schedule. `after`: the lower bound from the end
// of the task that does not depend on its readers.
double Bounds::find_tails_of(uint32_t task, double after) {
  double least = std::numeric_limits<double>::infinity();
  tails_[task].clear();
  known_tails_.clear();
  for (const Choice& choice : problem_.tasks[task].choices) {
    std::vector<double>& tails = tails_[task].emplace_back();
    double through = 0;
    for (const Part& part : choice.parts) {
      tails.push_back(std::max(after, known_tail_after(task, part)));
      through = std::max(through, fetch_us(problem_, problem_.tasks[task], part) + part.us + tails.back());
    }
    least = std::min(least, through);
  }
  return least;
}

// Returns the tail after a part. Computes it only once for all choices that share the part.
double Bounds::known_tail_after(uint32_t task, const Part& part) {
  const auto is_like = [&](const KnownTail& known) {
    return known.part->lane == part.lane && known.part->output_share == part.output_share &&
           known.part->channels == part.channels;
  };
  const auto found = std::find_if(known_tails_.begin(), known_tails_.end(), is_like);
  if (found != known_tails_.end()) return found->us;
  return known_tails_.emplace_back(KnownTail{&part, tail_after(task, part)}).us;
}

double Bounds::tail_after(uint32_t task, const Part& part) const {
  double tail = deliver_us(problem_, problem_.tasks[task], part);
  for (const TaskInput& reader : readers_[task]) tail = std::max(tail, least_through(reader, part));
  return tail;
}

// Returns the bound from the end of a part to the end of the schedule, along the path through a task that reads it.
double Bounds::least_through(const TaskInput& reader, const Part& written) const {
  double least = std::numeric_limits<double>::infinity();
  const std::vector<Choice>& choices = problem_.tasks[reader.task].choices;
  for (uint32_t choice = 0; choice < choices.size(); ++choice) {
    double longest = 0;
    for (uint32_t at = 0; at < choices[choice].parts.size() && longest < least; ++at) {
      const Part& part = choices[choice].parts[at];
      if (!reads(reader, part, written)) continue;
      const double transfer = transfer_us(problem_, written.lane, part.lane, reader.bytes * written.output_share);
      longest = std::max(longest, transfer + part.us + tails_[reader.task][choice][at]);
    }
    least = std::min(least, longest);
  }
  return least;
}

double additive_bound_us(const Problem& problem) {
  double sum = 0;
  for (const Stretch& stretch : stretches_of(problem)) {
    sum += divided_us(problem, stretch.tasks);
    if (stretch.barrier != kInvalidIndex) sum += divided_us(problem, {stretch.barrier});
  }
  return sum;
}

std::vector<double> balancing_weights(const Problem& problem) {
  return work_of_whole(problem, all_tasks(problem)).best_weights();
}

double load_bound_us(const Problem& problem) { return divided_us(problem, all_tasks(problem)); }

}  // namespace nestrt::scheduler
