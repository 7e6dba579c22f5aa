// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/probe_times.h"

#include <algorithm>

namespace nestrt {

ProbeTimes::ProbeTimes(size_t units, SteadyClock::duration interval) : interval_(interval), entries_(units) {}

SteadyClock::duration ProbeTimes::lengthen(SteadyClock::duration wait) const { return std::min(2 * wait, interval_); }

void ProbeTimes::set_failing(size_t unit, bool is_failing, Time now) {
  Entry& entry = entries_[unit];
  if (entry.due.has_value() == is_failing) return;
  if (!is_failing) {
    entry.due.reset();
    entry.worked_since = now;
    return;
  }
  const bool is_relapse = entry.worked_since && now - *entry.worked_since < interval_;
  entry.wait = is_relapse ? lengthen(entry.wait) : interval_ / kInitialDivisor;
  entry.due = now + entry.wait;
}

void ProbeTimes::record_probe(size_t unit, bool works, Time now) {
  if (works) return set_failing(unit, false, now);
  Entry& entry = entries_[unit];
  entry.wait = lengthen(entry.wait);
  entry.due = now + entry.wait;
}

bool ProbeTimes::is_due(size_t unit, Time now) const { return entries_[unit].due && *entries_[unit].due <= now; }

std::optional<ProbeTimes::Time> ProbeTimes::next() const {
  std::optional<Time> next;
  for (const Entry& entry : entries_)
    if (entry.due && (!next || *entry.due < *next)) next = entry.due;
  return next;
}

}  // namespace nestrt
