// SPDX-License-Identifier: Apache-2.0
// Peak rates for benchmarks: the fastest measured rate of a piece of code on this machine.
#pragma once

#include <algorithm>
#include <array>
#include <ctime>

#include "kernels/common/simd/simd.h"

namespace nestrt::kernels {

// Returns the CPU time of the current thread in seconds.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Returns the operations per nanosecond of run(), as the best of ten calls. run() returns the number of operations that
// it performed.
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

// Returns best_rate() on the current instruction set, measured once per set.
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
