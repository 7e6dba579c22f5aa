// RunMemory: what runs of a plan read and write: an arena, and the address of every buffer.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/plan_tables.h"
#include "nestrt/result.h"
#include "nestrt/tensor.h"
#include "runtime/core/aligned_memory.h"

namespace nestrt {

// How a verified plan lays its arena out for schedules of that kind; null where it does not.
const plan::MemoryPlan* memory_plan_for(const plan::Tables& plan, plan::MemoryPlanKind kind);

class RunMemory {
 public:
  // `memory_plan` is one of the plan's. Requires: the plan outlives the RunMemory. Errors: kOutOfMemory.
  Status allocate(const Plan& plan, const plan::MemoryPlan& memory_plan);

  // Where the next run finds its inputs and puts its outputs. Allocates nothing.
  void bind(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs);

  std::span<std::byte* const> buffers() const { return buffers_; }
  std::span<std::byte> arena() const { return {arena_.data(), arena_.size()}; }

 private:
  const Plan* plan_ = nullptr;
  AlignedMemory arena_;
  std::vector<std::byte*> buffers_;  // by buffer of the plan
};

}  // namespace nestrt
