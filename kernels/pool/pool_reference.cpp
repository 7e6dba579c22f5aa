// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/pool/pool.h"

namespace nestrt::kernels {
namespace {

// Calls visit(position) for every element of the window that is inside the plane.
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

// Reduces every window. `start`: the value of an empty window. add(sum, x) adds an element, and finish(sum, divisor)
// returns the output. `divisor` is 0 except for averages.
template <typename T, typename Sum, typename Add, typename Finish>
Result<std::unique_ptr<Kernel>> pool_with(const PoolParameters& parameters, Sum start, Add add, Finish finish) {
  const auto reduce = [=](const PoolParameters& pool, const T* plane, const PoolWindow& d, const PoolWindow& h,
                          const PoolWindow& w) {
    Sum sum = start;
    for_each_in_window(pool, d, h, w, [&](int64_t at) { sum = add(sum, plane[at]); });
    return finish(sum, pool.kind == ops::PoolKind::kAverage ? d.divisor * h.divisor * w.divisor : 0);
  };
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

template <typename T>
Result<std::unique_ptr<Kernel>> maxima(const PoolParameters& pool) {
  using Limits = std::numeric_limits<T>;
  const T lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  return pool_with<T>(
      pool, lowest, [](T best, T x) { return x > best ? x : best; }, [](T best, int64_t) { return best; });
}

Result<std::unique_ptr<Kernel>> averages(const PoolParameters& pool) {
  return pool_with<float>(
      pool, 0.0f, [](float sum, float x) { return sum + x; },
      [](float sum, int64_t divisor) { return divisor == 0 ? 0.0f : sum / static_cast<float>(divisor); });
}

Result<std::unique_ptr<Kernel>> averages_s8(const PoolParameters& pool, ops::Rounding rounding) {
  return pool_with<int8_t>(
      pool, int32_t{0}, [](int32_t sum, int8_t x) { return sum + x; },
      [rounding](int32_t sum, int64_t divisor) { return s8::average(sum, divisor, rounding); });
}

Result<std::unique_ptr<Kernel>> averages_s8c(const OperatorSpec& spec, const PoolParameters& pool) {
  NESTRT_ASSIGN_OR_RETURN(const s8c::Affine from, s8c::affine_of(spec.inputs[0], "the input"));
  NESTRT_ASSIGN_OR_RETURN(const s8c::Affine to, s8c::affine_of(spec.outputs[0], "the output"));
  const auto add = [zero = from.zero_point](int32_t sum, int8_t x) { return sum + x - zero; };
  const ops::Rounding rounding = spec.as<ops::Pool>()->rounding;
  if (!ops::has_exponent_form(rounding))
    return pool_with<int8_t>(pool, int32_t{0}, add, [to, rounding](int32_t sum, int64_t divisor) {
      return s8c::exact_average(sum, divisor, to.zero_point, rounding);
    });
  return pool_with<int8_t>(pool, int32_t{0}, add, [scale = from.scale, to](int32_t sum, int64_t divisor) {
    return s8c::average(sum, divisor, scale, to);
  });
}

Result<std::unique_ptr<Kernel>> norms(const PoolParameters& pool) {
  return pool_with<float>(
      pool, 0.0, [p = pool.p](double sum, float x) { return sum + std::pow(std::abs(double{x}), p); },
      [p = pool.p](double sum, int64_t) { return static_cast<float>(std::pow(sum, 1.0 / p)); });
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_pool_reference(const OperatorSpec& spec) {
  const DataType type = spec.inputs[0].type;
  const PoolParameters parameters = pool_parameters(spec);
  if (parameters.kind == ops::PoolKind::kLp) return norms(parameters);
  const bool is_average = parameters.kind == ops::PoolKind::kAverage;
  if (type == DataType::kF32) return is_average ? averages(parameters) : maxima<float>(parameters);
  if (type == DataType::kU8) return maxima<uint8_t>(parameters);
  if (!is_average) return maxima<int8_t>(parameters);
  return s8c::has_scales(spec.inputs[0]) ? averages_s8c(spec, parameters)
                                         : averages_s8(parameters, spec.as<ops::Pool>()->rounding);
}

}  // namespace nestrt::kernels
