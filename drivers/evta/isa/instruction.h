// SPDX-License-Identifier: Apache-2.0
// Instruction: a decoded instruction of the accelerator. encode.h and decode.h convert to and from the 128 bits.
//
// Three modules run concurrently and execute their instructions in order: load (LOAD of inputs and weights), compute
// (LOAD of micro-ops and accumulators, GEMM, ALU, FINISH), store (STORE). Tokens in four queues order them. "prev" and
// "next" are the neighbours in the order load, compute, store. Addresses and sizes count elements of the memory that is
// accessed.
//
// Source: VTA's instruction set; semantics as in its HLS model.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

#include "drivers/evta/isa/configuration.h"

namespace nestrt::evta {

// Values of the instruction set.
enum class Opcode : uint8_t { kLoad = 0, kStore = 1, kGemm = 2, kFinish = 3, kAlu = 4 };
enum class AluOpcode : uint8_t { kMin = 0, kMax = 1, kAdd = 2, kShr = 3, kMul = 4 };
enum class Module : uint8_t { kLoad, kCompute, kStore };
inline constexpr int kNumModules = 3;

// Returns the name of an opcode; "?" for an invalid value.
std::string_view name(Opcode opcode);
std::string_view name(AluOpcode opcode);
std::string_view name(Module module);

// Tokens taken before the instruction starts and given after it completes.
struct Dependencies {
  bool pop_prev = false;
  bool pop_next = false;
  bool push_prev = false;
  bool push_next = false;

  bool operator==(const Dependencies&) const = default;
};

// The data that LOAD and STORE move: y_size rows of x_size elements, with row y at dram_base + y * x_stride in DRAM. In
// SRAM they are dense, starting at sram_base. A LOAD adds zero padding: (y_pad_begin + y_size + y_pad_end) rows of
// (x_pad_begin + x_size + x_pad_end).
struct Transfer {
  Memory memory = Memory::kInp;
  uint32_t sram_base = 0;
  uint32_t dram_base = 0;
  uint16_t y_size = 0;
  uint16_t x_size = 0;
  uint16_t x_stride = 0;
  uint8_t y_pad_begin = 0;
  uint8_t y_pad_end = 0;
  uint8_t x_pad_begin = 0;
  uint8_t x_pad_end = 0;

  // Returns whether the transfer moves no data, only tokens.
  bool is_empty() const { return x_size == 0 || y_size == 0; }

  bool operator==(const Transfer&) const = default;
};

// For o < iter_out, i < iter_in, u in [uop_begin, uop_end): each field of micro-op u plus o * its factor_out plus i *
// its factor_in is an index.
struct Loop {
  uint32_t uop_begin = 0;
  uint32_t uop_end = 0;
  uint32_t iter_out = 1;
  uint32_t iter_in = 1;
  uint32_t dst_factor_out = 0;
  uint32_t dst_factor_in = 0;
  uint32_t src_factor_out = 0;
  uint32_t src_factor_in = 0;

  bool operator==(const Loop&) const = default;
};

// acc[dst] += inp[src] * transposed wgt[wgt], or acc[dst] = 0 if `reset`. Without a reset, out[dst] becomes the low 8
// bits of the new accumulators; with it, out[dst] is undefined.
struct Gemm {
  Loop loop = {};
  bool reset = false;
  uint32_t wgt_factor_out = 0;
  uint32_t wgt_factor_in = 0;

  bool operator==(const Gemm&) const = default;
};

// acc[dst] = opcode(acc[dst], use_immediate ? immediate : acc[src]); out[dst] becomes its low 8 bits.
struct Alu {
  Loop loop = {};
  AluOpcode opcode = AluOpcode::kAdd;
  bool use_immediate = false;
  int16_t immediate = 0;

  bool operator==(const Alu&) const = default;
};

struct Instruction {
  Opcode opcode = Opcode::kFinish;
  Dependencies dependencies;
  // Transfer for LOAD and STORE, empty for FINISH.
  std::variant<std::monostate, Transfer, Gemm, Alu> operands;

  bool operator==(const Instruction&) const = default;

  // Require an instruction with these operands.
  const Transfer& transfer() const { return *std::get_if<Transfer>(&operands); }
  const Gemm& gemm() const { return *std::get_if<Gemm>(&operands); }
  const Alu& alu() const { return *std::get_if<Alu>(&operands); }
  const Loop& loop() const { return opcode == Opcode::kGemm ? gemm().loop : alu().loop; }
};

inline Instruction make_load(const Transfer& transfer, Dependencies dependencies = {}) {
  return {Opcode::kLoad, dependencies, transfer};
}
inline Instruction make_store(const Transfer& transfer, Dependencies dependencies = {}) {
  return {Opcode::kStore, dependencies, transfer};
}
inline Instruction make_gemm(const Gemm& gemm, Dependencies dependencies = {}) {
  return {Opcode::kGemm, dependencies, gemm};
}
inline Instruction make_alu(const Alu& alu, Dependencies dependencies = {}) {
  return {Opcode::kAlu, dependencies, alu};
}
inline Instruction make_finish(Dependencies dependencies = {}) { return {Opcode::kFinish, dependencies, {}}; }

// Returns the module that executes the instruction.
Module module_of(const Instruction& instruction);

// Indices for a GEMM: accumulator, input, weight. For an ALU operation: accumulator, accumulator, unused.
struct MicroOp {
  uint32_t dst = 0;
  uint32_t src = 0;
  uint32_t wgt = 0;

  bool operator==(const MicroOp&) const = default;
};

// 16 bytes of DRAM, little-endian.
using InstructionWord = std::array<uint64_t, 2>;

}  // namespace nestrt::evta
