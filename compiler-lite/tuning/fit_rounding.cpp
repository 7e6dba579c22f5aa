// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/fit_rounding.h"

#include <algorithm>
#include <cmath>

#include "kernels/common/quantization/s8_arithmetic.h"

namespace nestrt::compiler {
namespace {

constexpr int kMaxPasses = 10;
// Ridge term, as a fraction of the diagonal's mean; it limits overfitting if there are few samples. With 0.01 or 1, the
// noise on held-out samples is higher.
constexpr float kRidge = 0.1F;

class RoundingFitter {
 public:
  RoundingFitter(const PatchMatrix& weights, std::span<const int> exponents) : f32_(weights), exponents_(exponents) {
    rounded_.resize(weights.rows(), weights.cols());
    for (Eigen::Index output = 0; output < weights.rows(); ++output)
      for (Eigen::Index i = 0; i < weights.cols(); ++i) rounded_(output, i) = nearest(output, weights(output, i));
  }

  // `errors`: the errors of the inputs. Both matrices are centered.
  void fit(const PatchMatrix& actual, const PatchMatrix& errors) {
    const float scale = 1 / static_cast<float>(actual.rows());
    PatchMatrix curvature = (actual.transpose() * actual) * scale;
    const float ridge = kRidge * curvature.diagonal().mean();
    if (!(ridge > 0)) return;
    curvature.diagonal().array() += ridge;
    const PatchMatrix output_errors = errors * f32_.transpose();
    PatchMatrix gradient = (rounded_ - f32_) * curvature + (output_errors.transpose() * actual) * scale;
    for (int sweep = 0; sweep < kMaxPasses && descend(curvature, gradient); ++sweep) {
    }
  }

  PatchMatrix take() { return std::move(rounded_); }

 private:
  int exponent(Eigen::Index output) const { return exponents_[static_cast<size_t>(output)]; }

  float nearest(Eigen::Index output, float weight) const {
    return kernels::s8::dequantize(kernels::s8::quantize(weight, exponent(output)), exponent(output));
  }

  // Returns the f32 weight rounded up or down to a multiple of the step, whichever is closer to `wanted`.
  float up_or_down(Eigen::Index output, Eigen::Index i, float wanted) const {
    const float scaled = std::ldexp(f32_(output, i), exponent(output));
    const float low = std::clamp(std::floor(scaled), -128.0F, 127.0F);
    const float high = std::clamp(std::ceil(scaled), -128.0F, 127.0F);
    const float rounded = std::floor(std::ldexp(wanted, exponent(output)) + 0.5F);
    return std::ldexp(std::clamp(rounded, low, high), -exponent(output));
  }

  // Optimises each weight once, given all others. Returns true if a weight changed.
  bool descend(const PatchMatrix& curvature, PatchMatrix& gradient) {
    bool changed = false;
    for (Eigen::Index i = 0; i < f32_.cols(); ++i) {
      for (Eigen::Index output = 0; output < f32_.rows(); ++output) {
        const float wanted = rounded_(output, i) - gradient(output, i) / curvature(i, i);
        const float chosen = up_or_down(output, i, wanted);
        const float change = chosen - rounded_(output, i);
        if (change == 0) continue;
        gradient.row(output) += change * curvature.row(i);
        rounded_(output, i) = chosen;
        changed = true;
      }
    }
    return changed;
  }

  const PatchMatrix& f32_;
  const std::span<const int> exponents_;
  PatchMatrix rounded_;
};

}  // namespace

FittedProduct fit_rounding(const PatchMatrix& weights, std::span<const int> exponents, const PatchMatrix& expected,
                           const PatchMatrix& actual) {
  const Eigen::RowVectorXf mean = actual.colwise().mean();
  const PatchMatrix errors = actual - expected;
  const Eigen::RowVectorXf mean_error = errors.colwise().mean();
  RoundingFitter fitter(weights, exponents);
  fitter.fit(actual.rowwise() - mean, errors.rowwise() - mean_error);
  FittedProduct result{fitter.take(), {}};
  result.bias_change = -((result.weights - weights) * mean.transpose() + weights * mean_error.transpose());
  return result;
}

}  // namespace nestrt::compiler
