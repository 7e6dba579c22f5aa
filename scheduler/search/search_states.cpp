// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/search_states.h"

#include <algorithm>
#include <bit>

#include "scheduler/problem/invalid_index.h"

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

// Lists all times that affect the future of the state. States with the same future have the same number of times.
void list_times(const SearchState& state, std::vector<double>& times) {
  times.assign(state.free.begin(), state.free.end());
  times.push_back(state.makespan);
  const size_t lanes = state.free.size();
  for (const LiveResult& live : state.live)
    times.insert(times.end(), live.times.begin(),
                 live.times.begin() + (live.place == LiveResult::kAnywhere ? lanes : kMaxParts));
}

bool none_later(const double* times, const double* than, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (times[i] > than[i]) return false;
  return true;
}

}  // namespace

void SearchLayer::clear(size_t capacity) {
  size_ = 0;
  next_.clear();
  hashes_.clear();
  times_at_.clear();
  times_.clear();
  buckets_.assign(std::bit_ceil(2 * capacity + 1), kInvalidIndex);
}

void SearchLayer::add(const SearchState& state) {
  const uint64_t hash = hash_of(state);
  list_times(state, added_);
  uint32_t& bucket = buckets_[hash & (buckets_.size() - 1)];
  for (uint32_t at = bucket; at != kInvalidIndex; at = next_[at]) {
    if (hashes_[at] != hash) continue;
    double* const times = &times_[times_at_[at]];
    const bool is_later = none_later(times, added_.data(), added_.size());
    if (!is_later && !none_later(added_.data(), times, added_.size())) continue;
    if (!same_future(states_[at], state)) continue;
    if (is_later) return;
    states_[at] = state;
    std::copy(added_.begin(), added_.end(), times);
    return;
  }
  if (size_ == states_.size()) states_.emplace_back();
  states_[size_] = state;
  hashes_.push_back(hash);
  times_at_.push_back(times_.size());
  times_.insert(times_.end(), added_.begin(), added_.end());
  next_.push_back(bucket);
  bucket = static_cast<uint32_t>(size_++);
}

}  // namespace nestrt::scheduler
