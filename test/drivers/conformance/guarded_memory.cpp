#include "test/drivers/conformance/guarded_memory.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "nestrt/plan_tables.h"

namespace nestrt::test {
namespace {

constexpr size_t kAlignment = 64, kGuardBytes = 128;
constexpr std::byte kGuard{0xa7};

}  // namespace

GuardedMemory::Block GuardedMemory::make_block(size_t size, size_t misalignment) {
  Block block;
  block.storage.assign(size + misalignment + 2 * kGuardBytes + kAlignment, kGuard);
  const auto address = reinterpret_cast<uintptr_t>(block.storage.data());
  const size_t begin = kGuardBytes + (kAlignment - address % kAlignment) % kAlignment + misalignment;
  block.bytes = std::span(block.storage).subspan(begin, size);
  std::ranges::fill(block.bytes, kFill);
  return block;
}

GuardedMemory::GuardedMemory(const Plan& plan, size_t scratch_bytes, size_t misalignment)
    : plan_(plan),
      input_(make_block(plan.inputs()[0].size_bytes(), misalignment)),
      output_(make_block(plan.outputs()[0].size_bytes(), misalignment)),
      scratch_(make_block(scratch_bytes, 0)),
      plan_before_(plan.bytes().begin(), plan.bytes().end()) {
  const plan::Tables& tables = plan.tables();
  for (size_t i = 0; i < input_.bytes.size(); ++i) input_.bytes[i] = static_cast<std::byte>(3 * i + 1);
  input_before_.assign(input_.bytes.begin(), input_.bytes.end());
  for (uint32_t buffer = 0; buffer < tables.buffers.size(); ++buffer) {
    REQUIRE(tables.buffers[buffer].kind != plan::BufferKind::kArena);
    const bool is_constant = tables.buffers[buffer].kind == plan::BufferKind::kConstant;
    buffers_.push_back(is_constant ? const_cast<std::byte*>(plan.constant(buffer).data()) : nullptr);
  }
  buffers_[tables.tensors[tables.inputs[0].tensor].buffer] = input_.bytes.data();
  buffers_[tables.tensors[tables.outputs[0]].buffer] = output_.bytes.data();
}

bool GuardedMemory::has_guards(const Block& block) {
  const auto is_guard = [](std::byte byte) { return byte == kGuard; };
  const auto begin = block.storage.begin() + (block.bytes.data() - block.storage.data());
  const auto end = begin + static_cast<std::ptrdiff_t>(block.bytes.size());
  return std::all_of(block.storage.begin(), begin, is_guard) && std::all_of(end, block.storage.end(), is_guard);
}

bool GuardedMemory::is_intact() const {
  return has_guards(input_) && has_guards(output_) && has_guards(scratch_) &&
         std::ranges::equal(input_.bytes, input_before_) && std::ranges::equal(plan_.bytes(), plan_before_);
}

}  // namespace nestrt::test
