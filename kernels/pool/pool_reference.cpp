#include <cmath>
#include <limits>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/pool/pool.h"

namespace nestrt::kernels {
namespace {

// Calls visit(position) for every element of the window that lies in the plane.
template <typename Visit>
void for_each_in_window(const PoolParameters& pool, const PoolWindow& d, const PoolWindow& h, const PoolWindow& w,
                        Visit visit) {
  const auto& axes = pool.axes;
  for (int64_t i = 0; i < d.count; ++i)
    for (int64_t j = 0; j < h.count; ++j)
      for (int64_t k = 0; k < w.count; ++k)
        visit(((d.first + i * axes[0].dilation) * axes[1].input + h.first + j * axes[1].dilation) * axes[2].input +
              w.first + k * axes[2].dilation);
}

template <typename T>
struct Maximum {
  T operator()(const PoolParameters& pool, const T* plane, const PoolWindow& d, const PoolWindow& h,
               const PoolWindow& w) const {
    using Limits = std::numeric_limits<T>;
    T best = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    for_each_in_window(pool, d, h, w, [&](int64_t at) { best = plane[at] > best ? plane[at] : best; });
    return best;
  }
};

struct Average {
  float operator()(const PoolParameters& pool, const float* plane, const PoolWindow& d, const PoolWindow& h,
                   const PoolWindow& w) const {
    float sum = 0;
    for_each_in_window(pool, d, h, w, [&](int64_t at) { sum += plane[at]; });
    const int64_t divisor = d.divisor * h.divisor * w.divisor;
    return divisor == 0 ? 0.0f : sum / static_cast<float>(divisor);
  }
};

struct AverageS8 {
  ops::Rounding rounding;

  int8_t operator()(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d, const PoolWindow& h,
                    const PoolWindow& w) const {
    int32_t sum = 0;
    for_each_in_window(pool, d, h, w, [&](int64_t at) { sum += plane[at]; });
    return s8::average(sum, d.divisor * h.divisor * w.divisor, rounding);
  }
};

struct AverageS8c {
  s8c::Affine from, to;

  int8_t operator()(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d, const PoolWindow& h,
                    const PoolWindow& w) const {
    int32_t sum = 0;
    for_each_in_window(pool, d, h, w, [&](int64_t at) { sum += plane[at] - from.zero_point; });
    return s8c::average(sum, d.divisor * h.divisor * w.divisor, from.scale, to);
  }
};

struct LpNorm {
  float operator()(const PoolParameters& pool, const float* plane, const PoolWindow& d, const PoolWindow& h,
                   const PoolWindow& w) const {
    double sum = 0;
    for_each_in_window(pool, d, h, w, [&](int64_t at) { sum += std::pow(std::abs(double{plane[at]}), pool.p); });
    return static_cast<float>(std::pow(sum, 1.0 / pool.p));
  }
};

template <typename T, typename Reduce>
Result<std::unique_ptr<Kernel>> pool_with(const PoolParameters& parameters, Reduce reduce) {
  return make_kernel([pool = parameters, reduce](const KernelCall& call) {
    const auto& axes = pool.axes;
    parallel_ranges(*call.parallel, pool.planes, pool.input_plane(), [&](int64_t first, int64_t last) {
      T* output = call.output<T>(0) + first * pool.output_plane();
      for (int64_t plane = first; plane < last; ++plane) {
        const T* input = call.input<T>(0) + plane * pool.input_plane();
        for (int64_t d = 0; d < axes[0].output; ++d)
          for (int64_t h = 0; h < axes[1].output; ++h)
            for (int64_t w = 0; w < axes[2].output; ++w)
              *output++ = reduce(pool, input, axes[0].window(d), axes[1].window(h), axes[2].window(w));
      }
    });
  });
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_pool_reference(const OperatorSpec& spec) {
  const DataType type = spec.inputs[0].type;
  const PoolParameters parameters = pool_parameters(spec);
  if (type == DataType::kS8 && parameters.kind == ops::PoolKind::kAverage) {
    if (!s8c::has_scales(spec.inputs[0]))
      return pool_with<int8_t>(parameters, AverageS8{spec.as<ops::Pool>()->rounding});
    NESTRT_ASSIGN_OR_RETURN(const s8c::Affine from, s8c::affine_of(spec.inputs[0], "the input"));
    NESTRT_ASSIGN_OR_RETURN(const s8c::Affine to, s8c::affine_of(spec.outputs[0], "the output"));
    return pool_with<int8_t>(parameters, AverageS8c{from, to});
  }
  if (type == DataType::kS8) return pool_with<int8_t>(parameters, Maximum<int8_t>());
  if (type == DataType::kU8) return pool_with<uint8_t>(parameters, Maximum<uint8_t>());
  if (parameters.kind == ops::PoolKind::kAverage) return pool_with<float>(parameters, Average());
  if (parameters.kind == ops::PoolKind::kLp) return pool_with<float>(parameters, LpNorm());
  return pool_with<float>(parameters, Maximum<float>());
}

}  // namespace nestrt::kernels
