// SPDX-License-Identifier: Apache-2.0
// The inner loops of GEMM and ALU instructions on SIMD units, for blocks of 16 and 32 and a batch of 1.
//
// Memories have a suitable layout: inputs widened to int16; weights widened as [block / 2][block outputs][2 inputs], so
// that one pair of inputs is multiplied for all outputs; accumulators and outputs as in the accelerator. All are
// aligned to 64 bytes. The caller checks the indices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {

struct EngineMemories {
  const MicroOp* uop = nullptr;
  const int16_t* wgt = nullptr;
  const int16_t* inp = nullptr;
  int32_t* acc = nullptr;
  int8_t* out = nullptr;
};

struct Engine {
  // Runs one instruction. Sums wrap around, so without a reset the loops may run in any order; with a reset they run in
  // the original order.
  void (*gemm)(const EngineMemories& memories, const Gemm& gemm);
  // Runs one instruction with any operation except kMul, in the order of its loops, because operands may be earlier
  // results.
  void (*alu)(const EngineMemories& memories, const Alu& alu);
};

// Returns the engine for this machine's instruction set (kernels/common/simd/simd.h). `block` is 16 or 32.
Engine select_engine(int block);

}  // namespace nestrt::evta
