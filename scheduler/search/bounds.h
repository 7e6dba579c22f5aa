// Bounds: times that no schedule of a problem can undercut.
//
// A path of tasks takes at least as long as the best placement of the path alone, transfers included. Between two cut
// points the work is bounded by the linear program that may divide every task among its choices as it likes; its dual
// has a weight per unit, and any weights give a bound: sum over tasks of the cheapest choice's weighted load.
// The bounds of what lies between separators (scheduler/problem/joins.h) add up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scheduler/problem/invalid_index.h"
#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

// Tasks between neighbouring separators (scheduler/problem/joins.h), and the barrier that ends them.
struct Stretch {
  std::vector<uint32_t> tasks;       // without the barrier; those of all stretches, with their barriers, are in order
  uint32_t barrier = kInvalidIndex;  // none: a join ends them, or they are the last
  std::vector<uint32_t> last;        // the barrier, or what is joined
  uint32_t end = 0;                  // one more than the last task, the barrier included
  std::vector<double> weights;       // by unit; they sum to 1
  double work_us = 0;                // bound for the tasks, from their work
  double least_us = 0;               // the same from whatever is known
};

class Bounds {
 public:
  explicit Bounds(const Problem& problem);

  const std::vector<Stretch>& stretches() const { return stretches_; }
  // The tasks that read it, and how.
  const std::vector<TaskInput>& readers_of(uint32_t task) const { return readers_[task]; }
  uint32_t stretch_of(uint32_t task) const { return stretch_of_[task]; }
  bool is_barrier(uint32_t task) const { return stretches_[stretch_of_[task]].barrier == task; }

  // From the end of that part of the task to the end of everything.
  double tail_us(uint32_t task, uint32_t choice, uint32_t part) const { return tails_[task][choice][part]; }
  // From the start of the barrier that ends a stretch, or from the join, to the end of everything; 0 after the last.
  double tail_from_end(uint32_t stretch) const { return tail_from_end_[stretch]; }
  // The least that a task adds to the work of its stretch.
  double work_of(uint32_t task) const { return work_[task]; }
  double total_us() const { return total_; }

  // A stretch takes at least so long. What follows from that is found by find_tails().
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
  std::vector<KnownTail> known_tails_;  // of the task whose tails are looked for
};

// The additive bound: what perfect division would give. In each stretch, and for each barrier by itself, every task
// may be divided in any shares among the units that have a program for all of it, at no cost, so that both units are
// busy all the time. 1 - additive_bound / sequential is the most that running side by side can gain; the bound knows no
// split choices, whose costs may be less than their share.
double additive_bound_us(const Problem& problem);

// By unit: the prices that balance the work of all tasks over the units, if each task goes where it is cheapest; they
// sum to 1. The weighted least is a bound for the load of the busiest unit.
std::vector<double> balancing_weights(const Problem& problem);
double load_bound_us(const Problem& problem);

}  // namespace nestrt::scheduler
