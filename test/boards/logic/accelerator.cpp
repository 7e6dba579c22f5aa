// SPDX-License-Identifier: Apache-2.0
#include "test/boards/logic/accelerator.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "drivers/evta/isa/decode.h"
#include "drivers/evta/isa/encode.h"

namespace nestrt::boards {
namespace {

uint64_t micro_ops_of(const evta::Instruction& instruction) {
  if (instruction.opcode != evta::Opcode::kGemm && instruction.opcode != evta::Opcode::kAlu) return 0;
  const evta::Loop& loop = instruction.loop();
  return uint64_t{loop.iter_out} * loop.iter_in * (loop.uop_end - std::min(loop.uop_begin, loop.uop_end));
}

}  // namespace

Status Accelerator::run(uint32_t count, uint64_t address, uint64_t base, const std::function<void()>& fetched) {
  if (on_chip_ == nullptr) {
    NESTRT_ASSIGN_OR_RETURN(on_chip_, evta::FunctionalSimulator::make_memories(configuration_, kPoison));
  }
  std::vector<evta::InstructionWord> words(count);
  const std::byte* const stream = memory_.find(address, std::as_bytes(std::span(words)).size());
  if (stream == nullptr) return Status(Code::kDeviceFault, "instructions are outside allocated memory");
  std::memcpy(words.data(), stream, std::as_bytes(std::span(words)).size());
  NESTRT_ASSIGN_OR_RETURN(auto instructions, evta::decode(configuration_, words));
  if (defect_) {
    defect_(instructions);
    for (size_t i = 0; i < words.size(); ++i) {
      NESTRT_ASSIGN_OR_RETURN(words[i], evta::encode(configuration_, instructions[i]));
    }
  }
  uint64_t micro_ops = 0;
  for (const evta::Instruction& instruction : instructions) micro_ops += micro_ops_of(instruction);
  if (micro_ops > most_micro_ops_) return Status(Code::kDeadlineExceeded, "the run exceeds the limit of micro-ops");
  NESTRT_ASSIGN_OR_RETURN(evta::FunctionalSimulator simulator,
                          evta::FunctionalSimulator::create({&configuration_, words, {}}, on_chip_));
  fetched();
  return simulator.run(memory_.dram(base));
}

}  // namespace nestrt::boards
