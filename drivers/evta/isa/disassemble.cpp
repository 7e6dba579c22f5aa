#include "drivers/evta/isa/disassemble.h"

#include "runtime/core/text.h"

namespace nestrt::evta {
namespace {

std::string to_text(const Transfer& transfer) {
  std::string line = text(" ", name(transfer.memory), "  sram ", transfer.sram_base, " dram ", transfer.dram_base,
                          " rows ", transfer.y_size, " x ", transfer.x_size, " stride ", transfer.x_stride);
  if (transfer.y_pad_begin | transfer.y_pad_end | transfer.x_pad_begin | transfer.x_pad_end)
    append_text(line, text(" pad y ", transfer.y_pad_begin, ",", transfer.y_pad_end, " x ", transfer.x_pad_begin, ",",
                           transfer.x_pad_end));
  return line;
}

std::string to_text(const Loop& loop) {
  return text("  uop [", loop.uop_begin, ",", loop.uop_end, ") loop ", loop.iter_out, " x ", loop.iter_in, " dst ",
              loop.dst_factor_out, ",", loop.dst_factor_in, " src ", loop.src_factor_out, ",", loop.src_factor_in);
}

std::string to_text(const Gemm& gemm) {
  return text(gemm.reset ? " reset" : "", to_text(gemm.loop), " wgt ", gemm.wgt_factor_out, ",", gemm.wgt_factor_in);
}

std::string to_text(const Alu& alu) {
  return text(" ", name(alu.opcode), to_text(alu.loop), alu.use_immediate ? text(" imm ", alu.immediate) : "");
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
  return text("dst ", micro_op.dst, " src ", micro_op.src, " wgt ", micro_op.wgt);
}

}  // namespace nestrt::evta
