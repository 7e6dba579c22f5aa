// AccessOrder: whether tokens order the accesses of two modules to what they share: INP and WGT, which load writes and
// compute reads, OUT, which compute writes and store reads, and ranges of DRAM that a program loads from and stores to.
// Where they do, a program computes the same in every order that its tokens allow, whatever the timing; where they do
// not, what one reads may be what was there before the other wrote.
//
// Looks at the accesses in one order that the tokens allow. In it the last write and the last read of an element
// suffice, as a module executes in order: the detector of data races of C. Flanagan and S. Freund, FastTrack (PLDI
// 2009), with one writer and one reader. Time: linear in the elements that instructions touch, each counted once for an
// instruction.
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

// Elements that the instructions of a program touch, each counted once for an instruction: so many in any program, and
// so many more for each of its instructions. Of nestc's programs for four networks none has more than 344,000, and none
// more than 38,000 beyond 1024 an instruction.
inline constexpr uint64_t kFreeElements = uint64_t{1} << 20;
inline constexpr uint64_t kElementsPerInstruction = 1024;

class AccessOrder {
 public:
  AccessOrder(const Configuration& configuration, size_t instructions);

  // What follows is of this instruction. `before`: as execution_order() has it.
  void begin(Module module, const ModuleCounts& before);
  // Accesses to an on-chip memory; ACC and micro-ops are one module's and always in order. Errors: kInvalidPlan where
  // what the other module does to one of the elements need not be over, or beyond the budget.
  Status read(Memory memory, const IndexSet& elements);
  Status write(Memory memory, const IndexSet& elements);
  // The same for a range of DRAM, as a whole.
  Status load(const MemoryRange& range);
  Status store(const MemoryRange& range);

 private:
  // Of each element the number of the last instruction that wrote it, and of the last that read it, from 1 on, among
  // those of its module; 0: none.
  struct Last {
    std::vector<uint32_t> written, read;
  };
  // A reading or a writing, with what the other module does to the same memory.
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
