#include "runtime/plan/run_memory.h"

namespace nestrt {

const plan::MemoryPlan* memory_plan_for(const plan::Tables& plan, plan::MemoryPlanKind kind) {
  const auto& plans = plan.memory_plans;
  const auto index = static_cast<uint32_t>(kind);
  return index < plans.size() ? &plans[index] : nullptr;
}

Status RunMemory::allocate(const Plan& plan, const plan::MemoryPlan& memory_plan) {
  plan_ = &plan;
  NESTRT_ASSIGN_OR_RETURN(arena_, AlignedMemory::allocate(memory_plan.arena_bytes, "the arena"));
  const auto& buffers = plan.tables().buffers;
  buffers_.assign(buffers.size(), nullptr);
  for (uint32_t index = 0; index < buffers.size(); ++index) {
    // Kernels get the addresses of constants as inputs only.
    if (buffers[index].kind == plan::BufferKind::kConstant)
      buffers_[index] = const_cast<std::byte*>(plan.constant(index).data());
    else if (buffers[index].kind == plan::BufferKind::kArena)
      buffers_[index] = arena_.data() + memory_plan.offsets[index];
  }
  return {};
}

void RunMemory::bind(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) {
  const plan::Tables& tables = plan_->tables();
  const auto buffer_of = [&](uint32_t tensor) { return tables.tensors[tensor].buffer; };
  for (uint32_t i = 0; i < inputs.size(); ++i)
    buffers_[buffer_of(tables.inputs[i].tensor)] =
        static_cast<std::byte*>(const_cast<void*>(inputs[i].data));  // read only: the verifier has proven it
  for (uint32_t i = 0; i < outputs.size(); ++i)
    buffers_[buffer_of(tables.outputs[i])] = static_cast<std::byte*>(outputs[i].data);
}

}  // namespace nestrt
