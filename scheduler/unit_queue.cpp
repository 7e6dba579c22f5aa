// SPDX-License-Identifier: Apache-2.0
#include "scheduler/unit_queue.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace nestrt::scheduler {
namespace {

// After urgent work is due, a unit stays reserved for it for an eighth of its gap plus this time, which a thread may
// need to wake up.
constexpr std::chrono::microseconds kMaxUrgentDelay{200};

}  // namespace

void UnitQueue::add(UnitClaim& claim, Time now) {
  claim.passed = 0;
  claim.widest_gap = {};
  claim.next = nullptr;
  UnitClaim** last = &first_;
  while (*last != nullptr) last = &(*last)->next;
  *last = &claim;
  if (!claim.urgent) return;
  reserved_until_ = Time::min();
  if (last_urgent_ == nullptr) return;
  last_urgent_->gaps[0] = std::exchange(last_urgent_->gaps[1], now - last_urgent_end_);
  last_urgent_ = nullptr;
}

bool UnitQueue::remove(const UnitClaim& claim) {
  for (UnitClaim** place = &first_; *place != nullptr; place = &(*place)->next) {
    if (*place != &claim) continue;
    *place = claim.next;
    return true;
  }
  return false;
}

bool UnitQueue::forget(const UnitClaim& claim) {
  if (last_urgent_ == &claim) last_urgent_ = nullptr;
  return remove(claim);
}

UnitClaim* UnitQueue::next(Time now) const {
  UnitClaim* best = nullptr;
  for (UnitClaim* claim = first_; claim != nullptr; claim = claim->next)
    if (may_begin(*claim, now) && (best == nullptr || is_before(*claim, *best))) best = claim;
  return best;
}

bool UnitQueue::may_begin(const UnitClaim& claim, Time now) const {
  if (claim.urgent || is_starving(claim) || now >= reserved_until_) return true;
  return now + std::max(claim.times[0], claim.times[1]) <= due_;
}

SteadyClock::duration UnitQueue::gap() const {
  return last_urgent_ == nullptr ? SteadyClock::duration::zero() : due_ - last_urgent_end_;
}

bool UnitQueue::is_starving(const UnitClaim& claim) const {
  if (claim.passed < kMaxPassed) return false;
  return claim.passed >= 2 * kMaxPassed || gap() >= claim.widest_gap * 3 / 4;
}

bool UnitQueue::is_before(const UnitClaim& a, const UnitClaim& b) const {
  const auto order = [this](const UnitClaim& claim) {
    return std::tuple(!is_starving(claim), !claim.urgent, claim.deadline);
  };
  return order(a) < order(b);
}

void UnitQueue::begin(UnitClaim& claim, Time now) {
  for (UnitClaim* older = first_; older != &claim; older = older->next) ++older->passed;
  remove(claim);
  begun_ = now;
}

void UnitQueue::end(UnitClaim& claim, Time now) {
  claim.times[0] = std::exchange(claim.times[1], now - begun_);
  if (!claim.urgent) return;
  const SteadyClock::duration gap = std::min(claim.gaps[0], claim.gaps[1]);
  last_urgent_ = &claim;
  last_urgent_end_ = now;
  due_ = now + gap;
  reserved_until_ = gap > gap.zero() ? due_ + gap / 8 + kMaxUrgentDelay : now;
  for (UnitClaim* waiting = first_; waiting != nullptr; waiting = waiting->next)
    waiting->widest_gap = std::max(waiting->widest_gap, gap);
}

}  // namespace nestrt::scheduler
