// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/instruction_set.h"

namespace nestrt {

std::string_view name(InstructionSet set) {
  switch (set) {
    case InstructionSet::kPortable:
      return "portable";
    case InstructionSet::kNeon:
      return "neon";
    case InstructionSet::kNeonDotprod:
      return "neon-dotprod";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kAvx512:
      return "avx512";
    case InstructionSet::kAvx512Vnni:
      return "avx512-vnni";
    case InstructionSet::kAvx512Amx:
      return "avx512-amx";
  }
  return {};
}

bool includes(InstructionSet set, InstructionSet needed) {
  if (needed == InstructionSet::kPortable) return true;
  const auto is_arm = [](InstructionSet which) {
    return which == InstructionSet::kNeon || which == InstructionSet::kNeonDotprod;
  };
  return set != InstructionSet::kPortable && is_arm(set) == is_arm(needed) && set >= needed;
}

}  // namespace nestrt
