// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/evta/cycles/vta_stream.h"

#include <utility>

namespace nestrt::evta::test {
namespace {

Instruction token_instruction(Module module, Dependencies dependencies) {
  Transfer nothing;
  nothing.memory = module == Module::kLoad ? Memory::kInp : module == Module::kCompute ? Memory::kUop : Memory::kOut;
  return module == Module::kStore ? make_store(nothing, dependencies) : make_load(nothing, dependencies);
}

}  // namespace

void VtaStream::add(Instruction instruction) {
  const PendingPops pops = std::exchange(pending_[static_cast<size_t>(module_of(instruction))], {});
  instruction.dependencies.pop_prev |= pops.prev;
  instruction.dependencies.pop_next |= pops.next;
  instructions_.push_back(instruction);
}

void VtaStream::add_token_instruction(Module module, Dependencies dependencies) {
  instructions_.push_back(token_instruction(module, dependencies));
}

void VtaStream::flush_pops(Module module) {
  const PendingPops pops = std::exchange(pending_[static_cast<size_t>(module)], {});
  if (pops.prev || pops.next) add_token_instruction(module, {.pop_prev = pops.prev, .pop_next = pops.next});
}

void VtaStream::push(Module from, Module to) {
  flush_pops(from);
  const bool to_next = from < to;
  if (!instructions_.empty() && module_of(instructions_.back()) == from) {
    Dependencies& last = instructions_.back().dependencies;
    if (!std::exchange(to_next ? last.push_next : last.push_prev, true)) return;
  }
  add_token_instruction(from, {.push_prev = !to_next, .push_next = to_next});
}

void VtaStream::pop(Module from, Module to) {
  PendingPops& pops = pending_[static_cast<size_t>(to)];
  if (from < to ? pops.prev : pops.next) flush_pops(to);
  (from < to ? pops.prev : pops.next) = true;
}

void VtaStream::finish() {
  push(Module::kStore, Module::kCompute);
  push(Module::kLoad, Module::kCompute);
  pop(Module::kStore, Module::kCompute);
  pop(Module::kLoad, Module::kCompute);
  flush_pops(Module::kCompute);
  instructions_.push_back(make_finish());
}

void VtaStream::load_micro_ops(const Loop& loop) {
  Transfer transfer;
  transfer.memory = Memory::kUop;
  transfer.y_size = 1;
  transfer.x_size = transfer.x_stride = static_cast<uint16_t>(loop.uop_end - loop.uop_begin);
  load(transfer);
}

void VtaStream::gemm(const Loop& loop, bool reset, bool loaded) {
  if (!loaded) load_micro_ops(loop);
  Gemm gemm;
  gemm.loop = loop;
  gemm.reset = reset;
  add(make_gemm(gemm));
}

void VtaStream::alu(const Loop& loop, AluOpcode opcode, bool use_immediate, bool loaded) {
  if (!loaded) load_micro_ops(loop);
  Alu alu;
  alu.loop = loop;
  alu.opcode = opcode;
  alu.use_immediate = use_immediate;
  add(make_alu(alu));
}

}  // namespace nestrt::evta::test
