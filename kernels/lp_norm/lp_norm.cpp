// SPDX-License-Identifier: Apache-2.0
// LpNorm: divides each slice along one axis by its p-norm, p = 1 or 2. A slice of zeros stays zero. Supports f32.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/layout/slices.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/math/normalize.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const ops::LpNorm& attributes = *spec.as<ops::LpNorm>();
  if (attributes.p != 1 && attributes.p != 2) {
    return rule_error(fmt::format("p is {}, expected 1 or 2", attributes.p));
  }
  const Shape& shape = spec.inputs[0].shape;
  const auto axis = checked_axis(attributes.axis, shape.rank());
  if (!axis) return axis.error();
  return single_output(DataType::kF32, shape);
}

void normalize(const float* x, float* y, int64_t length, int64_t step, int p) {
  double sum = 0;
  for (int64_t i = 0; i < length; ++i) {
    const double value = x[i * step];
    sum += p == 1 ? std::abs(value) : value * value;
  }
  const double norm = p == 1 ? sum : std::sqrt(sum);
  for (int64_t i = 0; i < length; ++i) y[i * step] = norm == 0 ? 0.0f : static_cast<float>(x[i * step] / norm);
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const ops::LpNorm& attributes = *spec.as<ops::LpNorm>();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis);
  return make_kernel([extents, p = attributes.p](const KernelCall& call) {
    const float* x = call.input<float>(0);
    float* y = call.output<float>(0);
    for_each_slice(*call.parallel, extents,
                   [&](int64_t, int64_t start) { normalize(x + start, y + start, extents.length, extents.inner, p); });
  });
}

Result<std::unique_ptr<Kernel>> prepare_rows(const AxisExtents& extents, int p) {
  return make_kernel([extents, p, run = lp_normalize_function()](const KernelCall& call) {
    for_each_slice(*call.parallel, extents, [&](int64_t, int64_t start) {
      run(call.input<float>(0) + start, call.output<float>(0) + start, extents.length, p);
    });
  });
}

constexpr int64_t kColumns = 64;  // slices per call

Result<std::unique_ptr<Kernel>> prepare_columns(const AxisExtents& extents, int p) {
  return make_kernel([extents, p, run = lp_normalize_columns_function()](const KernelCall& call) {
    const int64_t length = extents.length, inner = extents.inner, groups = ceil_div(inner, kColumns);
    parallel_ranges(*call.parallel, extents.outer * groups, length * kColumns, [&](int64_t first, int64_t last) {
      for (int64_t group = first; group < last; ++group) {
        const int64_t column = group % groups * kColumns, start = group / groups * length * inner + column;
        run(call.input<float>(0) + start, call.output<float>(0) + start, std::min(kColumns, inner - column), length,
            inner, p);
      }
    });
  });
}

// Vectorized along the axis if it is innermost, otherwise across the inner elements.
Result<std::unique_ptr<Kernel>> prepare_simd(const OperatorSpec& spec) {
  const ops::LpNorm& attributes = *spec.as<ops::LpNorm>();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis);
  return extents.inner == 1 ? prepare_rows(extents, attributes.p) : prepare_columns(extents, attributes.p);
}

constexpr KernelVariant kKernels[] = {
    {"lp_norm.f32.reference", 0, is_plain, prepare_reference},
    {"lp_norm.f32.simd", 10, is_plain, prepare_simd},
};

}  // namespace

template <>
const OperatorRules& rules<ops::LpNorm>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kLpNorm,
      .infer = infer,
      .macs = no_macs,
      .steps = function_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
