// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/program/encoded_program.h"

#include "compiler-lite/graph/bytes.h"
#include "drivers/evta/isa/encode.h"

namespace nestrt::compiler::evta {
namespace {

using isa::Memory;
using isa::Opcode;

uint64_t executions(const isa::Loop& loop) {
  return uint64_t{loop.iter_out} * loop.iter_in * (loop.uop_end - loop.uop_begin);
}

void count_transfer(const isa::Configuration& configuration, const isa::Transfer& transfer, ProgramCounters& counters) {
  const uint64_t bytes = uint64_t{transfer.y_size} * transfer.x_size * configuration.element_bytes(transfer.memory);
  switch (transfer.memory) {
    case Memory::kInp:
      counters.inp_bytes += bytes;
      break;
    case Memory::kWgt:
      counters.wgt_bytes += bytes;
      break;
    case Memory::kUop:
      counters.uop_bytes += bytes;
      break;
    case Memory::kOut:
      counters.out_bytes += bytes;
      break;
    default:
      counters.acc_bytes += bytes;
  }
}

void count(const isa::Configuration& configuration, const isa::Instruction& instruction, ProgramCounters& counters) {
  if (instruction.opcode == Opcode::kLoad || instruction.opcode == Opcode::kStore) {
    count_transfer(configuration, instruction.transfer(), counters);
  } else if (instruction.opcode == Opcode::kGemm) {
    (instruction.gemm().reset ? counters.resets : counters.gemms) += executions(instruction.loop());
  } else if (instruction.opcode == Opcode::kAlu) {
    (instruction.alu().use_immediate ? counters.alu_immediate : counters.alu_tensor) += executions(instruction.loop());
  }
}

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

Status append_micro_ops(const isa::Configuration& configuration, const std::vector<isa::MicroOp>& micro_ops,
                        std::vector<std::byte>& bytes) {
  const auto size = static_cast<size_t>(configuration.uop_bytes());
  bytes.reserve(bytes.size() + micro_ops.size() * size);
  for (const isa::MicroOp& micro_op : micro_ops) {
    NESTRT_ASSIGN_OR_RETURN(const uint64_t raw, isa::encode(configuration, micro_op));
    for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(raw >> (8 * i)));
  }
  return ok_status();
}

}  // namespace

void AddressMap::add(Buffer buffer, uint64_t bytes) {
  using Access = isa::MemoryRange::Access;
  ranges_.push_back(
      {.address = end_, .size = bytes, .access = buffer == Buffer::kOutput ? Access::kWrite : Access::kRead});
  end_ += round_up(bytes, kAlignment);
}

Result<EncodedProgram> assemble(const isa::Configuration& configuration, const UnencodedProgram& built,
                                const std::vector<int32_t>& vectors, AddressMap addresses,
                                std::shared_ptr<const PackedWeights> weights) {
  EncodedProgram result;
  result.configuration = &configuration;
  result.weights = std::move(weights);
  result.constants = to_bytes(vectors);
  const uint64_t micro_ops_at = result.constants.size();
  NESTRT_RETURN_IF_ERROR(append_micro_ops(configuration, built.micro_ops, result.constants));
  addresses.add(Buffer::kConstants, result.constants.size());
  result.ranges = addresses.ranges();
  result.ranges[static_cast<size_t>(Buffer::kConstants)].constant = result.constants.data();
  result.ranges[static_cast<size_t>(Buffer::kWeights)].constant =
      reinterpret_cast<const std::byte*>(result.weights->data());

  const uint64_t micro_ops_base =
      (addresses.address(Buffer::kConstants) + micro_ops_at) / static_cast<uint64_t>(configuration.uop_bytes());
  for (isa::Instruction instruction : built.instructions) {
    if (auto* transfer = std::get_if<isa::Transfer>(&instruction.operands)) {
      if (transfer->memory == Memory::kUop && transfer->x_size > 0) {
        transfer->dram_base += static_cast<uint32_t>(micro_ops_base);
      }
    }
    count(configuration, instruction, result.counters);
    NESTRT_ASSIGN_OR_RETURN(const isa::InstructionWord word, isa::encode(configuration, instruction));
    result.instructions.push_back(word);
  }
  return result;
}

}  // namespace nestrt::compiler::evta
