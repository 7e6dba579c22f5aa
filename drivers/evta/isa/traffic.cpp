// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/traffic.h"

#include "drivers/evta/isa/decode.h"

namespace nestrt::evta {

Result<uint64_t> memory_traffic(const Configuration& configuration, std::span<const InstructionWord> words) {
  uint64_t bytes = words.size_bytes();
  for (const InstructionWord& word : words) {
    NESTRT_ASSIGN_OR_RETURN(const Instruction instruction, decode(configuration, word));
    if (instruction.opcode != Opcode::kLoad && instruction.opcode != Opcode::kStore) continue;
    const Transfer& transfer = instruction.transfer();
    bytes += uint64_t{transfer.x_size} * transfer.y_size *
             static_cast<uint64_t>(configuration.element_bytes(transfer.memory));
  }
  return bytes;
}

}  // namespace nestrt::evta
