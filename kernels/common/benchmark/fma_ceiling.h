// The fastest that a core multiplies and adds, measured: what benchmarks compare kernels with.
#pragma once

namespace nestrt::kernels {

// GFLOP/s of one core on the current instruction set, measured on the first call for each.
double fma_ceiling_gflops();

}  // namespace nestrt::kernels
