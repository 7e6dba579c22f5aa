// The definition of what a program computes: the accelerator's HLS model, written to be read, one element at a time.
// Traits that differ from other simulators of the family:
//   - STORE reads an OUT memory of its own, which only GEMM and ALU write, with the low 8 bits of each accumulator;
//   - a GEMM that resets leaves the low bits of what it would have accumulated there;
//   - shifts use the low 5 bits of their amount, signed: 16 shifts left by 16;
//   - loads of weights ignore pads, loads of micro-ops all but x_size where they have rows, loads of OUT and of 8-bit
//   accumulators do nothing.
#pragma once

#include "drivers/evta/simulator/dram.h"
#include "nestrt/status.h"

namespace nestrt::evta {

enum class Strictness {
  kPermissive,  // memories start as zeros; every program that can run runs
  // Errors are reading what was never written, accesses of two modules that no token orders, and what the hardware of
  // the configuration's design computes otherwise: hazards (checker/hazard.h), stores of empty rows.
  kStrict,
  kStrictFromReset,  // the same, but that memories start as zeros
};

// Errors: kInvalidPlan for instructions that do not decode or whose tokens do not work out (execution_order.h),
// kUnsupported for an ALU multiplication, which the hardware lacks, kDeviceFault for an access beyond a memory or a
// range, and for what kStrict forbids. Memory outside of `dram`'s ranges is never touched.
Status simulate_plain(const Program& program, const Dram& dram, Strictness strictness);

}  // namespace nestrt::evta
