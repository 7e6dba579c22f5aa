// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/conformance/guarded_memory.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "nestrt/driver/plan_tables.h"

namespace nestrt::test {
GuardedMemory::GuardedMemory(const Plan& plan, size_t scratch_bytes, size_t misalignment)
    : plan_(plan),
      input_(plan.inputs()[0].size_bytes(), kFill, misalignment),
      output_(plan.outputs()[0].size_bytes(), kFill, misalignment),
      scratch_(scratch_bytes, kFill),
      plan_before_(plan.bytes().begin(), plan.bytes().end()) {
  const plan::Tables& tables = plan.tables();
  for (size_t i = 0; i < input().size(); ++i) input()[i] = static_cast<std::byte>(3 * i + 1);
  input_before_.assign(input().begin(), input().end());
  for (uint32_t buffer = 0; buffer < tables.buffers.size(); ++buffer) {
    REQUIRE(tables.buffers[buffer].kind != plan::BufferKind::kArena);
    const bool is_constant = tables.buffers[buffer].kind == plan::BufferKind::kConstant;
    buffers_.push_back(is_constant ? const_cast<std::byte*>(plan.constant(buffer).data()) : nullptr);
  }
  buffers_[tables.tensors[tables.inputs[0].tensor].buffer] = input_.data();
  buffers_[tables.tensors[tables.outputs[0]].buffer] = output_.data();
}

bool GuardedMemory::is_intact() const {
  return input_.is_intact() && output_.is_intact() && scratch_.is_intact() &&
         std::ranges::equal(input_.bytes(), input_before_) && std::ranges::equal(plan_.bytes(), plan_before_);
}

}  // namespace nestrt::test
