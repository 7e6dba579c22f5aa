// SPDX-License-Identifier: Apache-2.0
// Computes the ALU operation on one lane.
#pragma once

#include <algorithm>
#include <cstdint>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {

// Returns the low 5 bits as a signed number.
constexpr int32_t shift_amount(int32_t value) { return ((value & 31) ^ 16) - 16; }

constexpr int32_t shift_right(int32_t value, int32_t amount) {
  const int32_t right = shift_amount(amount);
  return right >= 0 ? value >> right : static_cast<int32_t>(static_cast<uint32_t>(value) << -right);
}

constexpr int32_t wrapping_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

// Returns the result of the operation. kMul, which the hardware does not have, returns `a`.
constexpr int32_t alu_operation(AluOpcode opcode, int32_t a, int32_t b) {
  switch (opcode) {
    case AluOpcode::kMin:
      return std::min(a, b);
    case AluOpcode::kMax:
      return std::max(a, b);
    case AluOpcode::kAdd:
      return wrapping_add(a, b);
    case AluOpcode::kShr:
      return shift_right(a, b);
    case AluOpcode::kMul:
      break;
  }
  return a;
}

}  // namespace nestrt::evta
