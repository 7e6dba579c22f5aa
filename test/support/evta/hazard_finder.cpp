// SPDX-License-Identifier: Apache-2.0
#include "test/support/evta/hazard_finder.h"

#include <array>
#include <catch2/catch.hpp>

#include "drivers/evta/isa/decode.h"

namespace nestrt::test {
namespace {

using evta::Alu;
using evta::AluOpcode;
using evta::Design;
using evta::Gemm;
using evta::Instruction;
using evta::Loop;
using evta::Memory;
using evta::MemoryRange;
using evta::MicroOp;
using evta::Opcode;
using evta::Program;
using evta::Transfer;

struct Step {
  uint64_t dst = UINT64_MAX;
  uint64_t src = UINT64_MAX;
};

std::vector<Step> unroll(const Loop& loop, const std::vector<MicroOp>& micro_ops) {
  std::vector<Step> steps;
  for (uint64_t o = 0; o < loop.iter_out; ++o) {
    for (uint64_t i = 0; i < loop.iter_in; ++i) {
      for (const MicroOp& micro_op : micro_ops)
        steps.push_back({micro_op.dst + o * loop.dst_factor_out + i * loop.dst_factor_in,
                         micro_op.src + o * loop.src_factor_out + i * loop.src_factor_in});
    }
  }
  return steps;
}

// Reports a step for which reads(now, before) holds for one of the `late` steps before it.
template <typename Reads>
std::string find_late(const std::vector<Step>& steps, size_t late, const Reads& reads) {
  for (size_t now = 0; now < steps.size(); ++now) {
    for (size_t back = 1; back <= std::min(now, late); ++back) {
      if (reads(steps[now], steps[now - back]))
        return "step " + std::to_string(now) + " reads a value written " + std::to_string(back) + " step(s) before";
    }
  }
  return {};
}

std::vector<MicroOp> part_of(const std::vector<MicroOp>& memory, const Loop& loop) {
  return {memory.begin() + loop.uop_begin, memory.begin() + loop.uop_end};
}

void load_micro_ops(const Program& program, const Transfer& transfer, std::vector<MicroOp>& memory) {
  const auto size = static_cast<uint64_t>(program.configuration->uop_bytes());
  const uint64_t address = transfer.dram_base * size;
  for (const MemoryRange& range : program.ranges) {
    if (range.constant == nullptr || address < range.address || address >= range.address + range.size) continue;
    const std::span<const std::byte> bytes(range.constant + (address - range.address), transfer.x_size * size);
    for (size_t i = 0; i < transfer.x_size; ++i)
      memory.at(transfer.sram_base + i) =
          *decode_micro_op(*program.configuration, read_micro_op(*program.configuration, bytes, i));
  }
}

}  // namespace

std::string find_hazard(Design design, const Gemm& gemm, const std::vector<MicroOp>& micro_ops) {
  if (gemm.reset || design == Design::kChisel) return {};
  return find_late(unroll(gemm.loop, micro_ops), 2,
                   [](const Step& now, const Step& before) { return now.dst == before.dst; });
}

std::string find_hazard(Design design, const Alu& alu, const std::vector<MicroOp>& micro_ops) {
  const bool limits = alu.opcode == AluOpcode::kMin || alu.opcode == AluOpcode::kMax;
  return find_late(unroll(alu.loop, micro_ops), design == Design::kChisel ? 1 : 2,
                   [&](const Step& now, const Step& before) {
                     const bool same_again = limits && (alu.use_immediate || now.src == before.src);
                     if (now.dst == before.dst && !same_again) return true;
                     return !alu.use_immediate && now.src == before.dst;
                   });
}

std::string find_hazard(const Program& program) {
  const auto instructions = decode(*program.configuration, program.instructions);
  REQUIRE(instructions);
  const Design design = program.configuration->design;
  std::vector<MicroOp> memory(program.configuration->uop_depth());
  for (const Instruction& instruction : *instructions) {
    std::string found;
    if (instruction.opcode == Opcode::kLoad && instruction.transfer().memory == Memory::kUop)
      load_micro_ops(program, instruction.transfer(), memory);
    if (instruction.opcode == Opcode::kStore && instruction.transfer().x_size == 0 && instruction.transfer().y_size > 0)
      found = "a store of empty rows";
    if (instruction.opcode == Opcode::kGemm)
      found = find_hazard(design, instruction.gemm(), part_of(memory, instruction.loop()));
    if (instruction.opcode == Opcode::kAlu)
      found = find_hazard(design, instruction.alu(), part_of(memory, instruction.loop()));
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace nestrt::test
