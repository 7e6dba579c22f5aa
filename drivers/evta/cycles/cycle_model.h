// SPDX-License-Identifier: Apache-2.0
// Cycle model: event simulation of the three modules and their instruction queues, the tokens between them, the fetch
// of instructions, and DRAM as one server that reads and writes share. It does not process data, because the cost
// depends only on the instructions. The order of execution is that of the functional simulators.
//
// One pass over the instructions and the bursts of their transfers takes some tens of nanoseconds each, which is fast
// enough for the objective of a search.
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

// Cycles of one module by cause. In the rest of the total it was idle.
struct ModuleCycles {
  uint64_t busy = 0;         // executing, including transfers
  uint64_t memory_wait = 0;  // part of `busy`: DRAM served other clients
  uint64_t fetch_wait = 0;   // waiting for the next instruction
  uint64_t prev_wait = 0;    // then waiting for a token of the previous module
  uint64_t next_wait = 0;    // then waiting for a token of the next module
};

struct CycleCount {
  uint64_t cycles = 0;       // from the launch to the end of FINISH
  uint64_t lower_bound = 0;  // of any order of execution: the work of each module, and of the bus
  // Work, counted like VTA's functional simulator: without pads and reset GEMMs.
  std::array<uint64_t, kNumMemories> bytes = {};  // moved, by type of memory
  uint64_t gemm_micro_ops = 0;
  uint64_t alu_micro_ops = 0;
  uint64_t reset_micro_ops = 0;
  std::array<ModuleCycles, kNumModules> modules = {};  // by Module

  uint64_t total_bytes() const;
  // Fraction of the cycles in which the multipliers are busy at one micro-op per cycle.
  double gemm_occupancy() const { return cycles == 0 ? 0 : static_cast<double>(gemm_micro_ops) / cycles; }
};

struct TraceEntry {
  Module module;
  uint32_t instruction;  // index in the program
  uint64_t start;        // cycles; executes in [start, end)
  uint64_t end;
};

// Instructions after FINISH do not count. Fills `trace`, if given, in order of completion by module. Errors:
// kInvalidPlan if a module waits for a token that never arrives, if a transfer's memory does not belong to its module,
// or if FINISH is missing.
Result<CycleCount> count_cycles(const Configuration& configuration, std::span<const Instruction> instructions,
                                const CycleProfile& profile, std::vector<TraceEntry>* trace = nullptr);

// Errors: those above, and those of decode().
Result<CycleCount> count_cycles(const Program& program, const CycleProfile& profile,
                                std::vector<TraceEntry>* trace = nullptr);

}  // namespace nestrt::evta
