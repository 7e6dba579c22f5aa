// SPDX-License-Identifier: Apache-2.0
#include "test/faults/failing_memory.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <new>
#include <optional>

#include "test/faults/open_descriptors.h"

namespace nestrt::test {
namespace {

constexpr int64_t kNoAllocation = std::numeric_limits<int64_t>::max();

std::atomic<int64_t> g_first{kNoAllocation}, g_last{kNoAllocation}, g_count{0}, g_live{0};

bool is_out_of_memory() {
  const int64_t number = g_count.fetch_add(1, std::memory_order_relaxed);
  return number >= g_first.load(std::memory_order_relaxed) && number <= g_last.load(std::memory_order_relaxed);
}

void* allocate(size_t bytes, size_t alignment) {
  void* block = nullptr;
  if (is_out_of_memory() || ::posix_memalign(&block, alignment, bytes == 0 ? 1 : bytes) != 0) return nullptr;
  g_live.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void* allocate_or_throw(size_t bytes, size_t alignment) {
  void* const block = allocate(bytes, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release_block(void* block) {
  if (block != nullptr) g_live.fetch_sub(1, std::memory_order_relaxed);
  std::free(block);
}

constexpr size_t kUsualAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace
}  // namespace nestrt::test

using nestrt::test::allocate;
using nestrt::test::allocate_or_throw;
using nestrt::test::kUsualAlignment;
using nestrt::test::release_block;

void* operator new(size_t bytes) { return allocate_or_throw(bytes, kUsualAlignment); }
void* operator new[](size_t bytes) { return allocate_or_throw(bytes, kUsualAlignment); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, kUsualAlignment); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, kUsualAlignment); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<size_t>(alignment));
}
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* block) noexcept { release_block(block); }
void operator delete[](void* block) noexcept { release_block(block); }
void operator delete(void* block, size_t) noexcept { release_block(block); }
void operator delete[](void* block, size_t) noexcept { release_block(block); }
void operator delete(void* block, std::align_val_t) noexcept { release_block(block); }
void operator delete[](void* block, std::align_val_t) noexcept { release_block(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { release_block(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { release_block(block); }

// Allocates memory that free() frees, which is therefore not counted as live.
extern "C" void* aligned_alloc(size_t alignment, size_t bytes) {
  void* block = nullptr;
  return nestrt::test::is_out_of_memory() || ::posix_memalign(&block, alignment, bytes) != 0 ? nullptr : block;
}

namespace nestrt::test {
namespace {

// Returns the code of `work`; nullopt if it threw.
std::optional<Code> code_of(const std::function<Status()>& work) {
  try {
    return work().code();
  } catch (...) {
    return std::nullopt;
  }
}

void fail_one_allocation(int64_t number, Shortage shortage, const std::function<Status()>& work, int64_t most_kept) {
  const int descriptors = open_descriptors();
  const int64_t live = live_blocks();
  std::optional<Code> answer;
  {
    const FailingMemory memory(number, shortage);
    answer = code_of(work);
  }
  const bool works_again = code_of(work) == Code::kOk;
  const int64_t kept = live_blocks() - live;  // the last run keeps the same blocks as the one before
  INFO("allocation " << number << (shortage == Shortage::kOnce ? " alone" : " and all later ones"));
  REQUIRE(answer);
  INFO(code_name(*answer));
  CHECK((answer == Code::kOk || answer == Code::kOutOfMemory));
  CHECK(works_again);
  CHECK(kept <= most_kept);
  CHECK(open_descriptors() == descriptors);
}

}  // namespace

FailingMemory::FailingMemory(int64_t number, Shortage shortage) {
  g_count = 0;
  g_last = shortage == Shortage::kOnce ? number : kNoAllocation;
  g_first = number;
}

FailingMemory::~FailingMemory() { g_first = g_last = kNoAllocation; }

int64_t FailingMemory::count() const { return g_count; }

int64_t live_blocks() { return g_live; }

void fail_every_allocation(int most, const std::function<Status()>& work, int64_t kept) {
  for (int i = 0; i < 2; ++i) REQUIRE(work().to_string() == "ok");  // performs one-time allocations
  int64_t count = 0;
  {
    const FailingMemory counting(kNoAllocation, Shortage::kOnce);
    REQUIRE(work().ok());
    count = counting.count();
  }
  REQUIRE(count > 0);
  const int64_t stride = std::max<int64_t>(1, count / most);
  for (const Shortage shortage : {Shortage::kOnce, Shortage::kLasting})
    for (int64_t number = 0; number < count; number += stride) fail_one_allocation(number, shortage, work, kept);
}

}  // namespace nestrt::test
