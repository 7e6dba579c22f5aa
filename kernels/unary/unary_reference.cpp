#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/common/function_kernel.h"
#include "kernels/common/parallel_ranges.h"
#include "kernels/common/rules.h"
#include "kernels/common/saturate.h"
#include "kernels/unary/unary.h"

namespace nestrt::kernels {
namespace {

using Kind = plan::UnaryKind;

// y[i] = function(x[i]) over the whole tensor.
template <typename In, typename Out, typename Function>
Result<std::unique_ptr<Kernel>> map_kernel(int64_t count, Function function) {
  return make_kernel([count, function](const KernelCall& call) {
    const In* x = call.input<In>(0);
    Out* y = call.output<Out>(0);
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) y[i] = function(x[i]);
    });
  });
}

template <typename T>
T negate(T x) {
  return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(x));
}

template <typename T>
Result<std::unique_ptr<Kernel>> prepare_integers(const plan::Unary& attributes, int64_t count) {
  switch (attributes.kind()) {
    case Kind::relu:
      return map_kernel<T, T>(count, [](T x) { return x < T{0} ? T{0} : x; });
    case Kind::clip: {
      const T low = saturate_cast<T>(attributes.alpha()), high = saturate_cast<T>(attributes.beta());
      return map_kernel<T, T>(count, [low, high](T x) { return std::min(std::max(x, low), high); });
    }
    case Kind::abs:
      return map_kernel<T, T>(count, [](T x) { return x < T{0} ? negate(x) : x; });
    case Kind::neg:
      return map_kernel<T, T>(count, negate<T>);
    case Kind::sign:
      return map_kernel<T, T>(count, [](T x) { return static_cast<T>((x > T{0}) - (x < T{0})); });
    default:
      return Status(Code::kInternal, "a unary kind without integers reached prepare");
  }
}

Result<std::unique_ptr<Kernel>> prepare_f32(const plan::Unary& attributes, int64_t count) {
  const float alpha = attributes.alpha(), beta = attributes.beta();
  if (attributes.kind() == Kind::is_nan) {
    return map_kernel<float, uint8_t>(count, [](float x) { return static_cast<uint8_t>(std::isnan(x)); });
  }
  if (attributes.kind() == Kind::is_inf) {
    const bool negative = alpha != 0, positive = beta != 0;
    return map_kernel<float, uint8_t>(count, [negative, positive](float x) {
      return static_cast<uint8_t>(std::isinf(x) && (x < 0 ? negative : positive));
    });
  }
  const UnaryFunction function = unary_function(attributes.kind());
  return map_kernel<float, float>(count, [function, alpha, beta](float x) { return function(x, alpha, beta); });
}

}  // namespace

bool accepts_unary_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_unary_reference(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  const plan::Unary& attributes = *spec.op->attributes_as_Unary();
  const int64_t count = input.storage_bytes() / static_cast<int64_t>(size_bytes(input.type));
  switch (input.type) {
    case DataType::kF32:
      return prepare_f32(attributes, count);
    case DataType::kS8:
      return prepare_integers<int8_t>(attributes, count);
    case DataType::kU8:
      return prepare_integers<uint8_t>(attributes, count);
    case DataType::kS32:
      return prepare_integers<int32_t>(attributes, count);
    case DataType::kS64:
      return prepare_integers<int64_t>(attributes, count);
    case DataType::kBool:
      return map_kernel<uint8_t, uint8_t>(count, [](uint8_t x) { return static_cast<uint8_t>(x == 0); });
  }
  return Status(Code::kInternal, "unknown data type");
}

}  // namespace nestrt::kernels
