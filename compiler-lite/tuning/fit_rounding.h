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

// Rounds each weight up or down and adjusts the bias by the returned change. Coordinate descent minimises the squared
// error of the outputs for the rows of `actual` relative to those of `weights` for the rows of `expected`. This is the
// objective of M. Nagel et al., Up or Down? Adaptive Rounding for Post-Training Quantization, 2020, with the
// quantization error of the input included. Deterministic.
// `exponents`: by output; a rounded weight is an 8-bit multiple of 2^-exponent. Requires: `actual` and `expected` have
// equal sizes and at least one row; `weights` contains one row per output, with the same number of columns.
FittedProduct fit_rounding(const PatchMatrix& weights, std::span<const int> exponents, const PatchMatrix& expected,
                           const PatchMatrix& actual);

}  // namespace nestrt::compiler
