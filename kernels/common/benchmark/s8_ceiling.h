// SPDX-License-Identifier: Apache-2.0
// Measured peak rate of s8 multiply-adds on one core, the reference for s8 kernel benchmarks.
#pragma once

namespace nestrt::kernels {

// Returns the peak rate of one core on the current instruction set, in 10^9 operations per second (two per product).
// Uses byte dot products if available. Measured on the first call for each set.
double s8_ceiling_gops();

}  // namespace nestrt::kernels
