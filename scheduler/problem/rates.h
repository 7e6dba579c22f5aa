// SPDX-License-Identifier: Apache-2.0
// Rates: the speeds of concurrent parts, relative to running alone.
//
// The threads that need the host's cores share them evenly: the threads of host parts and, for each accelerator, the
// thread that polls for the end of a part or for the inputs of the next part. If there are urgent parts, other parts
// get only the cores that urgent parts and polling threads do not use, but at least a hundredth. The memory bandwidth
// is shared max-min fairly (Bertsekas and Gallager, Data Networks, 6.5): a part that demands less than an even share
// gets its demand, and the others share the rest.
#pragma once

#include <span>
#include <vector>

#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

constexpr double kTimeRounding = 1e-9;  // relative rounding difference between sums of the same times

struct RunningPart {
  const Part* part = nullptr;
  double left_us = 0;   // remaining time if it ran alone
  bool urgent = false;  // takes precedence over other parts on the host's cores
};

// Returns whether any shared resource can be a limit.
bool has_shared_limits(const Problem& problem);

// Returns the time at the end of a part during which a host core polls for its end and finishes it. Returns 0 for host
// parts.
double awaited_us(const Problem& problem, const Part& part);

// Returns whether a host core already polls for the end of the part.
bool is_awaited(const Problem& problem, const RunningPart& running);

class Rates {
 public:
  explicit Rates(const Problem& problem) : problem_(problem) {}

  // Returns the rate of each part, at most 1. The result is valid until the next call. `waiting`: the number of
  // accelerator lanes that poll for the inputs of their next part.
  const std::vector<double>& of(std::span<const RunningPart> running, int waiting = 0);

 private:
  void share_memory();

  const Problem& problem_;
  std::vector<double> rates_;
  std::vector<double> demands_;  // by part: demanded memory rate
  std::vector<size_t> order_;    // parts by increasing demand
};

}  // namespace nestrt::scheduler
