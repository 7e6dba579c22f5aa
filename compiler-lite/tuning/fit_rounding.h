// SPDX-License-Identifier: Apache-2.0
// Rounding of weights that keeps the outputs of a product, rather than each weight, close to f32.
#pragma once

#include <span>

#include "compiler-lite/tuning/patches.h"

namespace nestrt::compiler {

struct FittedProduct {
  PatchMatrix weights;          // one row per output; multiples of the output's step
  Eigen::VectorXf bias_change;  // by output
};

// Rounds each weight up or down so that the outputs for the rows of `actual`, with the returned change of the bias, are
// as close to those of `weights` for the rows of `expected` as coordinate descent finds, in squared error. This is the
// objective of M. Nagel et al., Up or Down? Adaptive Rounding for Post-Training Quantization, 2020, with the
// quantization error of the input included. Deterministic.
// `exponents`: by output; a weight is a multiple of 2^-exponent in 8 bits.
// Requires: matrices of equal size, at least one row; one weight row per output, of the same number of columns.
FittedProduct fit_rounding(const PatchMatrix& weights, std::span<const int> exponents, const PatchMatrix& expected,
                           const PatchMatrix& actual);

}  // namespace nestrt::compiler
