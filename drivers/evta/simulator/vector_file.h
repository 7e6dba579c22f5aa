// SPDX-License-Identifier: Apache-2.0
// Test vectors of the accelerator: programs with their memory before and after. File format, little-endian:
//   "VTAV", u32 version = 1, u32 number of cases; then per case
//   u32 length, name; u32 number of instructions, 16 bytes each;
//   u32 number of inputs, each u32 address, u32 size, bytes; u32 number of outputs, each the same with expected bytes.
// Before a run, every output is filled with kFillByte. Bytes that a program does not write keep this value.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "drivers/evta/isa/instruction.h"
#include "nestrt/result.h"

namespace nestrt::evta {

inline constexpr std::byte kFillByte{0x55};

struct VectorMemory {
  uint32_t address = 0;
  std::vector<std::byte> bytes;
};

struct VectorCase {
  std::string name;
  std::vector<InstructionWord> instructions;
  std::vector<VectorMemory> inputs;
  std::vector<VectorMemory> outputs;
};

// Errors: kInvalidArgument, with the offset and the case, for invalid files: truncated, trailing bytes, overlapping
// memory.
Result<std::vector<VectorCase>> parse_vectors(std::span<const std::byte> file);

// Returns the contents of a file with these cases.
std::vector<std::byte> format_vectors(std::span<const VectorCase> cases);

}  // namespace nestrt::evta
