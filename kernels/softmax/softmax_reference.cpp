// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/slices.h"
#include "kernels/softmax/softmax.h"

namespace nestrt::kernels {
namespace {

// Computes one slice of `length` elements that are `step` apart.
void softmax_slice(const float* x, float* y, int64_t length, int64_t step, bool log) {
  float largest = -std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < length; ++i) largest = x[i * step] > largest ? x[i * step] : largest;
  double sum = 0;
  for (int64_t i = 0; i < length; ++i) sum += std::exp(static_cast<double>(x[i * step]) - largest);
  const double log_sum = std::log(sum);
  for (int64_t i = 0; i < length; ++i) {
    const double shifted = static_cast<double>(x[i * step]) - largest;
    y[i * step] = static_cast<float>(log ? shifted - log_sum : std::exp(shifted) / sum);
  }
}

}  // namespace

bool accepts_softmax_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_softmax_reference(const OperatorSpec& spec) {
  const ops::Softmax& attributes = *spec.as<ops::Softmax>();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis);
  return make_kernel([extents, log = attributes.log](const KernelCall& call) {
    const float* x = call.input<float>(0);
    float* y = call.output<float>(0);
    for_each_slice(*call.parallel, extents, [&](int64_t, int64_t start) {
      softmax_slice(x + start, y + start, extents.length, extents.inner, log);
    });
  });
}

}  // namespace nestrt::kernels
