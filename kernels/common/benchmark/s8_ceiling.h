// The fastest that a core multiplies and adds bytes, measured: what benchmarks compare s8 kernels with.
#pragma once

namespace nestrt::kernels {

// 10^9 operations (two for each product) a second of one core on the current instruction set, with its dot products of
// bytes where it has them; measured on the first call for each.
double s8_ceiling_gops();

}  // namespace nestrt::kernels
