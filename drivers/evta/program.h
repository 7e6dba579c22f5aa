// SPDX-License-Identifier: Apache-2.0
// Program: an instruction stream and the DRAM that it may access.
//
// Addresses are in bytes, in the program's own address space. The compiler places every buffer that is bound to the
// program (constants, input tensors, output tensors) at a fixed address, aligned to its elements. The user of the
// program relocates it once to real addresses by adding the difference to dram_base.
//
// Ownership: a Program refers to memory owned by others and copies nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {

// The memory of one buffer. All rows that one instruction accesses are within one range.
struct MemoryRange {
  // Allowed accesses: reading inputs and constants, writing outputs, and both for a program's private data.
  enum class Access : uint8_t { kRead = 1, kWrite = 2, kReadWrite = 3 };

  uint64_t address = 0;
  uint64_t size = 0;  // bytes
  Access access = Access::kRead;
  // `size` constant bytes that are known when the program is checked: required for micro-ops, optional for weights and
  // biases. Null for buffers that are bound later.
  const std::byte* constant = nullptr;
};

constexpr bool allows(MemoryRange::Access granted, MemoryRange::Access wanted) {
  return (static_cast<int>(granted) & static_cast<int>(wanted)) == static_cast<int>(wanted);
}

struct Program {
  const Configuration* configuration = nullptr;
  std::span<const InstructionWord> instructions;
  std::span<const MemoryRange> ranges;  // disjoint, in any order, below 4 GiB
};

}  // namespace nestrt::evta
