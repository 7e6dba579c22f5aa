// SPDX-License-Identifier: Apache-2.0
// The program checker. Only programs that pass it are submitted to an accelerator.
//
// A program that passes
// - accesses DRAM only within its ranges and on-chip memory only within its bounds,
// - reads only on-chip memory that it has written or whose contents are known,
// - ends without a deadlock, and ends only when all instructions are complete,
// - computes the same result on every implementation of the instruction set that its exact semantics
//   (plain_simulator.h) cover.
// With Results::kComplete it also writes all of its writable ranges, and writes them before it reads them.
//
// The checker rejects programs that produce different results on different implementations of the family: empty loops,
// pads on weights or without data, loads of 8-bit accumulators, multiplications, shifts beyond 5 bits, and stores of
// elements that no operation has written since their accumulator was loaded or reset. It also rejects programs that the
// configuration's design computes incorrectly: hazards (hazard.h), stores of rows without elements, and, on the Chisel
// design, immediates whose src is not dst. With Results::kComplete it also rejects accesses of two modules to one
// element or range that are not ordered by tokens, because their result depends on the timing.
//
// Time: linear in the number of instructions, of micro-ops that they execute (regardless of trip counts), and of
// elements that they move from and to writable ranges.
#pragma once

#include "drivers/evta/program.h"
#include "nestrt/status.h"

namespace nestrt::evta {

// Maximum number of micro-ops that the GEMM and ALU instructions of a program execute in all iterations: some seconds
// on an accelerator, and more than ten times the requirement of the largest networks. A longer program is treated as a
// hang.
inline constexpr uint64_t kMaxSteps = uint64_t{1} << 28;
// Budget of micro-ops that are loaded or that loops refer to, counted per instruction: kFreeMicroOps for any program
// plus kMicroOpsPerInstruction per instruction. Checking takes less than 0.1 microseconds per micro-op. nestc's
// programs, including convolutions of 300 x 300 pixels, need at most 16,000 in total or 160 per instruction.
inline constexpr uint64_t kFreeMicroOps = uint64_t{1} << 14;
inline constexpr uint64_t kMicroOpsPerInstruction = 256;

enum class Results {
  kComplete,  // results do not depend on, or contain, what memory contained before the run
  kPartial,   // for some of the accelerator's own tests
};

// Contents of on-chip memories, except micro-ops, before a program starts.
enum class OnChip {
  kUnknown,  // left behind by other programs
  kZero,     // as after a reset of the RTL
};

// Errors: kInvalidPlan, which names the first incorrect instruction and the reason; kInvalidArgument without a
// configuration.
Status check_program(const Program& program, Results results = Results::kComplete, OnChip before = OnChip::kUnknown);

}  // namespace nestrt::evta
