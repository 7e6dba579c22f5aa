// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/emit/drop_partial_programs.h"

#include <algorithm>
#include <cstdint>

namespace nestrt::compiler {
namespace {

bool is_partial(const BranchPrograms::Entry& entry) { return !entry.program.channels.all(); }

uint64_t longest_cycles(const BranchPrograms& branch) {
  uint64_t cycles = 0;
  for (const BranchPrograms::Entry& entry : branch.entries) cycles = std::max(cycles, entry.program.cycles);
  return cycles;
}

}  // namespace

bool drop_partial_programs(std::vector<BranchPrograms>& programs) {
  BranchPrograms* least = nullptr;
  for (BranchPrograms& branch : programs)
    if (std::ranges::any_of(branch.entries, is_partial) && (!least || longest_cycles(branch) < longest_cycles(*least)))
      least = &branch;
  if (!least) return false;
  std::erase_if(least->entries, is_partial);
  return true;
}

}  // namespace nestrt::compiler
