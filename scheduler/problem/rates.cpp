// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem/rates.h"

#include <algorithm>
#include <numeric>

namespace nestrt::scheduler {
namespace {

// Fraction of the host's cores that non-urgent parts always get, because their callers wait only for a limited number
// of urgent operators (scheduler/thread_pool/thread_pool.h).
constexpr double kKeptForOthers = 0.01;

struct CoreRates {
  double urgent = 1, other = 1;
};

CoreRates core_rates(const Problem& problem, std::span<const RunningPart> running, int waiting) {
  if (problem.host_cores <= 0) return {};
  double waiters = waiting, urgent = 0, other = 0;
  for (const RunningPart& one : running) {
    if (problem.unit_of(*one.part).is_host)
      (one.urgent ? urgent : other) += one.part->threads > 0 ? one.part->threads : problem.host_cores;
    else if (is_awaited(problem, one))
      waiters += 1;
  }
  const auto rate = [](double cores, double threads) { return threads > cores ? cores / threads : 1; };
  const double cores = problem.host_cores;
  if (urgent == 0) return {1, rate(cores, other + waiters)};
  const double kept = other > 0 ? cores * kKeptForOthers : 0;
  return {rate(cores - kept, urgent + waiters), rate(std::max(kept, cores - urgent - waiters), other)};
}

}  // namespace

bool has_shared_limits(const Problem& problem) {
  const bool is_awake = std::ranges::any_of(problem.units, [](const ProblemUnit& unit) { return unit.awake_us > 0; });
  const auto takes_a_core = [](const Choice& choice) {
    return std::ranges::any_of(choice.parts, [](const Part& part) { return part.host_us > 0; });
  };
  return problem.memory_mb_per_s > 0 || is_awake || problem.waits.awake_us > 0 || problem.waits.wake_us > 0 ||
         std::ranges::any_of(problem.tasks,
                             [&](const Task& task) { return std::ranges::any_of(task.choices, takes_a_core); });
}

double awaited_us(const Problem& problem, const Part& part) {
  const ProblemUnit& unit = problem.unit_of(part);
  return unit.is_host ? 0 : unit.awake_us + part.host_us;
}

bool is_awaited(const Problem& problem, const RunningPart& running) {
  const ProblemUnit& unit = problem.unit_of(*running.part);
  return !unit.is_host && running.left_us <= awaited_us(problem, *running.part) + kTimeRounding * running.part->us;
}

const std::vector<double>& Rates::of(std::span<const RunningPart> running, int waiting) {
  const CoreRates host = core_rates(problem_, running, waiting);
  rates_.clear();
  demands_.clear();
  for (const RunningPart& one : running) {
    rates_.push_back(!problem_.unit_of(*one.part).is_host ? 1 : one.urgent ? host.urgent : host.other);
    // A part that runs alone gets all that it demands, because its measured time includes its memory traffic.
    const double alone = one.part->us > 0 ? one.part->bytes / one.part->us : 0;
    demands_.push_back(rates_.back() * std::min(alone, problem_.memory_mb_per_s));
  }
  const double all = std::accumulate(demands_.begin(), demands_.end(), 0.0);
  if (all > problem_.memory_mb_per_s) share_memory();
  return rates_;
}

void Rates::share_memory() {
  order_.resize(demands_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return demands_[a] < demands_[b]; });
  double left = problem_.memory_mb_per_s;
  for (size_t i = 0; i < order_.size(); ++i) {
    const double demand = demands_[order_[i]];
    const double given = std::min(demand, left / static_cast<double>(order_.size() - i));
    if (given < demand) rates_[order_[i]] *= given / demand;
    left -= given;
  }
}

}  // namespace nestrt::scheduler
