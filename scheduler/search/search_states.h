// The states of one size that a search keeps (scheduler/search/search.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

// A result that is still to be read. Where all of it is, for all who will read it, it only matters when it arrives.
struct LiveResult {
  static constexpr size_t kMaxTimes = 16;  // 0 beyond those that there are
  static constexpr uint32_t kAnywhere = UINT32_MAX;

  uint32_t task = 0;
  uint32_t choice = 0;
  uint32_t place = 0;                     // the same for choices on the same units with the same shares; or kAnywhere
  std::array<double, kMaxTimes> times{};  // by part its end; kAnywhere: by lane when it is there
};

struct SearchState {
  std::vector<LiveResult> live;  // by task
  std::vector<double> free;      // by lane: from when
  std::vector<uint64_t> done;    // a bit by task
  uint64_t done_hash = 0;
  uint32_t sharing = kAnySharing;
  uint32_t stretch = 0;  // where the next task is
  double bound = 0;      // for everything that comes of it
  double makespan = 0;   // when all that is placed is complete
  double work_left = 0;  // in the stretch
  uint32_t parent = 0;   // in the layer before
  Decision decision;     // that led from there to here

  bool has(uint32_t task) const { return (done[task / 64] >> (task % 64) & 1) != 0; }
};

// Keeps of two states with the same future the one whose times are at least as early.
class SearchLayer {
 public:
  void clear(size_t capacity);
  // The state counts only if it is not dominated.
  void add(const SearchState& state);
  size_t size() const { return size_; }
  std::span<const SearchState> states() const { return std::span(states_).first(size_); }

 private:
  std::vector<SearchState> states_;  // the first size_ of them; the others keep their memory
  std::vector<uint64_t> hashes_;     // by state, of what its future depends on but times
  std::vector<size_t> times_at_;     // by state: where its times begin
  std::vector<double> times_;        // side by side, as most of the search is comparing them
  std::vector<double> added_;        // those of the state to add
  std::vector<uint32_t> next_;       // by state: another of the same bucket
  std::vector<uint32_t> buckets_;
  size_t size_ = 0;
};

}  // namespace nestrt::scheduler
