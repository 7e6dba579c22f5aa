// Ceilings of benchmarks: the fastest that a piece of code has run on this machine.
#pragma once

#include <algorithm>
#include <array>
#include <ctime>

#include "kernels/common/simd/simd.h"

namespace nestrt::kernels {

// Time that this thread has run, unlike the time on the wall that it shares with others.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Operations per nanosecond of run(), which returns how many it did: the best of ten.
template <typename Run>
double best_rate(Run run) {
  double best = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const double start = thread_seconds();
    const double operations = run();
    best = std::max(best, operations / (thread_seconds() - start) * 1e-9);
  }
  return best;
}

// best_rate() of the current instruction set, measured once for each.
class Ceiling {
 public:
  template <typename Run>
  double measured(Run run) {
    double& rate = rates_[static_cast<size_t>(current_instruction_set())];
    if (rate == 0) rate = best_rate(run);
    return rate;
  }

 private:
  std::array<double, kNumInstructionSets> rates_{};
};

}  // namespace nestrt::kernels
