// Rates: how fast parts that run at the same time proceed, each measured by how fast it would be alone.
//
// The host's cores are shared evenly by the threads that want them: those of its parts, and for each unit beside it the
// one that waits, while it does not sleep: for the end of a part, or for what the next one reads. Where there are
// urgent parts, others have only the cores that these and those who wait leave, and a hundredth in any case. The
// memory's rate is shared max-min fairly (Bertsekas and Gallager, Data Networks, 6.5): who wants less than an even
// share gets it, the others share what is left.
#pragma once

#include <span>
#include <vector>

#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

constexpr double kDigits = 1e-9;  // in which sums of the same times differ

struct RunningPart {
  const Part* part = nullptr;
  double left_us = 0;   // of its time alone
  bool urgent = false;  // the host's cores leave other parts for it
};

// Whether anything that units share may run short.
bool can_run_short(const Problem& problem);

// For so long at its end a core of the host looks for the end of the part, and does what is left to do; 0 where it is
// the host's own.
double awaited_us(const Problem& problem, const Part& part);

// Whether that time has come.
bool is_awaited(const Problem& problem, const RunningPart& running);

class Rates {
 public:
  explicit Rates(const Problem& problem) : problem_(problem) {}

  // By part, at most 1; until the next call. `waiting`: lanes of units beside the host that wait for their next part
  // without sleeping.
  const std::vector<double>& of(std::span<const RunningPart> running, int waiting = 0);

 private:
  void share_memory();

  const Problem& problem_;
  std::vector<double> rates_;
  std::vector<double> wanted_;  // by part: of the memory's rate
  std::vector<size_t> order_;   // of parts, by what they want
};

}  // namespace nestrt::scheduler
