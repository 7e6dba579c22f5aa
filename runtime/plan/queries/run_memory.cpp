// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/run_memory.h"

#include <fmt/core.h>

#include <utility>

#include "nestrt/log.h"
#include "runtime/platform/guard.h"

namespace nestrt {

const plan::MemoryPlan* memory_plan_for(const plan::Tables& plan, plan::MemoryPlanKind kind) {
  const auto& plans = plan.memory_plans;
  const auto index = static_cast<uint32_t>(kind);
  return index < plans.size() ? &plans[index] : nullptr;
}

Status RunMemory::allocate_arena(uint64_t bytes, const UnitList& units) {
  own_ = AlignedMemory();
  shared_arena_ = nullptr;
  for (const std::shared_ptr<Unit>& unit : units) {
    if (bytes == 0) break;
    Result<std::shared_ptr<HostVisibleMemory>> shared = unit->allocate_shared(bytes);
    if (!shared) {
      log(LogLevel::kInfo, fmt::format("{} cannot allocate the arena: {}; its data is copied instead",
                                       unit->info().name, shared.error().message()));
    } else if (*shared != nullptr) {
      shared_arena_ = std::make_unique<SharedArena>(std::move(*shared));
      arena_ = shared_arena_->memory->bytes();
      return {};
    }
  }
  NESTRT_ASSIGN_OR_RETURN(own_, AlignedMemory::allocate(bytes, "the arena"));
  has_run_ = false;
  arena_ = {own_.data(), own_.size()};
  return {};
}

Status RunMemory::allocate(const Plan& plan, const plan::MemoryPlan& memory_plan, const UnitList& units) {
  return guarded([&]() -> Status {
    plan_ = &plan;
    NESTRT_RETURN_IF_ERROR(allocate_arena(memory_plan.arena_bytes, units));
    find_buffers(memory_plan);
    return {};
  });
}

void RunMemory::find_buffers(const plan::MemoryPlan& memory_plan) {
  const auto& buffers = plan_->tables().buffers;
  buffers_.assign(buffers.size(), nullptr);
  writers_.assign(buffers.size(), 0);
  for (uint32_t index = 0; index < buffers.size(); ++index) {
    // Kernels receive the addresses of constants only as inputs.
    if (buffers[index].kind == plan::BufferKind::kConstant)
      buffers_[index] = const_cast<std::byte*>(plan_->constant(index).data());
    else if (buffers[index].kind == plan::BufferKind::kArena)
      buffers_[index] = arena_.data() + memory_plan.offsets[index];
  }
}

void RunMemory::bind(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) {
  if (!std::exchange(has_run_, true)) own_.request_huge_pages();  // here, because it would make loading slower
  const plan::Tables& tables = plan_->tables();
  const auto buffer_of = [&](uint32_t tensor) { return tables.tensors[tensor].buffer; };
  for (uint32_t i = 0; i < inputs.size(); ++i)
    buffers_[buffer_of(tables.inputs[i].tensor)] =
        static_cast<std::byte*>(const_cast<void*>(inputs[i].data));  // read only: the verifier guarantees it
  for (uint32_t i = 0; i < outputs.size(); ++i)
    buffers_[buffer_of(tables.outputs[i])] = static_cast<std::byte*>(outputs[i].data);
}

}  // namespace nestrt
