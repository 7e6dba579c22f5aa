// Design: whose RTL a build of the accelerator is of. All compute the same, but for programs that one of them computes
// wrongly; which those are was measured on the RTL of both (docs/concepts/evta-programs.md).
#pragma once

#include <cstdint>

namespace nestrt::evta {

enum class Design : uint8_t {
  kHls,     // VTA's HLS source, from which the boards' bitstreams are made, and EVTA's lineage
  kChisel,  // VTA's Chisel source of 2021 or later
};

// How many steps of a GEMM or ALU loop before a step have not written yet when it reads.
constexpr int late_gemm_steps(Design design) { return design == Design::kHls ? 2 : 0; }
constexpr int late_alu_steps(Design design) { return design == Design::kHls ? 2 : 1; }

}  // namespace nestrt::evta
