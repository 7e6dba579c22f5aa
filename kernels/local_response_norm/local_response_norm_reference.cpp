// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/slices.h"
#include "kernels/local_response_norm/local_response_norm.h"

namespace nestrt::kernels {
namespace {

// Normalizes the channels of one pixel, which are `step` apart.
void normalize_pixel(const float* x, float* y, int64_t channels, int64_t step, const ops::LocalResponseNorm& p) {
  const int64_t before = (p.size - 1) / 2, after = p.size / 2;
  const double factor = static_cast<double>(p.alpha) / p.size;
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t last = std::min(channels - 1, c + after);
    double sum = 0;
    for (int64_t i = std::max<int64_t>(0, c - before); i <= last; ++i)
      sum += static_cast<double>(x[i * step]) * x[i * step];
    y[c * step] = static_cast<float>(x[c * step] / std::pow(p.bias + factor * sum, static_cast<double>(p.beta)));
  }
}

}  // namespace

bool accepts_local_response_norm_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_local_response_norm_reference(const OperatorSpec& spec) {
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, 1);
  return make_kernel([extents, attributes = *spec.as<ops::LocalResponseNorm>()](const KernelCall& call) {
    const float* x = call.input<float>(0);
    float* y = call.output<float>(0);
    for_each_slice(*call.parallel, extents, [&](int64_t, int64_t start) {
      normalize_pixel(x + start, y + start, extents.length, extents.inner, attributes);
    });
  });
}

}  // namespace nestrt::kernels
