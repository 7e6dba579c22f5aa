// EncodedProgram: the words of a program for EVTA, the constants that it reads and the buffers that it is bound to.
//
// It owns what isa::Program, as the simulators and the driver take it, refers to; UnitProgram (codegen/backend.h) is
// the same for any unit, with values of the graph for buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "compiler-lite/codegen/evta/program/program_builder.h"
#include "drivers/evta/program.h"

namespace nestrt::compiler::evta {

// What a range of a program's DRAM holds; also its index in EncodedProgram::ranges.
enum class Buffer : uint8_t { kWeights, kInput, kResidual, kOutput, kConstants };
inline constexpr int kNumBuffers = 5;

// Where the buffers lie in the program's own address space: one after the other, each at a multiple of kAlignment,
// which is one of every element's size. A buffer of no bytes is not used.
class AddressMap {
 public:
  static constexpr uint64_t kAlignment = 4096;

  // Buffers are added in the order of their numbers.
  void add(Buffer buffer, uint64_t bytes);
  uint64_t address(Buffer buffer) const { return ranges_[static_cast<size_t>(buffer)].address; }
  const std::vector<isa::MemoryRange>& ranges() const { return ranges_; }

 private:
  uint64_t end_ = kAlignment;  // nothing lies at address 0
  std::vector<isa::MemoryRange> ranges_;
};

// What a program moves and computes; all its cost but the waiting. Padding is not counted.
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

// Movable only: ranges refer to the constants.
struct EncodedProgram {
  EncodedProgram() = default;
  EncodedProgram(EncodedProgram&&) = default;
  EncodedProgram& operator=(EncodedProgram&&) = default;

  const isa::Configuration* configuration = nullptr;
  std::vector<isa::InstructionWord> instructions;
  std::shared_ptr<const PackedWeights> weights;
  std::vector<std::byte> constants;      // accumulator vectors, then micro-ops
  std::vector<isa::MemoryRange> ranges;  // by Buffer; of size 0 where there is none
  ProgramCounters counters;

  // Valid while this object lives.
  isa::Program program() const { return {configuration, instructions, ranges}; }
  const isa::MemoryRange& range(Buffer buffer) const { return ranges[static_cast<size_t>(buffer)]; }
};

// Encodes what was built. `vectors`: accumulator elements, at the start of the constants. `addresses`: of all buffers
// but the constants. Errors: those of encode().
Result<EncodedProgram> assemble(const isa::Configuration& configuration, const UnencodedProgram& built,
                                const std::vector<int32_t>& vectors, AddressMap addresses,
                                std::shared_ptr<const PackedWeights> weights);

}  // namespace nestrt::compiler::evta
