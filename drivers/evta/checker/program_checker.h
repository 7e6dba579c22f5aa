// The program checker: nothing that it has not passed is ever submitted to an accelerator.
//
// A program that passes touches DRAM only within its ranges, and on-chip memory only within its bounds, of which it
// reads only what it has put there itself, or what is known to be there; comes to an end without a deadlock, is done
// only when everything is done, and computes the same on every implementation of the instruction set that its exact
// semantics (plain_simulator.h) cover. Where its results have to be complete, it writes all of the ranges that it may
// write, and before it reads them. What makes implementations of the family differ is refused: empty loops, pads on
// weights or without data, loads of 8-bit accumulators, multiplications, shifts beyond 5 bits, stores of what no
// operation has written since; and what the hardware of the configuration's design computes otherwise: hazards
// (hazard.h), stores of rows without elements, on the Chisel design immediates whose src is not dst. Where results have
// to be complete, accesses of two modules to one element, or to one range, that no token orders are refused: what such
// a program computes depends on the timing.
//
// Time: linear in the instructions, in the micro-ops that they execute, whatever the trip counts, and in the elements
// that they move from and to what they write.
#pragma once

#include "drivers/evta/program.h"
#include "nestrt/status.h"

namespace nestrt::evta {

// The most micro-ops that the GEMM and ALU instructions of a program may execute, of all iterations: some seconds of an
// accelerator, and more than ten times what the largest networks need. Beyond it a program might as well hang.
inline constexpr uint64_t kMaxSteps = uint64_t{1} << 28;
// Micro-ops that are loaded, and that loops refer to, each instruction counted: so many in any program, and so many
// more for each of its instructions: to check one takes less than 0.1 microseconds for each. Of nestc's programs, those
// of convolutions of 300 x 300 pixels among them, none has more than 16,000 or 160 an instruction.
inline constexpr uint64_t kFreeMicroOps = uint64_t{1} << 14;
inline constexpr uint64_t kMicroOpsPerInstruction = 256;

enum class Results {
  kComplete,  // nothing that memory held before a run comes into the results, nor is left among them
  kPartial,   // as some of the accelerator's own tests have them
};

// On-chip memories, but for micro-ops, before a program begins.
enum class OnChip {
  kUnknown,  // what others left there
  kZero,     // as a reset of the RTL leaves them
};

// Errors: kInvalidPlan that names the first instruction found wrong and why, kInvalidArgument without a configuration.
Status check_program(const Program& program, Results results = Results::kComplete, OnChip before = OnChip::kUnknown);

}  // namespace nestrt::evta
