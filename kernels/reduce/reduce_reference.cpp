// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/strided.h"
#include "kernels/reduce/reduce.h"

namespace nestrt::kernels {
namespace {

using Kind = ops::ReduceKind;

// Returns the reduction of the elements of `axes`, starting at x.
template <typename T>
using Reduction = T (*)(const T* x, const StridedAxes& axes);

// Makes a kernel. All reductions of a type share its code, to limit code size.
template <typename T>
Result<std::unique_ptr<Kernel>> reduce_kernel(const OperatorSpec& spec, Reduction<T> reduce) {
  if (reduce == nullptr) return Status(Code::kInternal, "a reduction without an integer version reached prepare");
  const Shape& shape = spec.inputs[0].shape;
  const uint32_t mask = reduced_axes(spec);
  return make_kernel(
      [reduced = strided_axes(shape, mask), kept = strided_axes(shape, ~mask), reduce](const KernelCall& call) {
        const T* x = call.input<T>(0);
        T* y = call.output<T>(0);
        parallel_ranges(*call.parallel, kept.count(), reduced.count(), [&](int64_t first, int64_t last) {
          // An empty input has no addresses to step through.
          const bool none = reduced.count() == 0;
          for (int64_t i = first; i < last; ++i) y[i] = reduce(none ? x : x + kept.offset(i), reduced);
        });
      });
}

template <typename T, typename Accumulator, typename Step>
Accumulator fold(const T* x, const StridedAxes& axes, Accumulator start, Step step) {
  Accumulator accumulator = start;
  for_each_offset(axes, [&](int64_t offset) { accumulator = step(accumulator, x[offset]); });
  return accumulator;
}

template <typename T>
bool is_nan(T x) {
  return x != x;
}

template <typename T>
T largest(const T* x, const StridedAxes& axes) {
  using Limits = std::numeric_limits<T>;
  const T lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  return fold(x, axes, lowest, [](T a, T b) { return b > a || is_nan(b) ? b : a; });
}

template <typename T>
T smallest(const T* x, const StridedAxes& axes) {
  using Limits = std::numeric_limits<T>;
  const T highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  return fold(x, axes, highest, [](T a, T b) { return b < a || is_nan(b) ? b : a; });
}

double sum(const float* x, const StridedAxes& axes) {
  return fold(x, axes, 0.0, [](double a, float b) { return a + b; });
}
double sum_of_squares(const float* x, const StridedAxes& axes) {
  return fold(x, axes, 0.0, [](double a, float b) { return a + static_cast<double>(b) * b; });
}

double log_sum_exp(const float* x, const StridedAxes& axes) {
  const float top = largest(x, axes);
  const double shift = std::isfinite(top) ? top : 0.0;
  return shift + std::log(fold(x, axes, 0.0, [shift](double a, float b) { return a + std::exp(b - shift); }));
}

// Rounds the result of a function in double to f32.
template <double (*kReduce)(const float* x, const StridedAxes& axes)>
float rounded(const float* x, const StridedAxes& axes) {
  return static_cast<float>(kReduce(x, axes));
}

double mean(const float* x, const StridedAxes& axes) { return sum(x, axes) / static_cast<double>(axes.count()); }
double sum_of_magnitudes(const float* x, const StridedAxes& axes) {
  return fold(x, axes, 0.0, [](double a, float b) { return a + std::abs(b); });
}
double length(const float* x, const StridedAxes& axes) { return std::sqrt(sum_of_squares(x, axes)); }
double product(const float* x, const StridedAxes& axes) {
  return fold(x, axes, 1.0, [](double a, float b) { return a * b; });
}
double log_sum(const float* x, const StridedAxes& axes) { return std::log(sum(x, axes)); }

Reduction<float> f32_reduction(Kind kind) {
  switch (kind) {
    case Kind::kMean:
      return rounded<mean>;
    case Kind::kSum:
      return rounded<sum>;
    case Kind::kMax:
      return largest<float>;
    case Kind::kMin:
      return smallest<float>;
    case Kind::kL1:
      return rounded<sum_of_magnitudes>;
    case Kind::kL2:
      return rounded<length>;
    case Kind::kProd:
      return rounded<product>;
    case Kind::kSumSquare:
      return rounded<sum_of_squares>;
    case Kind::kLogSum:
      return rounded<log_sum>;
    case Kind::kLogSumExp:
      return rounded<log_sum_exp>;
  }
  return nullptr;
}

// Sums and products are computed in the unsigned type, so that overflow wraps.
template <typename T>
T wrapping_sum(const T* x, const StridedAxes& axes) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(fold(x, axes, U{0}, [](U a, T b) { return a + static_cast<U>(b); }));
}
template <typename T>
T wrapping_product(const T* x, const StridedAxes& axes) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(fold(x, axes, U{1}, [](U a, T b) { return a * static_cast<U>(b); }));
}
template <typename T>
T integer_mean(const T* x, const StridedAxes& axes) {
  const int64_t count = axes.count();
  return count == 0 ? T{0} : static_cast<T>(static_cast<int64_t>(wrapping_sum(x, axes)) / count);
}

// Returns null for kinds that support only floats.
template <typename T>
Reduction<T> integer_reduction(Kind kind) {
  switch (kind) {
    case Kind::kSum:
      return wrapping_sum<T>;
    case Kind::kMean:
      return integer_mean<T>;
    case Kind::kMax:
      return largest<T>;
    case Kind::kMin:
      return smallest<T>;
    case Kind::kProd:
      return wrapping_product<T>;
    default:
      return nullptr;
  }
}

}  // namespace

bool accepts_reduce_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_reduce_reference(const OperatorSpec& spec) {
  const Kind kind = spec.as<ops::Reduce>()->kind;
  switch (spec.inputs[0].type) {
    case DataType::kF32:
      return reduce_kernel(spec, f32_reduction(kind));
    case DataType::kS32:
      return reduce_kernel(spec, integer_reduction<int32_t>(kind));
    default:
      return reduce_kernel(spec, integer_reduction<int64_t>(kind));
  }
}

}  // namespace nestrt::kernels
