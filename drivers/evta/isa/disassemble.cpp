// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/disassemble.h"

#include <fmt/core.h>

namespace nestrt::evta {
namespace {

std::string to_text(const Transfer& transfer) {
  std::string line =
      fmt::format(" {}  sram {} dram {} rows {} x {} stride {}", name(transfer.memory), transfer.sram_base,
                  transfer.dram_base, transfer.y_size, transfer.x_size, transfer.x_stride);
  if (transfer.y_pad_begin | transfer.y_pad_end | transfer.x_pad_begin | transfer.x_pad_end)
    line += fmt::format(" pad y {},{} x {},{}", transfer.y_pad_begin, transfer.y_pad_end, transfer.x_pad_begin,
                        transfer.x_pad_end);
  return line;
}

std::string to_text(const Loop& loop) {
  return fmt::format("  uop [{},{}) loop {} x {} dst {},{} src {},{}", loop.uop_begin, loop.uop_end, loop.iter_out,
                     loop.iter_in, loop.dst_factor_out, loop.dst_factor_in, loop.src_factor_out, loop.src_factor_in);
}

std::string to_text(const Gemm& gemm) {
  return fmt::format("{}{} wgt {},{}", gemm.reset ? " reset" : "", to_text(gemm.loop), gemm.wgt_factor_out,
                     gemm.wgt_factor_in);
}

std::string to_text(const Alu& alu) {
  return fmt::format(" {}{}{}", name(alu.opcode), to_text(alu.loop),
                     alu.use_immediate ? fmt::format(" imm {}", alu.immediate) : "");
}

std::string to_text(const Dependencies& dependencies) {
  std::string line;
  if (dependencies.pop_prev) line += " pop_prev";
  if (dependencies.pop_next) line += " pop_next";
  if (dependencies.push_prev) line += " push_prev";
  if (dependencies.push_next) line += " push_next";
  return line;
}

}  // namespace

std::string disassemble(const Instruction& instruction) {
  std::string line(name(instruction.opcode));
  if (const auto* transfer = std::get_if<Transfer>(&instruction.operands)) line += to_text(*transfer);
  if (const auto* gemm = std::get_if<Gemm>(&instruction.operands)) line += to_text(*gemm);
  if (const auto* alu = std::get_if<Alu>(&instruction.operands)) line += to_text(*alu);
  return line + to_text(instruction.dependencies);
}

std::string disassemble(const MicroOp& micro_op) {
  return fmt::format("dst {} src {} wgt {}", micro_op.dst, micro_op.src, micro_op.wgt);
}

}  // namespace nestrt::evta
