// SPDX-License-Identifier: Apache-2.0
// Cycle model: event simulation of the three modules and their instruction queues, the tokens between them, instruction
// fetch, and DRAM as one server shared by reads and writes. It does not process data, because timing depends only on
// the instructions. The order of execution is the same as in the functional simulators.
//
// Each instruction, and each burst of its transfers, takes some tens of nanoseconds to simulate, which is fast enough
// for the objective function of a search.
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

// Cycles of one module by cause. The module was idle for the rest of the total.
struct ModuleCycles {
  uint64_t busy = 0;         // executing, including transfers
  uint64_t memory_wait = 0;  // part of `busy`: DRAM was serving other clients
  uint64_t fetch_wait = 0;   // waiting for the next instruction
  uint64_t prev_wait = 0;    // then waiting for a token from the previous module
  uint64_t next_wait = 0;    // then waiting for a token from the next module
};

struct CycleCount {
  uint64_t cycles = 0;       // from launch to the end of FINISH
  uint64_t lower_bound = 0;  // lower bound for any order of execution: the work of each module, and of the bus
  // Amount of work, counted as in VTA's functional simulator: without pads and reset GEMMs.
  std::array<uint64_t, kNumMemories> bytes = {};  // moved, per type of memory
  uint64_t gemm_micro_ops = 0;
  uint64_t alu_micro_ops = 0;
  uint64_t reset_micro_ops = 0;
  std::array<ModuleCycles, kNumModules> modules = {};  // indexed by Module

  uint64_t total_bytes() const;
  // Returns the fraction of the cycles in which the multipliers are busy at one micro-op per cycle.
  double gemm_occupancy() const { return cycles == 0 ? 0 : static_cast<double>(gemm_micro_ops) / cycles; }
};

struct TraceEntry {
  Module module;
  uint32_t instruction;  // index in the program
  uint64_t start;        // cycles; executes in [start, end)
  uint64_t end;
};

// Instructions after FINISH do not count. Fills `trace`, if given, in order of completion per module. Errors:
// kInvalidPlan if a module waits for a token that never arrives, if a transfer's memory does not belong to its module,
// or if FINISH is missing.
Result<CycleCount> count_cycles(const Configuration& configuration, std::span<const Instruction> instructions,
                                const CycleProfile& profile, std::vector<TraceEntry>* trace = nullptr);

// Decodes and counts a program. Errors: those of the overload above and of decode().
Result<CycleCount> count_cycles(const Program& program, const CycleProfile& profile,
                                std::vector<TraceEntry>* trace = nullptr);

}  // namespace nestrt::evta
