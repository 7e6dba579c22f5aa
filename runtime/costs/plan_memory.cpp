#include "runtime/costs/plan_memory.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "runtime/plan/tables.h"

namespace nestrt {

Result<PlanMemory> PlanMemory::create(const Plan& plan) {
  const plan::Plan& tables = plan.tables();
  const auto& buffers = items(tables.buffers());
  const plan::MemoryPlan& layout = *items(tables.memory_plans())[0];  // sequential
  PlanMemory memory;
  NESTRT_ASSIGN_OR_RETURN(memory.arena_, AlignedMemory::allocate(layout.arena_bytes(), "the arena"));
  // A kernel may look at what nobody has written: the padding of blocked layouts.
  if (memory.arena_.size() > 0) std::memset(memory.arena_.data(), 0, memory.arena_.size());
  for (uint32_t index = 0; index < buffers.size(); ++index) {
    std::byte*& address = memory.buffers_.emplace_back();
    switch (buffers[index]->kind()) {
      case plan::BufferKind::constant:
        address = const_cast<std::byte*>(plan.constant(index).data());  // units only read it
        break;
      case plan::BufferKind::arena:
        address = memory.arena_.data() + items(layout.offsets())[index];
        break;
      default: {
        NESTRT_ASSIGN_OR_RETURN(AlignedMemory block, AlignedMemory::allocate(buffers[index]->size(), "a tensor"));
        address = memory.arguments_.emplace_back(std::move(block)).data();
      }
    }
  }
  std::vector<TensorView> inputs;
  for (uint32_t i = 0; i < plan.inputs().size(); ++i) {
    const plan::Tensor& tensor = *items(tables.tensors())[items(tables.inputs())[i]->tensor()];
    inputs.push_back({plan.inputs()[i].type, plan.inputs()[i].shape, memory.buffers_[tensor.buffer()]});
  }
  fill_random(inputs);
  return memory;
}

Status PlanMemory::reserve_scratch(const Executable& executable) {
  if (executable.scratch_bytes() <= scratch_.size()) return {};
  NESTRT_ASSIGN_OR_RETURN(scratch_, AlignedMemory::allocate(executable.scratch_bytes(), "scratch memory"));
  return {};
}

void fill_random(std::span<const TensorView> tensors) {
  std::mt19937 generator(1);
  for (const TensorView& tensor : tensors) {
    if (tensor.type == DataType::kF32) {
      std::uniform_real_distribution<float> distribution(-1, 1);
      const std::span values(static_cast<float*>(tensor.data), static_cast<size_t>(tensor.shape.num_elements()));
      std::generate(values.begin(), values.end(), [&] { return distribution(generator); });
      continue;
    }
    const size_t element_bytes = size_bytes(tensor.type);
    std::memset(tensor.data, 0, tensor.size_bytes());
    for (size_t at = 0; at < tensor.size_bytes(); at += element_bytes)
      static_cast<unsigned char*>(tensor.data)[at] = generator() & 1;
  }
}

}  // namespace nestrt
