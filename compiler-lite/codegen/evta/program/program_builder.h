// ProgramBuilder: instructions in program order, with the orders between modules stated as edges instead of tokens, and
// micro-ops as lists instead of addresses. finish() turns edges into tokens and lists into the micro-op memory's
// contents, each list once and loaded once where they fit.
//
// Every edge points forward, and tokens are taken in the order in which they are given, so a program cannot deadlock
// whatever the depth of the hardware's queues.
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

// Index of an instruction in program order.
using InstructionId = size_t;

// What a ProgramBuilder gives and assemble() (encoded_program.h) takes: addresses of buffers are in the instructions
// already, those of the micro-ops are not.
struct UnencodedProgram {
  std::vector<isa::Instruction> instructions;
  std::vector<isa::MicroOp> micro_ops;  // as they lie in DRAM; LOAD UOP instructions count from the first of them
};

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const isa::Configuration& configuration) : configuration_(configuration) {}

  InstructionId load(const isa::Transfer& transfer) { return append(isa::make_load(transfer)); }
  InstructionId store(const isa::Transfer& transfer) { return append(isa::make_store(transfer)); }
  // Errors: those of lower().
  Result<InstructionId> gemm(const LoopNest& nest, bool reset = false);
  // Without an immediate the source is an accumulator; with one the source strides must be those of the destination.
  Result<InstructionId> alu(const LoopNest& nest, isa::AluOpcode opcode, std::optional<int16_t> immediate);
  // An instruction of the compute module that only takes and gives tokens.
  InstructionId nothing() { return append(isa::make_load({.memory = isa::Memory::kUop})); }

  // `after` starts when `before` is complete. Both are in the program, `before` first, in the same module (which says
  // nothing new) or in neighbouring ones.
  void order(InstructionId before, InstructionId after) { edges_.emplace_back(before, after); }

  // Number of instructions so far.
  size_t size() const { return pending_.size(); }

  // Appends FINISH, which waits for `last_store`.
  UnencodedProgram finish(InstructionId last_store);

 private:
  // An instruction and the list of its micro-ops, -1 for none.
  struct Pending {
    isa::Instruction instruction;
    int list = -1;
  };

  InstructionId append(const isa::Instruction& instruction, int list = -1);
  int list_of(const std::vector<isa::MicroOp>& micro_ops);
  void give_tokens();
  void give_tokens(isa::Module from, isa::Module to);
  // Loads lists of micro-ops, in the order in which the instructions from `first` on use them, until the memory is
  // full; `places`, by list, says where. Returns the instruction that needs another one.
  size_t fill_memory(size_t first, UnencodedProgram& program, std::vector<uint32_t>& places) const;
  UnencodedProgram place_micro_ops() const;

  const isa::Configuration& configuration_;
  std::vector<Pending> pending_;
  std::vector<std::pair<InstructionId, InstructionId>> edges_;
  std::vector<std::vector<isa::MicroOp>> lists_;
  std::map<std::vector<uint32_t>, int> list_numbers_;
};

}  // namespace nestrt::compiler::evta
