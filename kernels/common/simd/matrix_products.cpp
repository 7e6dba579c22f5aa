// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/simd/matrix_products.h"

#include "hwy/detect_targets.h"

#if HWY_ARCH_ARM_A64 && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include <cstdlib>

#include "runtime/core/instruction_set.h"

namespace nestrt::kernels {

bool use_matrix_products() {
  static const bool kUse = [] {
    const char* const limit = std::getenv("NESTRT_ISA");
    const bool is_limited = limit != nullptr && limit == name(InstructionSet::kNeonDotprod);
    return !is_limited && (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
  }();
  return kUse;
}

}  // namespace nestrt::kernels
#else
namespace nestrt::kernels {

bool use_matrix_products() { return false; }

}  // namespace nestrt::kernels
#endif
