// How many cycles a program takes: an event simulation of the three modules and their instruction queues, of the tokens
// between them, of the fetch of instructions, and of DRAM as one server that reads and writes share. Data is not
// touched: cost depends on the instructions alone. The order of execution is that of the functional simulators.
//
// One pass over the instructions and the bursts of their transfers, some tens of nanoseconds each: cheap enough to be
// the objective of a search.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "drivers/evta/cycles/profile.h"
#include "drivers/evta/isa/instruction.h"
#include "drivers/evta/program.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// Where the cycles of one module went; the rest of the total it had nothing to do.
struct ModuleCycles {
  uint64_t busy = 0;         // executing, transfers included
  uint64_t memory_wait = 0;  // part of `busy`: DRAM served others
  uint64_t fetch_wait = 0;   // for its next instruction ...
  uint64_t prev_wait = 0;    // ... then for a token of the module before it ...
  uint64_t next_wait = 0;    // ... then for one of the module after it
};

struct CycleCount {
  uint64_t cycles = 0;       // from the launch to the end of FINISH
  uint64_t lower_bound = 0;  // what no order of execution undercuts: the work of each module, and of the bus
  // Work, counted as VTA's functional simulator does: no pads, no reset GEMMs.
  std::array<uint64_t, kNumMemories> bytes = {};  // moved, by type of memory
  uint64_t gemm_micro_ops = 0;
  uint64_t alu_micro_ops = 0;
  uint64_t reset_micro_ops = 0;
  std::array<ModuleCycles, kNumModules> modules = {};  // by Module

  uint64_t total_bytes() const;
  // Share of the cycles in which the multipliers work at one micro-op per cycle.
  double gemm_occupancy() const { return cycles == 0 ? 0 : static_cast<double>(gemm_micro_ops) / cycles; }
};

struct TraceEntry {
  Module module;
  uint32_t instruction;  // index in the program
  uint64_t start;        // cycles; executing in [start, end)
  uint64_t end;
};

// Instructions after FINISH do not count. `trace`, where given, is filled in order of completion by module.
// Errors: kInvalidPlan where a module waits for a token that never comes, a transfer's memory is not one of its
// module's, or there is no FINISH.
Result<CycleCount> count_cycles(const Configuration& configuration, std::span<const Instruction> instructions,
                                const CycleProfile& profile, std::vector<TraceEntry>* trace = nullptr);

// Errors: those above, and of decode().
Result<CycleCount> count_cycles(const Program& program, const CycleProfile& profile,
                                std::vector<TraceEntry>* trace = nullptr);

}  // namespace nestrt::evta
