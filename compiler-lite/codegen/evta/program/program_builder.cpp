// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/program/program_builder.h"

#include <algorithm>

namespace nestrt::compiler::evta {
namespace {

using isa::Dependencies;
using isa::Module;

isa::Loop loop_of(const LoweredNest& nest) {
  return {.iter_out = nest.iter_out,
          .iter_in = nest.iter_in,
          .dst_factor_out = nest.factor_out.dst,
          .dst_factor_in = nest.factor_in.dst,
          .src_factor_out = nest.factor_out.src,
          .src_factor_in = nest.factor_in.src};
}

isa::Loop& loop_in(isa::Instruction& instruction) {
  if (auto* gemm = std::get_if<isa::Gemm>(&instruction.operands)) return gemm->loop;
  return std::get_if<isa::Alu>(&instruction.operands)->loop;
}

}  // namespace

InstructionId ProgramBuilder::append(const isa::Instruction& instruction, int list) {
  pending_.push_back({instruction, list});
  return pending_.size() - 1;
}

int ProgramBuilder::list_of(const std::vector<isa::MicroOp>& micro_ops) {
  std::vector<uint32_t> key;
  key.reserve(micro_ops.size() * 3);
  for (const isa::MicroOp& micro_op : micro_ops) key.insert(key.end(), {micro_op.dst, micro_op.src, micro_op.wgt});
  const auto [entry, is_new] = list_numbers_.emplace(std::move(key), static_cast<int>(lists_.size()));
  if (is_new) lists_.push_back(micro_ops);
  return entry->second;
}

Result<InstructionId> ProgramBuilder::gemm(const LoopNest& nest, bool reset) {
  NESTRT_ASSIGN_OR_RETURN(const LoweredNest lowered, lower(configuration_, nest));
  return append(isa::make_gemm({.loop = loop_of(lowered),
                                .reset = reset,
                                .wgt_factor_out = lowered.factor_out.wgt,
                                .wgt_factor_in = lowered.factor_in.wgt}),
                list_of(lowered.micro_ops));
}

Result<InstructionId> ProgramBuilder::alu(const LoopNest& nest, isa::AluOpcode opcode,
                                          std::optional<int16_t> immediate) {
  NESTRT_ASSIGN_OR_RETURN(const LoweredNest lowered, lower(configuration_, nest));
  return append(isa::make_alu({.loop = loop_of(lowered),
                               .opcode = opcode,
                               .use_immediate = immediate.has_value(),
                               .immediate = immediate.value_or(0)}),
                list_of(lowered.micro_ops));
}

// Turns the edges between two modules into the tokens of one queue. Drops edges that earlier edges imply. The remaining
// edges increase at both ends, so the n-th token taken is the n-th token given.
void ProgramBuilder::give_tokens(Module from, Module to) {
  std::map<InstructionId, InstructionId> awaited;  // by the waiting instruction
  for (const auto& [before, after] : edges_) {
    if (isa::module_of(pending_[before].instruction) != from || isa::module_of(pending_[after].instruction) != to)
      continue;
    InstructionId& latest = awaited.emplace(after, before).first->second;
    latest = std::max(latest, before);
  }
  std::optional<InstructionId> given;
  for (const auto& [after, before] : awaited) {
    if (given && before <= *given) continue;
    given = before;
    Dependencies& giver = pending_[before].instruction.dependencies;
    Dependencies& taker = pending_[after].instruction.dependencies;
    (from < to ? giver.push_next : giver.push_prev) = true;
    (from < to ? taker.pop_prev : taker.pop_next) = true;
  }
}

void ProgramBuilder::give_tokens() {
  give_tokens(Module::kLoad, Module::kCompute);
  give_tokens(Module::kCompute, Module::kLoad);
  give_tokens(Module::kCompute, Module::kStore);
  give_tokens(Module::kStore, Module::kCompute);
}

size_t ProgramBuilder::fill_memory(size_t first, UnencodedProgram& program, std::vector<uint32_t>& places) const {
  const auto dram_base = static_cast<uint32_t>(program.micro_ops.size());
  std::vector<bool> present(lists_.size());
  size_t used = 0, end = first;
  for (; end < pending_.size(); ++end) {
    if (pending_[end].list < 0) continue;
    const auto list = static_cast<size_t>(pending_[end].list);
    if (present[list]) continue;
    const std::vector<isa::MicroOp>& micro_ops = lists_[list];
    if (used + micro_ops.size() > configuration_.uop_depth()) break;
    present[list] = true;
    places[list] = static_cast<uint32_t>(used);
    used += micro_ops.size();
    program.micro_ops.insert(program.micro_ops.end(), micro_ops.begin(), micro_ops.end());
  }
  if (used == 0) return end;
  const auto count = static_cast<uint16_t>(used);
  program.instructions.push_back(isa::make_load(
      {.memory = isa::Memory::kUop, .dram_base = dram_base, .y_size = 1, .x_size = count, .x_stride = count}));
  return end;
}

// Fills the micro-op memory as often as needed. Each filling replaces the previous one and is loaded as a whole, before
// the first instruction that needs it.
UnencodedProgram ProgramBuilder::place_micro_ops() const {
  UnencodedProgram program;
  std::vector<uint32_t> places(lists_.size());
  for (size_t i = 0; i < pending_.size();) {
    const size_t end = fill_memory(i, program, places);
    for (; i < end; ++i) {
      program.instructions.push_back(pending_[i].instruction);
      if (pending_[i].list < 0) continue;
      const auto list = static_cast<size_t>(pending_[i].list);
      isa::Loop& loop = loop_in(program.instructions.back());
      loop.uop_begin = places[list];
      loop.uop_end = loop.uop_begin + static_cast<uint32_t>(lists_[list].size());
    }
  }
  return program;
}

UnencodedProgram ProgramBuilder::finish(InstructionId last_store) {
  order(last_store, append(isa::make_finish()));
  give_tokens();
  return place_micro_ops();
}

}  // namespace nestrt::compiler::evta
