// SPDX-License-Identifier: Apache-2.0
// Design: the RTL of a build of the accelerator. All designs compute the same results, except for programs that one of
// them computes incorrectly. Measurements on the RTL of both designs determined which (docs/concepts/evta-programs.md).
#pragma once

#include <cstdint>

namespace nestrt::evta {

enum class Design : uint8_t {
  kHls,     // VTA's HLS source, the base of EVTA and of the boards' bitstreams
  kChisel,  // VTA's Chisel source of 2021 or later
};

// Number of preceding steps of a GEMM or ALU loop that have not yet written their results when a step reads.
constexpr int late_gemm_steps(Design design) { return design == Design::kHls ? 2 : 0; }
constexpr int late_alu_steps(Design design) { return design == Design::kHls ? 2 : 1; }

}  // namespace nestrt::evta
