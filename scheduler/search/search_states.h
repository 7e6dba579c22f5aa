// SPDX-License-Identifier: Apache-2.0
// The states of one size that are kept by the search (scheduler/search/search.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

// A result that is still to be read. If every reader reads the whole result, only its arrival times matter.
struct LiveResult {
  static constexpr size_t kMaxTimes = 16;  // unused entries are 0
  static constexpr uint32_t kAnywhere = UINT32_MAX;

  uint32_t task = 0;
  uint32_t choice = 0;
  uint32_t place = 0;                     // equal for choices on the same units with the same shares, or kAnywhere
  std::array<double, kMaxTimes> times{};  // end time by part; if kAnywhere, arrival time by lane
};

struct SearchState {
  std::vector<LiveResult> live;  // by task
  std::vector<double> free;      // by lane: the time at which it becomes free
  std::vector<uint64_t> done;    // one bit per task
  uint64_t done_hash = 0;
  uint32_t sharing = kAnySharing;
  uint32_t stretch = 0;  // the stretch of the next task
  double bound = 0;      // lower bound for every solution derived from this state
  double makespan = 0;   // time at which all placed tasks are complete
  double work_left = 0;  // in the current stretch
  uint32_t parent = 0;   // index of the parent in the previous layer
  Decision decision;     // the step from the parent to this state

  bool has(uint32_t task) const { return (done[task / 64] >> (task % 64) & 1) != 0; }
};

// A set of states. Of two states with the same future, it keeps the one whose times are all at least as early.
class SearchLayer {
 public:
  void clear(size_t capacity);
  // Adds the state unless it is dominated.
  void add(const SearchState& state);
  size_t size() const { return size_; }
  std::span<const SearchState> states() const { return std::span(states_).first(size_); }

 private:
  std::vector<SearchState> states_;  // the first size_ are valid; the rest keep their memory
  std::vector<uint64_t> hashes_;     // by state: hash of everything that its future depends on, except times
  std::vector<size_t> times_at_;     // by state: offset of its times
  std::vector<double> times_;        // contiguous, because comparing times dominates the cost
  std::vector<double> added_;        // times of the state being added
  std::vector<uint32_t> next_;       // by state: next in the same bucket
  std::vector<uint32_t> buckets_;
  size_t size_ = 0;
};

}  // namespace nestrt::scheduler
