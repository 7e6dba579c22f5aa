// SPDX-License-Identifier: Apache-2.0
// AccessOrder: checks that tokens order the accesses of two modules to shared memory. This applies to INP and WGT
// (written by load, read by compute), to OUT (written by compute, read by store), and to ranges of DRAM that a program
// loads from and stores to. If they do, a program computes the same result in every order that its tokens allow,
// regardless of timing. If they do not, a read may return the contents from before the other module's write.
//
// Checks the accesses in one order that the tokens allow. It is sufficient to track the last write and the last read of
// an element, because a module executes in order. This is the data race detector of C. Flanagan and S. Freund,
// FastTrack (PLDI 2009), with one writer and one reader. Time: linear in the elements that instructions access, each
// counted once per instruction.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "drivers/evta/checker/index_set.h"
#include "drivers/evta/execution_order.h"
#include "drivers/evta/program.h"
#include "nestrt/status.h"
#include "runtime/core/budget.h"

namespace nestrt::evta {

// Budget of accessed elements, each counted once per instruction: kFreeElements for any program plus
// kElementsPerInstruction per instruction. The maximum among nestc's programs for four networks is 344,000 elements in
// total, and 38,000 in excess of 1024 per instruction.
inline constexpr uint64_t kFreeElements = uint64_t{1} << 20;
inline constexpr uint64_t kElementsPerInstruction = 1024;

class AccessOrder {
 public:
  AccessOrder(const Configuration& configuration, size_t instructions);

  // Selects the instruction of the following calls. `before`: see execution_order().
  void begin(Module module, const ModuleCounts& before);
  // Record accesses to an on-chip memory. ACC and micro-ops belong to one module and are always in order. Errors:
  // kInvalidPlan if the other module's access to one of the elements may not have completed, or if the budget is
  // exceeded.
  Status read(Memory memory, const IndexSet& elements);
  Status write(Memory memory, const IndexSet& elements);
  // Record accesses to a range of DRAM as a whole.
  Status load(const MemoryRange& range);
  Status store(const MemoryRange& range);

 private:
  // Per element, the number (counted from 1) of the module's last instruction that wrote or read it; 0 if there is no
  // such instruction.
  struct Last {
    std::vector<uint32_t> written, read;
  };
  // A type of access, and the conflicting accesses of the other module.
  struct Access {
    std::vector<uint32_t> Last::*own;
    std::vector<uint32_t> Last::*others;
    Module other;
    std::string_view does, other_does;
  };
  struct LastOfRange {
    uint32_t stored = 0;
    ModuleCounts loaded = {};
  };

  Status access(Memory memory, const IndexSet& elements, const Access& access);
  Last* last_of(Memory memory);
  uint32_t number() const { return before_[static_cast<size_t>(module_)] + 1; }
  bool is_over(Module module, uint32_t number) const { return number <= before_[static_cast<size_t>(module)]; }

  Budget elements_;
  Module module_ = Module::kLoad;
  ModuleCounts before_ = {};
  Last inp_, wgt_, out_;
  std::map<uint64_t, LastOfRange> ranges_;  // by address
};

}  // namespace nestrt::evta
