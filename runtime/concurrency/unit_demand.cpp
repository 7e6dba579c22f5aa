// SPDX-License-Identifier: Apache-2.0
#include "runtime/concurrency/unit_demand.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nestrt {
namespace {

// Demand of other sessions, averaged over the units, at which contention begins and ends; a session that never releases
// a unit has a demand of 1. Simulations (docs/results/two-networks.md) show that the schedule with the shortest latency
// for one session is still the best with one other session, and no longer with three.
constexpr double kContentionBegins = 1.25, kContentionEnds = 1;
// Weight of the newest sample in the exponential mean.
constexpr double kSmoothing = 1.0 / 16;

struct Registry {
  Mutex mutex;
  std::vector<UnitDemand*> all NESTRT_GUARDED_BY(mutex);
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

std::vector<double> unit_shares(const Schedule& schedule, std::span<const UnitInfo> units) {
  std::vector<double> shares(units.size(), 0);
  if (!(schedule.makespan_us > 0)) return shares;
  for (const Step& step : schedule.steps) {
    const uint32_t unit = schedule.lanes[step.lane].unit;
    const double part = step.threads > 0 ? step.threads / static_cast<double>(std::max(1, units[unit].num_threads)) : 1;
    shares[unit] += step.predicted_us * part / schedule.makespan_us;
  }
  return shares;
}

bool is_contended(std::span<const double> demand, bool was_contended) {
  const double sum = std::accumulate(demand.begin(), demand.end(), 0.0);
  return sum > (was_contended ? kContentionEnds : kContentionBegins) * static_cast<double>(demand.size());
}

UnitDemand::UnitDemand(const UnitList& units, bool is_urgent)
    : units_(units), is_urgent_(is_urgent), shares_(units.size(), 0), others_(units.size(), 0) {
  Registry& sessions = registry();
  const MutexLock lock(sessions.mutex);
  sessions.all.push_back(this);
}

UnitDemand::~UnitDemand() {
  Registry& sessions = registry();
  const MutexLock lock(sessions.mutex);
  std::erase(sessions.all, this);
}

void UnitDemand::set_demand(std::span<const double> shares) {
  Registry& sessions = registry();
  const MutexLock lock(sessions.mutex);
  std::copy_n(shares.begin(), std::min(shares.size(), shares_.size()), shares_.begin());
}

double UnitDemand::demand_of_others(size_t unit, std::span<UnitDemand* const> sessions) const {
  double sum = 0;
  for (const UnitDemand* const other : sessions) {
    if (other == this || !other->is_running_.load(std::memory_order_relaxed)) continue;
    for (size_t i = 0; i < other->units_.size(); ++i)
      if (other->units_[i] == units_[unit]) sum += other->shares_[i];
  }
  return sum;
}

void UnitDemand::end_run() {
  is_running_.store(false, std::memory_order_relaxed);
  if (is_urgent_) return;
  Registry& sessions = registry();
  const MutexLock lock(sessions.mutex);
  for (size_t unit = 0; unit < units_.size(); ++unit)
    others_[unit] += (demand_of_others(unit, sessions.all) - others_[unit]) * (has_run_ ? kSmoothing : 1);
  has_run_ = true;
  const bool is_contended_now = is_contended(others_, is_contended_);
  if (is_contended_now != std::exchange(is_contended_, is_contended_now))
    changes_.fetch_add(1, std::memory_order_relaxed);
}

std::vector<double> UnitDemand::others() const {
  if (is_urgent_) return {};
  Registry& sessions = registry();
  const MutexLock lock(sessions.mutex);
  std::vector<double> others = others_;
  for (size_t unit = 0; unit < others.size() && !has_run_; ++unit) others[unit] = demand_of_others(unit, sessions.all);
  if (has_run_ ? !is_contended_ : !is_contended(others, false)) others.clear();
  return others;
}

}  // namespace nestrt
