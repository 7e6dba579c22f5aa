#include <cmath>

#include "kernels/common/function_kernel.h"
#include "kernels/common/rules.h"
#include "kernels/common/slices.h"
#include "kernels/lp_norm/lp_norm.h"

namespace nestrt::kernels {
namespace {

void normalize(const float* x, float* y, int64_t length, int64_t step, int p) {
  double sum = 0;
  for (int64_t i = 0; i < length; ++i) {
    const double value = x[i * step];
    sum += p == 1 ? std::abs(value) : value * value;
  }
  const double norm = p == 1 ? sum : std::sqrt(sum);
  for (int64_t i = 0; i < length; ++i) y[i * step] = norm == 0 ? 0.0f : static_cast<float>(x[i * step] / norm);
}

}  // namespace

bool accepts_lp_norm_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_lp_norm_reference(const OperatorSpec& spec) {
  const plan::LpNorm& attributes = *spec.op->attributes_as_LpNorm();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis());
  return make_kernel([extents, p = attributes.p()](const KernelCall& call) {
    const float* x = call.input<float>(0);
    float* y = call.output<float>(0);
    for_each_slice(*call.parallel, extents,
                   [&](int64_t, int64_t start) { normalize(x + start, y + start, extents.length, extents.inner, p); });
  });
}

}  // namespace nestrt::kernels
