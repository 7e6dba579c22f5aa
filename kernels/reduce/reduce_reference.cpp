#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/common/function_kernel.h"
#include "kernels/common/parallel_ranges.h"
#include "kernels/common/rules.h"
#include "kernels/common/strided.h"
#include "kernels/reduce/reduce.h"

namespace nestrt::kernels {
namespace {

using Kind = ops::ReduceKind;

// reduce(x, axes): the value of the elements of `axes` from x on.
template <typename T, typename Reduce>
Result<std::unique_ptr<Kernel>> reduce_kernel(const OperatorSpec& spec, Reduce reduce) {
  const Shape& shape = spec.inputs[0].shape;
  const uint32_t mask = reduced_axes(spec);
  return make_kernel(
      [reduced = strided_axes(shape, mask), kept = strided_axes(shape, ~mask), reduce](const KernelCall& call) {
        const T* x = call.input<T>(0);
        T* y = call.output<T>(0);
        parallel_ranges(*call.parallel, kept.count(), reduced.count(), [&](int64_t first, int64_t last) {
          // An input without elements has no addresses to step through.
          const bool none = reduced.count() == 0;
          for (int64_t i = first; i < last; ++i) y[i] = static_cast<T>(reduce(none ? x : x + kept.offset(i), reduced));
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

Result<std::unique_ptr<Kernel>> prepare_f32(const OperatorSpec& spec) {
  const auto make = [&spec](auto reduce) { return reduce_kernel<float>(spec, reduce); };
  switch (spec.as<ops::Reduce>()->kind) {
    case Kind::kMean:
      return make(
          [](const float* x, const StridedAxes& axes) { return sum(x, axes) / static_cast<double>(axes.count()); });
    case Kind::kSum:
      return make(sum);
    case Kind::kMax:
      return make(largest<float>);
    case Kind::kMin:
      return make(smallest<float>);
    case Kind::kL1:
      return make([](const float* x, const StridedAxes& axes) {
        return fold(x, axes, 0.0, [](double a, float b) { return a + std::abs(b); });
      });
    case Kind::kL2:
      return make([](const float* x, const StridedAxes& axes) { return std::sqrt(sum_of_squares(x, axes)); });
    case Kind::kProd:
      return make([](const float* x, const StridedAxes& axes) {
        return fold(x, axes, 1.0, [](double a, float b) { return a * b; });
      });
    case Kind::kSumSquare:
      return make(sum_of_squares);
    case Kind::kLogSum:
      return make([](const float* x, const StridedAxes& axes) { return std::log(sum(x, axes)); });
    case Kind::kLogSumExp:
      return make(log_sum_exp);
  }
  return Status(Code::kInternal, "unknown kind of reduction");
}

// Sums and products in the unsigned type: overflow wraps.
template <typename T>
Result<std::unique_ptr<Kernel>> prepare_integers(const OperatorSpec& spec) {
  using U = std::make_unsigned_t<T>;
  const auto wrapping_sum = [](const T* x, const StridedAxes& axes) {
    return static_cast<T>(fold(x, axes, U{0}, [](U a, T b) { return a + static_cast<U>(b); }));
  };
  switch (spec.as<ops::Reduce>()->kind) {
    case Kind::kSum:
      return reduce_kernel<T>(spec, wrapping_sum);
    case Kind::kMean:
      return reduce_kernel<T>(spec, [=](const T* x, const StridedAxes& axes) {
        const int64_t count = axes.count();
        return count == 0 ? 0 : static_cast<int64_t>(wrapping_sum(x, axes)) / count;
      });
    case Kind::kMax:
      return reduce_kernel<T>(spec, largest<T>);
    case Kind::kMin:
      return reduce_kernel<T>(spec, smallest<T>);
    case Kind::kProd:
      return reduce_kernel<T>(spec, [](const T* x, const StridedAxes& axes) {
        return fold(x, axes, U{1}, [](U a, T b) { return a * static_cast<U>(b); });
      });
    default:
      return Status(Code::kInternal, "a reduction without integers reached prepare");
  }
}

}  // namespace

bool accepts_reduce_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_reduce_reference(const OperatorSpec& spec) {
  switch (spec.inputs[0].type) {
    case DataType::kF32:
      return prepare_f32(spec);
    case DataType::kS32:
      return prepare_integers<int32_t>(spec);
    default:
      return prepare_integers<int64_t>(spec);
  }
}

}  // namespace nestrt::kernels
