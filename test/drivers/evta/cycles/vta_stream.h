// SPDX-License-Identifier: Apache-2.0
// Instruction streams as TVM's VTA runtime creates them, for comparison with published cycle counts. Tokens are
// attached to adjacent instructions if possible, otherwise to separate instructions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta::test {

class VtaStream {
 public:
  void add(Instruction instruction);
  // Gives a token from one module to another after the current instructions.
  void push(Module from, Module to);
  // Takes the token before the next instruction of `to`.
  void pop(Module from, Module to);
  // Waits for the other modules and ends the program. Nothing may follow.
  void finish();

  const std::vector<Instruction>& instructions() const { return instructions_; }

  void load(const Transfer& transfer) { add(make_load(transfer)); }
  // Add a GEMM or ALU instruction, and before it, unless `loaded`, a load of a micro-op list of `loop`'s length.
  void gemm(const Loop& loop, bool reset, bool loaded = false);
  void alu(const Loop& loop, AluOpcode opcode, bool use_immediate, bool loaded = false);
  void store(const Transfer& transfer) { add(make_store(transfer)); }

 private:
  struct PendingPops {
    bool prev = false;
    bool next = false;
  };

  void load_micro_ops(const Loop& loop);
  void add_token_instruction(Module module, Dependencies dependencies);
  void flush_pops(Module module);

  std::vector<Instruction> instructions_;
  std::array<PendingPops, kNumModules> pending_;
};

}  // namespace nestrt::evta::test
