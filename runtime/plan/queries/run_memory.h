// SPDX-License-Identifier: Apache-2.0
// RunMemory: the memory used by a plan's runs. Contains an arena and the address of every buffer.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"
#include "nestrt/tensor.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt {

// Returns a verified plan's memory plan for schedules of the given kind, or null.
const plan::MemoryPlan* memory_plan_for(const plan::Tables& plan, plan::MemoryPlanKind kind);

class RunMemory {
 public:
  // Allocates the memory. `memory_plan` belongs to the plan. The arena is shared memory of the first unit that provides
  // it, otherwise host memory. Requires: the plan outlives this object. Errors: kOutOfMemory.
  Status allocate(const Plan& plan, const plan::MemoryPlan& memory_plan, const UnitList& units);

  // Sets the inputs and outputs of the next run. Does not allocate.
  void bind(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs);

  std::span<std::byte* const> buffers() const { return buffers_; }
  // Submission::writers of the run, indexed by buffer; maintained by the caller. Concurrent steps write different
  // entries.
  std::span<uint8_t> writers() { return writers_; }
  std::span<std::byte> arena() const { return arena_; }
  // Returns false once a caller has observed that a unit may write to the arena at any time
  // (HostVisibleMemory::is_safe), until the next allocate(). It remains false even if another session has stopped the
  // unit in the meantime, so that all callers agree on the outcome of the run.
  bool is_safe() const { return shared_arena_ == nullptr || shared_arena_->is_safe(); }

 private:
  struct SharedArena {
    explicit SharedArena(std::shared_ptr<HostVisibleMemory> shared) : memory(std::move(shared)) {}
    bool is_safe() {
      if (!memory->is_safe()) was_unsafe.store(true);
      return !was_unsafe.load();
    }

    const std::shared_ptr<HostVisibleMemory> memory;
    std::atomic<bool> was_unsafe{false};
  };

  Status allocate_arena(uint64_t bytes, const UnitList& units);
  void find_buffers(const plan::MemoryPlan& memory_plan);

  const Plan* plan_ = nullptr;
  AlignedMemory own_;
  std::unique_ptr<SharedArena> shared_arena_;  // used instead of the host's arena
  std::span<std::byte> arena_;
  std::vector<std::byte*> buffers_;  // per buffer of the plan
  std::vector<uint8_t> writers_;     // per buffer of the plan
  bool has_run_ = false;             // whether bind() was called since allocate()
};

}  // namespace nestrt
