// SPDX-License-Identifier: Apache-2.0
// EncodedProgram: the instruction words of an EVTA program, its constants, and its buffers.
// It owns the data that isa::Program refers to; the simulators and the driver use isa::Program. UnitProgram
// (codegen/backend.h) is the equivalent for any unit, with values of the graph as buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "compiler-lite/codegen/evta/program/program_builder.h"
#include "drivers/evta/program.h"

namespace nestrt::compiler::evta {

// Contents of a range of a program's DRAM; also its index in EncodedProgram::ranges.
enum class Buffer : uint8_t { kWeights, kInput, kResidual, kOutput, kConstants };
inline constexpr int kNumBuffers = 5;

// Consecutive addresses of the buffers in the program's own address space. Each is a multiple of kAlignment, which is a
// multiple of every element's size. A buffer of 0 bytes is unused.
class AddressMap {
 public:
  static constexpr uint64_t kAlignment = 4096;

  // Adds the buffers, in the order of their numbers.
  void add(Buffer buffer, uint64_t bytes);
  uint64_t address(Buffer buffer) const { return ranges_[static_cast<size_t>(buffer)].address; }
  const std::vector<isa::MemoryRange>& ranges() const { return ranges_; }

 private:
  uint64_t end_ = kAlignment;  // address 0 stays unused
  std::vector<isa::MemoryRange> ranges_;
};

// Counts of a program's data movement and computation: its cost without waiting. Padding is not counted.
struct ProgramCounters {
  uint64_t inp_bytes = 0;
  uint64_t wgt_bytes = 0;
  uint64_t acc_bytes = 0;
  uint64_t uop_bytes = 0;
  uint64_t out_bytes = 0;
  uint64_t gemms = 0;   // micro-ops that multiply
  uint64_t resets = 0;  // micro-ops that clear
  uint64_t alu_immediate = 0;
  uint64_t alu_tensor = 0;
};

using PackedWeights = std::vector<int8_t>;

// Movable only, because ranges refer to the constants.
struct EncodedProgram {
  EncodedProgram() = default;
  EncodedProgram(EncodedProgram&&) = default;
  EncodedProgram& operator=(EncodedProgram&&) = default;

  const isa::Configuration* configuration = nullptr;
  std::vector<isa::InstructionWord> instructions;
  std::shared_ptr<const PackedWeights> weights;
  std::vector<std::byte> constants;      // accumulator vectors, then micro-ops
  std::vector<isa::MemoryRange> ranges;  // by Buffer; size 0 if unused
  ProgramCounters counters;

  // Valid during the lifetime of this object.
  isa::Program program() const { return {configuration, instructions, ranges}; }
  const isa::MemoryRange& range(Buffer buffer) const { return ranges[static_cast<size_t>(buffer)]; }
};

// Encodes `built`. `vectors`: accumulator elements at the start of the constants. `addresses`: all buffers except the
// constants. Errors: those of encode().
Result<EncodedProgram> assemble(const isa::Configuration& configuration, const UnencodedProgram& built,
                                const std::vector<int32_t>& vectors, AddressMap addresses,
                                std::shared_ptr<const PackedWeights> weights);

}  // namespace nestrt::compiler::evta
