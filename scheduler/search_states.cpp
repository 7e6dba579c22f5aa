#include "scheduler/search_states.h"

#include <algorithm>
#include <bit>

#include "scheduler/none.h"

namespace nestrt::scheduler {
namespace {

uint64_t hash_of(const SearchState& state) {
  uint64_t hash = state.done_hash ^ state.sharing;
  for (const LiveResult& live : state.live)
    hash = (hash ^ (uint64_t{live.task} << 32 | live.place)) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

bool same_future(const SearchState& a, const SearchState& b) {
  if (a.sharing != b.sharing || a.live.size() != b.live.size() || a.done != b.done) return false;
  return std::equal(a.live.begin(), a.live.end(), b.live.begin(),
                    [](const LiveResult& x, const LiveResult& y) { return x.task == y.task && x.place == y.place; });
}

// Requires: the same future.
bool dominates(const SearchState& a, const SearchState& b) {
  if (a.makespan > b.makespan) return false;
  for (size_t lane = 0; lane < a.free.size(); ++lane)
    if (a.free[lane] > b.free[lane]) return false;
  for (size_t i = 0; i < a.live.size(); ++i)
    for (size_t part = 0; part < kMaxParts; ++part)
      if (a.live[i].ends[part] > b.live[i].ends[part]) return false;
  return true;
}

}  // namespace

void SearchLayer::clear(size_t capacity) {
  size_ = 0;
  next_.clear();
  buckets_.assign(std::bit_ceil(2 * capacity + 1), kNone);
}

void SearchLayer::add(const SearchState& state) {
  uint32_t& bucket = buckets_[hash_of(state) & (buckets_.size() - 1)];
  for (uint32_t at = bucket; at != kNone; at = next_[at]) {
    if (!same_future(states_[at], state)) continue;
    if (dominates(states_[at], state)) return;
    if (!dominates(state, states_[at])) continue;
    states_[at] = state;
    return;
  }
  if (size_ == states_.size()) states_.emplace_back();
  states_[size_] = state;
  next_.push_back(bucket);
  bucket = static_cast<uint32_t>(size_++);
}

}  // namespace nestrt::scheduler
