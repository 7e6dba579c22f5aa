#include <cmath>

#include "kernels/common/function_kernel.h"
#include "kernels/common/moments.h"
#include "kernels/common/parallel_ranges.h"
#include "kernels/common/rules.h"
#include "kernels/layer_norm/layer_norm.h"

namespace nestrt::kernels {
namespace {

// `bias` may be null.
void normalize(const float* x, float* y, int64_t count, double epsilon, const float* scale, const float* bias) {
  const Moments m = moments(x, count);
  const double factor = 1 / std::sqrt(m.variance + epsilon);
  for (int64_t i = 0; i < count; ++i) {
    const double offset = bias == nullptr ? 0.0 : bias[i];
    y[i] = static_cast<float>((x[i] - m.mean) * factor * scale[i] + offset);
  }
}

}  // namespace

bool accepts_layer_norm_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_layer_norm_reference(const OperatorSpec& spec) {
  const plan::LayerNorm& attributes = *spec.op->attributes_as_LayerNorm();
  const Shape& shape = spec.inputs[0].shape;
  const int axis = attributes.axis() < 0 ? attributes.axis() + shape.rank() : attributes.axis();
  const int64_t rows = shape.product(0, axis), count = shape.product(axis, shape.rank());
  const double epsilon = attributes.epsilon();
  return make_kernel([rows, count, epsilon, has_bias = spec.has_input(2)](const KernelCall& call) {
    const float *x = call.input<float>(0), *scale = call.input<float>(1);
    const float* bias = has_bias ? call.input<float>(2) : nullptr;
    float* y = call.output<float>(0);
    parallel_ranges(*call.parallel, rows, count, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row)
        normalize(x + row * count, y + row * count, count, epsilon, scale, bias);
    });
  });
}

}  // namespace nestrt::kernels
