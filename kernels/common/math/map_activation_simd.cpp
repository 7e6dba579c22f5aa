// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/math/map_activation_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/activation-inl.h"
#include "kernels/common/simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

void map_activation(const Activation& activation, const float* x, float* y, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto alpha = hn::Set(d, activation.alpha), beta = hn::Set(d, activation.beta);
  with_activation(activation.kind, [&](auto kind) HWY_ATTR {
    transform(x, y, count, [&](auto v) HWY_ATTR { return activate<kind()>(d, v, alpha, beta); });
  });
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
