#include "scheduler/rates.h"

#include <algorithm>
#include <numeric>

namespace nestrt::scheduler {
namespace {

// Of the host's cores: what others than urgent parts have in any case, as their callers wait for so many urgent
// operators only (scheduler/thread_pool/thread_pool.h).
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

// What each gets of a rate that all share.
std::vector<double> shares_of(double rate, const std::vector<double>& wanted) {
  std::vector<size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return wanted[a] < wanted[b]; });
  std::vector<double> shares(wanted.size());
  for (size_t i = 0; i < order.size(); ++i) {
    shares[order[i]] = std::min(wanted[order[i]], rate / static_cast<double>(order.size() - i));
    rate -= shares[order[i]];
  }
  return shares;
}

}  // namespace

bool can_run_short(const Problem& problem) {
  const bool is_awake = std::any_of(problem.units.begin(), problem.units.end(),
                                    [](const ProblemUnit& unit) { return unit.awake_us > 0; });
  return problem.memory_mb_per_s > 0 || is_awake || problem.waits.awake_us > 0 || problem.waits.wake_us > 0;
}

bool is_awaited(const Problem& problem, const RunningPart& running) {
  const ProblemUnit& unit = problem.unit_of(*running.part);
  return !unit.is_host && running.left_us <= unit.awake_us + kDigits * running.part->us;
}

std::vector<double> rates(const Problem& problem, std::span<const RunningPart> running, int waiting) {
  const CoreRates host = core_rates(problem, running, waiting);
  std::vector<double> result, wanted;
  for (const RunningPart& one : running) {
    result.push_back(!problem.unit_of(*one.part).is_host ? 1 : one.urgent ? host.urgent : host.other);
    // Alone each gets what it wants: that is how its time alone came about.
    const double alone = one.part->us > 0 ? one.part->bytes / one.part->us : 0;
    wanted.push_back(result.back() * std::min(alone, problem.memory_mb_per_s));
  }
  if (problem.memory_mb_per_s <= 0) return result;
  const std::vector<double> shares = shares_of(problem.memory_mb_per_s, wanted);
  for (size_t i = 0; i < result.size(); ++i)
    if (shares[i] < wanted[i]) result[i] *= shares[i] / wanted[i];
  return result;
}

}  // namespace nestrt::scheduler
