// The inner loops of GEMM and ALU instructions on SIMD units, for blocks of 16 and 32 and a batch of 1.
//
// Memories are laid out for them: inputs widened to int16, one after the other; weights widened and as [block /
// 2][block outputs][2 inputs], so that one input pair meets all outputs; accumulators and outputs as the accelerator
// has them. All are aligned to 64 bytes. Indices are the caller's to check.
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
  // One instruction. Sums wrap, so that without a reset the loops may run in any order; with it they keep theirs.
  void (*gemm)(const EngineMemories& memories, const Gemm& gemm);
  // One instruction, of any operation but kMul, in the order of its loops: its operands may be its results.
  void (*alu)(const EngineMemories& memories, const Alu& alu);
};

// For this machine's instruction set (kernels/common/simd/simd.h). `block` is 16 or 32.
Engine select_engine(int block);

}  // namespace nestrt::evta
