// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/debug/program_prefix.h"

#include <algorithm>

namespace nestrt::evta {
namespace {

using Token = bool Dependencies::*;

// The tokens between two modules.
struct TokenQueue {
  Module giver;
  Token give;
  Module taker;
  Token take;
};
constexpr TokenQueue kToCompute = {Module::kLoad, &Dependencies::push_next, Module::kCompute, &Dependencies::pop_prev};
constexpr TokenQueue kToLoad = {Module::kCompute, &Dependencies::push_prev, Module::kLoad, &Dependencies::pop_next};
constexpr TokenQueue kToStore = {Module::kCompute, &Dependencies::push_next, Module::kStore, &Dependencies::pop_prev};
constexpr TokenQueue kFromStore = {Module::kStore, &Dependencies::push_prev, Module::kCompute, &Dependencies::pop_next};

// The n-th token given is the n-th one taken, so the last ones remain.
void drop_remaining_tokens(std::vector<Instruction>& program, const TokenQueue& queue) {
  auto taken = std::ranges::count_if(program, [&](const Instruction& instruction) {
    return module_of(instruction) == queue.taker && instruction.dependencies.*queue.take;
  });
  for (Instruction& instruction : program) {
    if (module_of(instruction) != queue.giver || !(instruction.dependencies.*queue.give)) continue;
    instruction.dependencies.*queue.give = taken > 0;
    taken = std::max<decltype(taken)>(taken - 1, 0);
  }
}

// Makes the last instruction of the giving module precede `waiting`, the next one of the taking module. Requires: no
// tokens remain. If the last instruction gives a token, an earlier instruction of the taking module takes it.
void wait_for_last(std::vector<Instruction>& program, const TokenQueue& queue, Dependencies& waiting) {
  const auto last = std::find_if(program.rbegin(), program.rend(),
                                 [&](const Instruction& instruction) { return module_of(instruction) == queue.giver; });
  if (last == program.rend() || last->dependencies.*queue.give) return;
  last->dependencies.*queue.give = waiting.*queue.take = true;
}

}  // namespace

std::vector<Instruction> make_prefix(std::span<const Instruction> program, size_t count, const Transfer* observed) {
  std::vector<Instruction> prefix(program.begin(), program.begin() + static_cast<ptrdiff_t>(count));
  std::erase_if(prefix, [](const Instruction& instruction) { return instruction.opcode == Opcode::kFinish; });
  for (const TokenQueue& queue : {kToCompute, kToLoad, kToStore, kFromStore}) drop_remaining_tokens(prefix, queue);
  if (observed != nullptr) {
    Instruction store = make_store(*observed);
    wait_for_last(prefix, kToStore, store.dependencies);
    prefix.push_back(store);
  }
  Instruction finish = make_finish();
  wait_for_last(prefix, kToCompute, finish.dependencies);
  wait_for_last(prefix, kFromStore, finish.dependencies);
  prefix.push_back(finish);
  return prefix;
}

}  // namespace nestrt::evta
