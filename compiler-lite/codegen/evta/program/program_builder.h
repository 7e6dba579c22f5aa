// SPDX-License-Identifier: Apache-2.0
// ProgramBuilder: collects instructions in program order, with edges instead of tokens between modules and with lists
// of micro-ops instead of addresses. finish() turns edges into tokens and lists into the contents of the micro-op
// memory. Each list is stored once, and loaded once if all lists fit.
// Every edge points forward, and tokens are taken in the order in which they are given. A program therefore cannot
// deadlock, whatever the depth of the hardware's queues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler-lite/codegen/evta/program/loop_nest.h"
#include "drivers/evta/isa/instruction.h"
#include "nestrt/result.h"

namespace nestrt::compiler::evta {

// Index of an instruction in the program.
using InstructionId = size_t;

// Output of ProgramBuilder and input of assemble() (encoded_program.h). Instructions contain the addresses of buffers
// but not yet those of micro-ops.
struct UnencodedProgram {
  std::vector<isa::Instruction> instructions;
  std::vector<isa::MicroOp> micro_ops;  // as stored in DRAM; LOAD UOP instructions count from the first
};

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const isa::Configuration& configuration) : configuration_(configuration) {}

  InstructionId load(const isa::Transfer& transfer) { return append(isa::make_load(transfer)); }
  InstructionId store(const isa::Transfer& transfer) { return append(isa::make_store(transfer)); }
  // Errors: those of lower().
  Result<InstructionId> gemm(const LoopNest& nest, bool reset = false);
  // Without an immediate the source is an accumulator. With one, the source strides must equal those of the
  // destination.
  Result<InstructionId> alu(const LoopNest& nest, isa::AluOpcode opcode, std::optional<int16_t> immediate);
  // Appends an instruction of the compute module that only takes and gives tokens.
  InstructionId nothing() { return append(isa::make_load({.memory = isa::Memory::kUop})); }

  // Makes `after` start when `before` is complete. `before` must precede `after` in the program, in the same module
  // (which has no effect) or in an adjacent one.
  void order(InstructionId before, InstructionId after) { edges_.emplace_back(before, after); }

  // Number of instructions so far.
  size_t size() const { return pending_.size(); }

  // Appends FINISH, which waits for `last_store`.
  UnencodedProgram finish(InstructionId last_store);

 private:
  // An instruction and the index of its list of micro-ops, or -1.
  struct Pending {
    isa::Instruction instruction;
    int list = -1;
  };

  InstructionId append(const isa::Instruction& instruction, int list = -1);
  int list_of(const std::vector<isa::MicroOp>& micro_ops);
  void give_tokens();
  void give_tokens(isa::Module from, isa::Module to);
  // Loads lists of micro-ops in order of use, starting at instruction `first`, until the memory is full. Records their
  // addresses in `places`, by list. Returns the first instruction whose list does not fit.
  size_t fill_memory(size_t first, UnencodedProgram& program, std::vector<uint32_t>& places) const;
  UnencodedProgram place_micro_ops() const;

  const isa::Configuration& configuration_;
  std::vector<Pending> pending_;
  std::vector<std::pair<InstructionId, InstructionId>> edges_;
  std::vector<std::vector<isa::MicroOp>> lists_;
  std::map<std::vector<uint32_t>, int> list_numbers_;
};

}  // namespace nestrt::compiler::evta
