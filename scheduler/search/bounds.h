// SPDX-License-Identifier: Apache-2.0
// Bounds: lower bounds for the makespan of every schedule of a problem.
//
// A path of tasks takes at least as long as its best placement, including transfers, if nothing else runs. Between two
// cut points, the work is bounded by a linear program that may split every task among its choices. The dual of this
// program has one weight per unit. Any weights give a valid bound: the sum, over the tasks, of the smallest weighted
// load of a choice. The bounds between separators (scheduler/problem/joins.h) add up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scheduler/problem/invalid_index.h"
#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

// The tasks between neighbouring separators (scheduler/problem/joins.h) and the barrier that ends them.
struct Stretch {
  // excluding the barrier; all stretches and their barriers together list the tasks in order
  std::vector<uint32_t> tasks;
  uint32_t barrier = kInvalidIndex;  // kInvalidIndex: ends at a join, or is the last stretch
  std::vector<uint32_t> last;        // the barrier, or the joined tasks
  uint32_t end = 0;                  // one more than the last task, including the barrier
  std::vector<double> weights;       // by unit; they sum to 1
  double work_us = 0;                // lower bound for the tasks, derived from their work
  double least_us = 0;               // best known lower bound
};

class Bounds {
 public:
  explicit Bounds(const Problem& problem);

  const std::vector<Stretch>& stretches() const { return stretches_; }
  // Returns the readers of `task`. TaskInput::task is the reader; the other fields describe how it reads.
  const std::vector<TaskInput>& readers_of(uint32_t task) const { return readers_[task]; }
  uint32_t stretch_of(uint32_t task) const { return stretch_of_[task]; }
  bool is_barrier(uint32_t task) const { return stretches_[stretch_of_[task]].barrier == task; }

  // Returns the bound from the end of a part to the end of the schedule.
  double tail_us(uint32_t task, uint32_t choice, uint32_t part) const { return tails_[task][choice][part]; }
  // Returns the bound from the end of a stretch (the start of its barrier, or the join) to the end of the schedule.
  // Returns 0 after the last stretch.
  double tail_from_end(uint32_t stretch) const { return tail_from_end_[stretch]; }
  // Returns the least work that a task adds to its stretch.
  double work_of(uint32_t task) const { return work_[task]; }
  double total_us() const { return total_; }

  // Raises the lower bound of a stretch. The caller must call find_tails() afterwards to update the tails.
  void raise(uint32_t stretch, double us) { stretches_[stretch].least_us = std::max(stretches_[stretch].least_us, us); }
  void find_tails();

 private:
  void weigh(Stretch& stretch);
  double find_tails_of(uint32_t task, double after);
  double known_tail_after(uint32_t task, const Part& part);
  double tail_after(uint32_t task, const Part& part) const;
  double least_through(const TaskInput& reader, const Part& written) const;

  const Problem& problem_;
  std::vector<Stretch> stretches_;
  std::vector<uint32_t> stretch_of_;
  std::vector<std::vector<TaskInput>> readers_;
  std::vector<std::vector<std::vector<double>>> tails_;
  std::vector<double> tail_from_end_;
  std::vector<double> work_;
  double total_ = 0;

  struct KnownTail {
    const Part* part = nullptr;
    double us = 0;
  };
  std::vector<KnownTail> known_tails_;  // of the task whose tails are being computed
};

// Returns the additive bound, which assumes perfect splitting. In each stretch, and for each barrier separately, every
// task may be split at no cost and in any proportion among the units that have a program for the whole task, so that
// every unit is always busy. 1 - additive_bound / sequential is the largest possible gain from concurrency. The bound
// ignores the split choices of tasks, which may cost less than their share.
double additive_bound_us(const Problem& problem);

// Returns, for each unit, the price that balances the work over the units if each task uses its cheapest choice. Prices
// sum to 1. load_bound_us() returns the minimum weighted load, a lower bound for the load of the busiest unit.
std::vector<double> balancing_weights(const Problem& problem);
double load_bound_us(const Problem& problem);

}  // namespace nestrt::scheduler
