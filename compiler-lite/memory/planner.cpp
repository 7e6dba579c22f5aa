// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/memory/planner.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <random>
#include <set>

#include "compiler-lite/graph/node_predecessors.h"
#include "runtime/plan/format/format.h"

namespace nestrt::compiler {
namespace {

constexpr int kLocalSearchSteps = 400;
constexpr size_t kMaxLocalSearchBuffers = 512;
// Maximum number of conflicting pairs of buffers; a longer list needs too much memory and time.
constexpr size_t kMaxConflicts = 4'000'000;

uint64_t aligned(uint64_t bytes) {
  const uint64_t alignment = plan_format::kSegmentAlignment;
  return (bytes + alignment - 1) / alignment * alignment;
}

// The buffers of the arena and the pairs that must not share bytes.
struct Problem {
  std::vector<uint32_t> buffers;                 // indices in Storage::buffers
  std::vector<uint64_t> sizes;                   // aligned; by index in `buffers`
  std::vector<std::vector<uint32_t>> conflicts;  // by index; indices in `buffers`
};

Problem arena_problem(const Storage& storage) {
  Problem problem;
  for (uint32_t i = 0; i < storage.buffers.size(); ++i) {
    if (storage.buffers[i].kind != plan::BufferKind::kArena) continue;
    problem.buffers.push_back(i);
    problem.sizes.push_back(aligned(storage.buffers[i].size));
  }
  problem.conflicts.resize(problem.buffers.size());
  return problem;
}

void add_conflict(Problem& problem, size_t i, size_t j) {
  problem.conflicts[i].push_back(static_cast<uint32_t>(j));
  problem.conflicts[j].push_back(static_cast<uint32_t>(i));
}

// Adds a conflict for each pair of buffers whose lifetimes overlap in file order. Returns false and leaves the list
// incomplete if there are more than kMaxConflicts.
bool add_conflicts_of_lives(const Storage& storage, Problem& problem) {
  size_t count = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    // Buffers are sorted by first use, so the search ends at the first buffer that starts too late.
    const uint32_t last = storage.buffers[problem.buffers[i]].users.back();
    for (size_t j = i + 1; j < problem.buffers.size(); ++j) {
      if (storage.buffers[problem.buffers[j]].users.front() > last) break;
      if (++count > kMaxConflicts) return false;
      add_conflict(problem, i, j);
    }
  }
  return true;
}

struct Placement {
  uint64_t height = 0;
  std::vector<uint64_t> offsets;  // by index in `buffers`
};

// Places each buffer, in `order`, in the lowest gap between the conflicting buffers that are already placed.
Placement first_fit(const Problem& problem, const std::vector<uint32_t>& order) {
  constexpr uint64_t kUnplaced = ~uint64_t{0};
  Placement placement;
  placement.offsets.assign(problem.sizes.size(), kUnplaced);
  std::vector<std::pair<uint64_t, uint64_t>> occupied;
  for (uint32_t item : order) {
    occupied.clear();
    for (uint32_t other : problem.conflicts[item]) {
      const uint64_t offset = placement.offsets[other];
      if (offset != kUnplaced) occupied.emplace_back(offset, offset + problem.sizes[other]);
    }
    std::sort(occupied.begin(), occupied.end());
    uint64_t candidate = 0;
    for (const auto& [begin, end] : occupied) {
      if (begin >= candidate + problem.sizes[item]) break;
      candidate = std::max(candidate, end);
    }
    placement.offsets[item] = candidate;
    placement.height = std::max(placement.height, candidate + problem.sizes[item]);
  }
  return placement;
}

// The free blocks of an arena that grows at its end.
class FreeList {
 public:
  // Allocates from the smallest block that fits, at the lowest address on a tie; grows the arena if no block fits.
  uint64_t take(uint64_t size) {
    const auto found = by_size_.lower_bound({size, 0});
    if (found == by_size_.end()) return grow(size);
    const auto [part, offset] = *found;
    erase(offset, part);
    if (part > size) insert(offset + size, part - size);
    return offset;
  }
  void give_back(uint64_t offset, uint64_t size) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && next->first == offset + size) {
      const auto [at, part] = *next;
      erase(at, part);
      size += part;
      next = by_offset_.lower_bound(offset);
    }
    if (next != by_offset_.begin()) {
      const auto [at, part] = *std::prev(next);
      if (at + part == offset) {
        erase(at, part);
        offset = at;
        size += part;
      }
    }
    insert(offset, size);
  }
  uint64_t height() const { return height_; }

 private:
  // Extends the arena, reusing a free block at its end.
  uint64_t grow(uint64_t size) {
    uint64_t offset = height_;
    if (!by_offset_.empty()) {
      const auto [at, part] = *by_offset_.rbegin();
      if (at + part == height_) {
        erase(at, part);
        offset = at;
      }
    }
    height_ = offset + size;
    return offset;
  }
  void insert(uint64_t offset, uint64_t size) {
    by_offset_[offset] = size;
    by_size_.insert({size, offset});
  }
  void erase(uint64_t offset, uint64_t size) {
    by_offset_.erase(offset);
    by_size_.erase({size, offset});
  }

  uint64_t height_ = 0;
  std::map<uint64_t, uint64_t> by_offset_;           // sizes
  std::set<std::pair<uint64_t, uint64_t>> by_size_;  // size, offset
};

// Places each buffer, in order of first use, in the memory of buffers whose lifetimes have ended.
Placement sweep(const Storage& storage, const Problem& problem) {
  Placement placement;
  FreeList free;
  using End = std::pair<uint32_t, uint32_t>;  // last use, index
  std::priority_queue<End, std::vector<End>, std::greater<>> alive;
  for (uint32_t i = 0; i < problem.buffers.size(); ++i) {
    const BufferUse& buffer = storage.buffers[problem.buffers[i]];
    for (; !alive.empty() && alive.top().first < buffer.users.front(); alive.pop()) {
      const uint32_t ended = alive.top().second;
      free.give_back(placement.offsets[ended], problem.sizes[ended]);
    }
    placement.offsets.push_back(free.take(problem.sizes[i]));
    alive.push({buffer.users.back(), i});
  }
  placement.height = free.height();
  return placement;
}

// Gives every buffer separate bytes, which is valid for any order.
Placement without_overlap(const Problem& problem) {
  Placement placement;
  for (uint64_t size : problem.sizes) {
    placement.offsets.push_back(placement.height);
    placement.height += size;
  }
  return placement;
}

std::vector<std::vector<uint32_t>> starting_orders(const Problem& problem) {
  std::vector<uint32_t> by_time(problem.sizes.size());
  std::iota(by_time.begin(), by_time.end(), 0);
  std::vector<uint32_t> by_size = by_time;
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](uint32_t a, uint32_t b) { return problem.sizes[a] > problem.sizes[b]; });
  std::vector<uint64_t> pressure(problem.sizes);
  for (size_t i = 0; i < pressure.size(); ++i)
    for (uint32_t other : problem.conflicts[i]) pressure[i] += problem.sizes[other];
  std::vector<uint32_t> by_pressure = by_time;
  std::stable_sort(by_pressure.begin(), by_pressure.end(),
                   [&](uint32_t a, uint32_t b) { return pressure[a] > pressure[b]; });
  return {by_size, by_pressure, by_time};
}

Placement place(const Problem& problem, uint64_t lower_bound) {
  Placement best;
  std::vector<uint32_t> best_order;
  for (const std::vector<uint32_t>& order : starting_orders(problem)) {
    Placement placement = first_fit(problem, order);
    if (!best.offsets.empty() && placement.height >= best.height) continue;
    best = std::move(placement);
    best_order = order;
  }
  if (problem.sizes.size() < 2 || problem.sizes.size() > kMaxLocalSearchBuffers) return best;
  std::mt19937 generator(1);  // fixed seed, so that the same model gives the same plan
  for (int step = 0; step < kLocalSearchSteps && best.height > lower_bound; ++step) {
    std::vector<uint32_t> order = best_order;
    const size_t from = generator() % order.size(), to = generator() % order.size();
    const uint32_t moved = order[from];
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), moved);
    Placement placement = first_fit(problem, order);
    if (placement.height > best.height) continue;
    best = std::move(placement);
    best_order = std::move(order);
  }
  return best;
}

MemoryLayout to_layout(const Storage& storage, const Problem& problem, const Placement& placement,
                       uint64_t lower_bound) {
  MemoryLayout layout;
  layout.arena_bytes = placement.height;
  layout.lower_bound_bytes = lower_bound;
  layout.offsets.assign(storage.buffers.size(), 0);
  for (size_t i = 0; i < problem.buffers.size(); ++i) layout.offsets[problem.buffers[i]] = placement.offsets[i];
  return layout;
}

uint64_t largest_live_set(const Storage& storage, size_t num_operators) {
  std::vector<int64_t> change(num_operators + 1, 0);
  for (const BufferUse& buffer : storage.buffers) {
    if (buffer.kind != plan::BufferKind::kArena) continue;
    change[buffer.users.front()] += static_cast<int64_t>(aligned(buffer.size));
    change[buffer.users.back() + 1] -= static_cast<int64_t>(aligned(buffer.size));
  }
  int64_t live = 0, largest = 0;
  for (int64_t delta : change) largest = std::max(largest, live += delta);
  return static_cast<uint64_t>(largest);
}

}  // namespace

MemoryLayout plan_sequential(const Storage& storage, size_t num_operators) {
  const uint64_t lower_bound = largest_live_set(storage, num_operators);
  Problem problem = arena_problem(storage);
  const Placement placement =
      add_conflicts_of_lives(storage, problem) ? place(problem, lower_bound) : sweep(storage, problem);
  return to_layout(storage, problem, placement, lower_bound);
}

MemoryLayout plan_any_schedule(const Storage& storage, const Graph& graph, const std::vector<uint32_t>& overlapped) {
  const uint64_t lower_bound = largest_live_set(storage, graph.nodes().size());
  Problem problem = arena_problem(storage);
  if (graph.nodes().size() > plan_format::kMaxOrderedOperators ||
      problem.buffers.size() > plan_format::kMaxOrderedBuffers)
    return to_layout(storage, problem, without_overlap(problem), lower_bound);
  const BitRows ancestors = ancestors_of(node_predecessors(graph));
  const auto is_complete_before = [&](uint32_t user, uint32_t writer) {
    return ancestors.contains(writer, user) && (overlapped.empty() || overlapped[writer] != user);
  };
  const auto precedes = [&](const BufferUse& a, const BufferUse& b) {
    for (uint32_t user : a.users)
      for (uint32_t writer : b.writers)
        if (!is_complete_before(user, writer)) return false;
    return true;
  };
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const BufferUse& a = storage.buffers[problem.buffers[i]];
    for (size_t j = i + 1; j < problem.buffers.size(); ++j) {
      const BufferUse& b = storage.buffers[problem.buffers[j]];
      if (!precedes(a, b) && !precedes(b, a)) add_conflict(problem, i, j);
    }
  }
  return to_layout(storage, problem, place(problem, lower_bound), lower_bound);
}

}  // namespace nestrt::compiler
