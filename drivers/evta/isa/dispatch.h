// SPDX-License-Identifier: Apache-2.0
// Calls a handler selected by opcode.
#pragma once

#include "drivers/evta/isa/instruction.h"
#include "nestrt/status.h"

namespace nestrt::evta {

// Returns the result of handler.load(Transfer), store(Transfer), gemm(Gemm) or alu(Alu). FINISH calls nothing.
template <typename Handler>
Status dispatch(const Instruction& instruction, Handler& handler) {
  switch (instruction.opcode) {
    case Opcode::kLoad:
      return handler.load(instruction.transfer());
    case Opcode::kStore:
      return handler.store(instruction.transfer());
    case Opcode::kGemm:
      return handler.gemm(instruction.gemm());
    case Opcode::kAlu:
      return handler.alu(instruction.alu());
    case Opcode::kFinish:
      break;
  }
  return {};
}

}  // namespace nestrt::evta
