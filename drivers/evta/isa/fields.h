// SPDX-License-Identifier: Apache-2.0
// The bit layout of instructions. visit_*() passes the fields of an instruction in bit order to a coder, whose
// field(name, value, bits) encodes, decodes or counts. end_word() ends one of the two 64-bit halves; no field crosses
// their boundary.
#pragma once

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta::isa {

inline constexpr int kOpcodeBits = 3;

template <typename Coder>
constexpr void visit_dependencies(Coder& coder, Dependencies& dependencies) {
  coder.field("pop_prev", dependencies.pop_prev, 1);
  coder.field("pop_next", dependencies.pop_next, 1);
  coder.field("push_prev", dependencies.push_prev, 1);
  coder.field("push_next", dependencies.push_next, 1);
}

template <typename Coder>
constexpr void visit_transfer(Coder& coder, const Configuration&, Transfer& transfer) {
  coder.field("memory", transfer.memory, 3);
  coder.field("sram_base", transfer.sram_base, 16);
  coder.field("dram_base", transfer.dram_base, 32);
  coder.end_word();
  coder.field("y_size", transfer.y_size, 16);
  coder.field("x_size", transfer.x_size, 16);
  coder.field("x_stride", transfer.x_stride, 16);
  coder.field("y_pad_begin", transfer.y_pad_begin, 4);
  coder.field("y_pad_end", transfer.y_pad_end, 4);
  coder.field("x_pad_begin", transfer.x_pad_begin, 4);
  coder.field("x_pad_end", transfer.x_pad_end, 4);
  coder.end_word();
}

template <typename Coder>
constexpr void visit_loop(Coder& coder, const Configuration& configuration, Loop& loop, int src_factor_bits) {
  coder.field("uop_begin", loop.uop_begin, configuration.uop_begin_bits());
  coder.field("uop_end", loop.uop_end, configuration.uop_begin_bits() + 1);
  coder.field("iter_out", loop.iter_out, configuration.iter_out_bits);
  coder.field("iter_in", loop.iter_in, configuration.iter_in_bits);
  coder.end_word();
  coder.field("dst_factor_out", loop.dst_factor_out, configuration.acc_factor_bits());
  coder.field("dst_factor_in", loop.dst_factor_in, configuration.acc_factor_bits());
  coder.field("src_factor_out", loop.src_factor_out, src_factor_bits);
  coder.field("src_factor_in", loop.src_factor_in, src_factor_bits);
}

template <typename Coder>
constexpr void visit_gemm(Coder& coder, const Configuration& configuration, Gemm& gemm) {
  coder.field("reset", gemm.reset, 1);
  visit_loop(coder, configuration, gemm.loop, configuration.inp_factor_bits());
  coder.field("wgt_factor_out", gemm.wgt_factor_out, configuration.wgt_factor_bits());
  coder.field("wgt_factor_in", gemm.wgt_factor_in, configuration.wgt_factor_bits());
  coder.end_word();
}

template <typename Coder>
constexpr void visit_alu(Coder& coder, const Configuration& configuration, Alu& alu) {
  coder.unused(1);  // position of a GEMM's reset bit
  visit_loop(coder, configuration, alu.loop, configuration.acc_factor_bits());
  coder.field("opcode", alu.opcode, 3);
  coder.field("use_immediate", alu.use_immediate, 1);
  coder.field("immediate", alu.immediate, 16);
  coder.end_word();
}

template <typename Coder>
constexpr void visit_micro_op(Coder& coder, const Configuration& configuration, MicroOp& micro_op) {
  coder.field("dst", micro_op.dst, configuration.acc_index_bits());
  coder.field("src", micro_op.src, configuration.inp_index_bits());
  coder.field("wgt", micro_op.wgt, configuration.wgt_index_bits());
  coder.end_word();
}

// Finds the maximum number of bits used in a word.
class BitCounter {
 public:
  template <typename T>
  constexpr void field(std::string_view, T&, int bits) {
    bits_ += bits;
  }
  constexpr void unused(int bits) { bits_ += bits; }
  constexpr void end_word() {
    most_ = bits_ > most_ ? bits_ : most_;
    bits_ = 0;
  }
  constexpr int most() const { return most_; }

 private:
  int bits_ = 0;
  int most_ = 0;
};

constexpr int most_instruction_bits(const Configuration& configuration) {
  int most = 0;
  const auto measure = [&](auto visit, auto operands) {
    BitCounter counter;
    Dependencies dependencies;
    counter.unused(kOpcodeBits);
    visit_dependencies(counter, dependencies);
    visit(counter, operands);
    most = counter.most() > most ? counter.most() : most;
  };
  measure([&](auto& counter, Transfer& transfer) { visit_transfer(counter, configuration, transfer); }, Transfer());
  measure([&](auto& counter, Gemm& gemm) { visit_gemm(counter, configuration, gemm); }, Gemm());
  measure([&](auto& counter, Alu& alu) { visit_alu(counter, configuration, alu); }, Alu());
  return most;
}

constexpr int micro_op_bits(const Configuration& configuration) {
  BitCounter counter;
  MicroOp micro_op;
  visit_micro_op(counter, configuration, micro_op);
  return counter.most();
}

// Returns whether all assumptions of encode() and decode() hold. An ALU micro-op has a second accumulator index at the
// position of a GEMM's input index; the hardware decodes both with the same width.
constexpr bool fits(const Configuration& configuration) {
  return most_instruction_bits(configuration) <= 64 && micro_op_bits(configuration) <= 8 * configuration.uop_bytes() &&
         configuration.uop_bytes() <= 8 && configuration.acc_index_bits() == configuration.inp_index_bits() &&
         configuration.uop_index_bits() <= 16 && configuration.acc_index_bits() <= 16 &&
         configuration.wgt_index_bits() <= 16 && configuration.wgt_index_bits() >= 0;
}

constexpr bool all_fit() {
  for (const Configuration& configuration : kConfigurations) {
    if (!fits(configuration)) return false;
  }
  return true;
}
static_assert(all_fit(), "the instructions of a configuration do not fit into two 64-bit words");

}  // namespace nestrt::evta::isa
