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

// What one buffer occupies. Every row of DRAM that an instruction touches lies inside exactly one range.
struct MemoryRange {
  enum class Access : uint8_t { kRead, kWrite };

  uint64_t address = 0;
  uint64_t size = 0;  // bytes
  Access access = Access::kRead;
  // `size` bytes where they are known when the program is checked and never change: micro-ops must be, weights and
  // biases may be. Null for buffers that are bound later.
  const std::byte* constant = nullptr;
};

struct Program {
  const Configuration* configuration = nullptr;
  std::span<const InstructionWord> instructions;
  std::span<const MemoryRange> ranges;  // disjoint, in any order
};

}  // namespace nestrt::evta
