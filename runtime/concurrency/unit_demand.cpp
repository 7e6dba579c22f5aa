#include "runtime/concurrency/unit_demand.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nestrt {
namespace {

// In the mean of the units, in sessions that never let go of them. As simulated (docs/scheduling-two-networks.md):
// beside one other session the shortest alone is best, beside three it is not.
constexpr double kBusy = 1.25, kStillBusy = 1;
// The part of the mean that what a run has seen replaces.
constexpr double kSmoothing = 1.0 / 16;

struct Users {
  Mutex mutex;
  std::vector<UnitDemand*> all NESTRT_GUARDED_BY(mutex);
};

Users& users() {
  static Users instance;
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

bool are_busy(std::span<const double> others, bool were) {
  const double sum = std::accumulate(others.begin(), others.end(), 0.0);
  return sum > (were ? kStillBusy : kBusy) * static_cast<double>(others.size());
}

UnitDemand::UnitDemand(const UnitList& units, bool is_urgent)
    : units_(units), is_urgent_(is_urgent), shares_(units.size(), 0), others_(units.size(), 0) {
  Users& list = users();
  const MutexLock lock(list.mutex);
  list.all.push_back(this);
}

UnitDemand::~UnitDemand() {
  Users& list = users();
  const MutexLock lock(list.mutex);
  std::erase(list.all, this);
}

void UnitDemand::wants(std::span<const double> shares) {
  Users& list = users();
  const MutexLock lock(list.mutex);
  std::copy_n(shares.begin(), std::min(shares.size(), shares_.size()), shares_.begin());
}

double UnitDemand::wanted_by_others(size_t unit, std::span<UnitDemand* const> users) const {
  double sum = 0;
  for (const UnitDemand* const other : users) {
    if (other == this || !other->is_running_.load(std::memory_order_relaxed)) continue;
    for (size_t i = 0; i < other->units_.size(); ++i)
      if (other->units_[i] == units_[unit]) sum += other->shares_[i];
  }
  return sum;
}

void UnitDemand::end_run() {
  is_running_.store(false, std::memory_order_relaxed);
  if (is_urgent_) return;
  Users& list = users();
  const MutexLock lock(list.mutex);
  for (size_t unit = 0; unit < units_.size(); ++unit)
    others_[unit] += (wanted_by_others(unit, list.all) - others_[unit]) * (has_run_ ? kSmoothing : 1);
  has_run_ = true;
  const bool are_busy_now = are_busy(others_, are_busy_);
  if (are_busy_now != std::exchange(are_busy_, are_busy_now)) changes_.fetch_add(1, std::memory_order_relaxed);
}

std::vector<double> UnitDemand::others() const {
  if (is_urgent_) return {};
  Users& list = users();
  const MutexLock lock(list.mutex);
  std::vector<double> others = others_;
  for (size_t unit = 0; unit < others.size() && !has_run_; ++unit) others[unit] = wanted_by_others(unit, list.all);
  if (has_run_ ? !are_busy_ : !are_busy(others, false)) others.clear();
  return others;
}

}  // namespace nestrt
