// SPDX-License-Identifier: Apache-2.0
// Measured peak rate of f32 multiply-adds on one core, the reference for f32 kernel benchmarks.
#pragma once

namespace nestrt::kernels {

// Returns the GFLOP/s of one core on the current instruction set, measured on the first call for each set.
double fma_ceiling_gflops();

}  // namespace nestrt::kernels
