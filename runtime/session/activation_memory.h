// SPDX-License-Identifier: Apache-2.0
// ActivationMemory: the arena of a session, which moves to host memory if a failed unit may still write to it.
//
// Threads: one at a time, except arena_bytes(), which any thread may call.
#pragma once

#include <atomic>
#include <memory>

#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "runtime/execution/executables.h"
#include "runtime/plan/queries/run_memory.h"

namespace nestrt {

class ActivationMemory {
 public:
  // The arguments must outlive this object.
  ActivationMemory(const Plan& plan, const UnitList& units, Executables& executables)
      : plan_(plan), units_(units), executables_(executables) {}

  // Allocates the arena, for runs in file order only or for any schedule. The arena is host-visible memory of the first
  // unit that provides it, otherwise host memory. Errors: kOutOfMemory, kIncompatible; as for Executable::bind.
  Status allocate(bool is_file_order);

  // Calls `use(memory)`, which returns a Status. If a unit fails and cannot be stopped, it may write to its memory at
  // any time. In that case the arena moves to host memory and `use` is called again.
  template <typename Use>
  Status run(const Use& use) {
    if (!memory_.is_safe()) NESTRT_RETURN_IF_ERROR(move_to_host());
    Status status = use(memory_);
    const bool is_over = status.code() == Code::kCancelled || status.code() == Code::kDeadlineExceeded;
    if (status.ok() || is_over || memory_.is_safe()) return status;
    NESTRT_RETURN_IF_ERROR(move_to_host());
    return use(memory_);
  }

  size_t arena_bytes() const { return arena_bytes_.load(std::memory_order_relaxed); }

 private:
  Status find_memory_plan(bool is_file_order);
  Status allocate_on(const UnitList& units);
  Status move_to_host();

  const Plan& plan_;
  const UnitList& units_;
  Executables& executables_;
  const plan::MemoryPlan* memory_plan_ = nullptr;
  RunMemory memory_;
  std::atomic<size_t> arena_bytes_{0};
};

}  // namespace nestrt
