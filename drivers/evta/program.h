// Program: an instruction stream and the DRAM that it may touch.
//
// Addresses are bytes in the program's own address space. The compiler places every buffer that is bound to the program
// (constants, input tensors, output tensors) there at a fixed address, aligned to the elements it holds; who runs the
// program moves it to real addresses once, by adding the difference to dram_base.
//
// Ownership: a Program refers to memory of others and copies nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {

// What one buffer occupies. All rows that one instruction touches lie inside one range.
struct MemoryRange {
  // What instructions may do: read inputs and constants, write outputs, both with what a program keeps for itself.
  enum class Access : uint8_t { kRead = 1, kWrite = 2, kReadWrite = 3 };

  uint64_t address = 0;
  uint64_t size = 0;  // bytes
  Access access = Access::kRead;
  // `size` bytes where they are known when the program is checked and never change: micro-ops must be, weights and
  // biases may be. Null for buffers that are bound later.
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
