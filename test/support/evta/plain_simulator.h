// SPDX-License-Identifier: Apache-2.0
// The reference simulator: the accelerator's HLS model, written for readability, one element at a time.
// Properties that differ from other simulators of the family:
// - STORE reads a separate OUT memory, which only GEMM and ALU write, with the low 8 bits of each accumulator;
// - a GEMM that resets stores the low bits of the discarded sum in OUT;
// - shifts use the low 5 bits of their amount as a signed number: 16 shifts left by 16;
// - loads of weights ignore pads; loads of micro-ops ignore everything except x_size if they have rows; loads of OUT
//   and of 8-bit accumulators do nothing.
#pragma once

#include "drivers/evta/simulator/dram.h"
#include "nestrt/status.h"

namespace nestrt::evta {

enum class Strictness {
  kPermissive,  // memories start as zeros; every decodable program runs
  // Rejects reads of undefined values, accesses of two modules that no token orders, and operations that the hardware
  // of the configuration's design computes differently: hazards (checker/hazard.h) and stores of empty rows.
  kStrict,
  kStrictFromReset,  // same as kStrict, but memories start undefined instead of as zeros
};

// Runs the program. Errors: kInvalidPlan (instructions do not decode, or their tokens deadlock; execution_order.h),
// kUnsupported (an ALU multiplication), kDeviceFault (an access outside a memory or a range, or one that kStrict
// rejects). Never accesses memory outside the ranges of `dram`.
Status simulate_plain(const Program& program, const Dram& dram, Strictness strictness);

}  // namespace nestrt::evta
