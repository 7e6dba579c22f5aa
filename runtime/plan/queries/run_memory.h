// RunMemory: what runs of a plan read and write: an arena, and the address of every buffer.
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

// How a verified plan lays its arena out for schedules of that kind; null where it does not.
const plan::MemoryPlan* memory_plan_for(const plan::Tables& plan, plan::MemoryPlanKind kind);

class RunMemory {
 public:
  // `memory_plan` is one of the plan's. The arena is of the first of the units that lends one, else the host's.
  // Requires: the plan outlives the RunMemory. Errors: kOutOfMemory.
  Status allocate(const Plan& plan, const plan::MemoryPlan& memory_plan, const UnitList& units);

  // Where the next run finds its inputs and puts its outputs. Allocates nothing.
  void bind(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs);

  std::span<std::byte* const> buffers() const { return buffers_; }
  // Submission::writers of the run, by buffer; whoever runs keeps it. Steps side by side write different entries.
  std::span<uint8_t> writers() { return writers_; }
  std::span<std::byte> arena() const { return arena_; }
  // False once somebody has seen here that a unit may write to the arena at any time (HostVisibleMemory::is_safe),
  // until the next allocate(): also where another session has stopped the unit since, all agree on what becomes of the
  // run.
  bool is_safe() const { return lent_ == nullptr || lent_->is_safe(); }

 private:
  struct Lent {
    explicit Lent(std::shared_ptr<HostVisibleMemory> lent) : memory(std::move(lent)) {}
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
  std::unique_ptr<Lent> lent_;  // in its place
  std::span<std::byte> arena_;
  std::vector<std::byte*> buffers_;  // by buffer of the plan
  std::vector<uint8_t> writers_;     // likewise
};

}  // namespace nestrt
