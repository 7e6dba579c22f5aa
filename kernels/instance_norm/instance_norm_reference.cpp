#include <cmath>

#include "kernels/common/function_kernel.h"
#include "kernels/common/moments.h"
#include "kernels/common/parallel_ranges.h"
#include "kernels/common/rules.h"
#include "kernels/instance_norm/instance_norm.h"

namespace nestrt::kernels {
namespace {

void normalize(const float* x, float* y, int64_t count, double epsilon, float scale, float bias) {
  const Moments m = moments(x, count);
  const double factor = scale / std::sqrt(m.variance + epsilon);
  for (int64_t i = 0; i < count; ++i) y[i] = static_cast<float>((x[i] - m.mean) * factor + bias);
}

}  // namespace

bool accepts_instance_norm_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_instance_norm_reference(const OperatorSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const int64_t images = shape[0], channels = shape[1], spatial = shape.product(2, shape.rank());
  const double epsilon = spec.op->attributes_as_InstanceNorm()->epsilon();
  return make_kernel([images, channels, spatial, epsilon](const KernelCall& call) {
    const float *x = call.input<float>(0), *scale = call.input<float>(1), *bias = call.input<float>(2);
    float* y = call.output<float>(0);
    parallel_ranges(*call.parallel, images * channels, spatial, [&](int64_t first, int64_t last) {
      for (int64_t plane = first; plane < last; ++plane) {
        const int64_t c = plane % channels;
        normalize(x + plane * spatial, y + plane * spatial, spatial, epsilon, scale[c], bias[c]);
      }
    });
  });
}

}  // namespace nestrt::kernels
