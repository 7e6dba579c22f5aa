// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <type_traits>

#include "kernels/binary/binary.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/broadcast.h"
#include "kernels/common/math/activation.h"
#include "kernels/common/quantization/s8c_operands.h"

namespace nestrt::kernels {
namespace {

using Kind = ops::BinaryKind;

template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

// Computes integers in the unsigned type of the same size, so that overflow wraps.
template <typename T, typename Function>
T wrapping(T a, T b, Function function) {
  if constexpr (kIsFloat<T>) {
    return function(a, b);
  } else {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(function(static_cast<U>(a), static_cast<U>(b)));
  }
}

template <typename T>
T multiply(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x * y; });
}

template <typename T>
T divide(T a, T b) {
  if constexpr (kIsFloat<T>)
    return a / b;
  else if (b == 0)
    return 0;
  else if (b == -1)
    return multiply(a, b);  // wraps, because the smallest value has no opposite
  else
    return a / b;
}

template <typename T>
T remainder(T a, T b) {
  if constexpr (kIsFloat<T>)
    return std::fmod(a, b);
  else
    return b == 0 || b == -1 ? T{0} : static_cast<T>(a % b);
}

// The result has the sign of the divisor.
template <typename T>
T modulo(T a, T b) {
  const T rest = remainder(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
}

template <typename T>
T power(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return std::pow(a, b);
  } else {
    if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
    T result = 1;
    for (T base = a; b > 0; b /= 2, base = multiply(base, base))
      if (b % 2 == 1) result = multiply(result, base);
    return result;
  }
}

// A negative count shifts all bits out. Right shifts extend the sign.
template <typename T>
T shift(T a, T b, bool left) {
  constexpr int kBits = 8 * sizeof(T);
  const bool all = b < 0 || b >= kBits;
  if (left) return all ? T{0} : static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << b);
  return a >> (all ? kBits - 1 : b);
}

template <typename T>
bool is_nan(T x) {
  return x != x;
}

// A run of result elements, with the addresses and steps of both operands.
struct Run {
  const std::byte *a, *b;
  std::byte* y;
  int64_t length, step_a, step_b;
};

template <typename In, typename Out, typename Function>
void compute(const Run& run, const Function& function) {
  const auto *a = reinterpret_cast<const In*>(run.a), *b = reinterpret_cast<const In*>(run.b);
  auto* y = reinterpret_cast<Out*>(run.y);
  for (int64_t i = 0; i < run.length; ++i) y[i] = static_cast<Out>(function(a[i * run.step_a], b[i * run.step_b]));
}

template <typename In, typename Out, typename Function>
void compute_stateless(const Run& run) {
  compute<In, Out>(run, Function());
}

// Calls body(run) for all runs of the output.
template <typename Body>
Result<std::unique_ptr<Kernel>> run_kernel(const OperatorSpec& spec, Body body) {
  const Shape& shape = spec.outputs[0].shape;
  const auto loop = make_broadcast_loop<2>(shape, {&spec.inputs[0].shape, &spec.inputs[1].shape});
  const int64_t in_bytes = size_bytes(spec.inputs[0].type), out_bytes = size_bytes(spec.outputs[0].type);
  return make_kernel([=, count = shape.num_elements()](const KernelCall& call) {
    const auto *a = call.input<std::byte>(0), *b = call.input<std::byte>(1);
    auto* y = call.output<std::byte>(0);
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      for_each_run(loop, first, last, [&](int64_t out, const auto& offsets, int64_t length) {
        body({a + offsets[0] * in_bytes, b + offsets[1] * in_bytes, y + out * out_bytes, length, loop.inner_stride(0),
              loop.inner_stride(1)});
      });
    });
  });
}

// Returns a kernel that can run any of the functions. A separate kernel for each function and type would be too many.
Result<std::unique_ptr<Kernel>> function_kernel(const OperatorSpec& spec, void (*function)(const Run&)) {
  const bool is_float = spec.outputs[0].type == DataType::kF32;
  const Activation activation = is_float ? spec.as<ops::Binary>()->activation : Activation{};
  return run_kernel(spec, [=](const Run& run) {
    function(run);
    if (!is_float) return;
    auto* const results = reinterpret_cast<float*>(run.y);
    for (int64_t i = 0; i < run.length; ++i) results[i] = apply_activation(activation, results[i]);
  });
}

template <typename T, typename Function>
Result<std::unique_ptr<Kernel>> arithmetic(const OperatorSpec& spec, Function /*function*/) {
  return function_kernel(spec, compute_stateless<T, T, Function>);
}

template <typename T, typename Function>
Result<std::unique_ptr<Kernel>> comparison(const OperatorSpec& spec, Function /*function*/) {
  return function_kernel(spec, compute_stateless<T, uint8_t, Function>);
}

Result<std::unique_ptr<Kernel>> no_such_kind() {
  return Status(Code::kInternal, "a binary kind reached prepare with a type that it does not support");
}

template <typename T>
Result<std::unique_ptr<Kernel>> prepare_bits(const OperatorSpec& spec) {
  switch (spec.as<ops::Binary>()->kind) {
    case Kind::kBitwiseAnd:
      return arithmetic<T>(spec, [](T a, T b) { return a & b; });
    case Kind::kBitwiseOr:
      return arithmetic<T>(spec, [](T a, T b) { return a | b; });
    case Kind::kBitwiseXor:
      return arithmetic<T>(spec, [](T a, T b) { return a ^ b; });
    case Kind::kShiftLeft:
      return arithmetic<T>(spec, [](T a, T b) { return shift(a, b, true); });
    case Kind::kShiftRight:
      return arithmetic<T>(spec, [](T a, T b) { return shift(a, b, false); });
    default:
      return no_such_kind();
  }
}

template <typename T>
Result<std::unique_ptr<Kernel>> prepare_numbers(const OperatorSpec& spec) {
  const auto wrap = []<typename F>(F) { return [](T a, T b) { return wrapping(a, b, F()); }; };
  switch (spec.as<ops::Binary>()->kind) {
    case Kind::kAdd:
      return arithmetic<T>(spec, wrap([](auto a, auto b) { return a + b; }));
    case Kind::kSub:
      return arithmetic<T>(spec, wrap([](auto a, auto b) { return a - b; }));
    case Kind::kMul:
      return arithmetic<T>(spec, [](T a, T b) { return multiply(a, b); });
    case Kind::kDiv:
      return arithmetic<T>(spec, [](T a, T b) { return divide(a, b); });
    case Kind::kPow:
      return arithmetic<T>(spec, [](T a, T b) { return power(a, b); });
    case Kind::kMin:
      return arithmetic<T>(spec, [](T a, T b) { return a < b || is_nan(a) ? a : b; });
    case Kind::kMax:
      return arithmetic<T>(spec, [](T a, T b) { return a > b || is_nan(a) ? a : b; });
    case Kind::kPrelu:
      return arithmetic<T>(spec, [](T a, T b) { return a >= 0 ? a : multiply(a, b); });
    case Kind::kMod:
      return arithmetic<T>(spec, [](T a, T b) { return modulo(a, b); });
    case Kind::kFmod:
      return arithmetic<T>(spec, [](T a, T b) { return remainder(a, b); });
    case Kind::kEqual:
      return comparison<T>(spec, [](T a, T b) { return a == b; });
    case Kind::kLess:
      return comparison<T>(spec, [](T a, T b) { return a < b; });
    case Kind::kLessOrEqual:
      return comparison<T>(spec, [](T a, T b) { return a <= b; });
    case Kind::kGreater:
      return comparison<T>(spec, [](T a, T b) { return a > b; });
    case Kind::kGreaterOrEqual:
      return comparison<T>(spec, [](T a, T b) { return a >= b; });
    default:
      if constexpr (kIsFloat<T>)
        return no_such_kind();
      else
        return prepare_bits<T>(spec);
  }
}

template <typename Add>
Result<std::unique_ptr<Kernel>> s8_kernel(const OperatorSpec& spec, Add add) {
  return run_kernel(spec, [add](const Run& run) { compute<int8_t, int8_t>(run, add); });
}

Result<std::unique_ptr<Kernel>> prepare_s8c(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const s8c::BinaryFactors factors, s8c::binary_factors(spec));
  return s8_kernel(spec, [factors](int8_t a, int8_t b) { return s8c::combine(factors, a, b); });
}

Result<std::unique_ptr<Kernel>> prepare_s8(const OperatorSpec& spec) {
  if (s8c::has_scales(spec.inputs[0])) return prepare_s8c(spec);
  const ops::Binary& attributes = *spec.as<ops::Binary>();
  NESTRT_ASSIGN_OR_RETURN(const s8::AddShifts shifts, s8::binary_shifts(spec));
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.outputs[0], "the output"));
  const s8::Bounds bounds = s8::activation_bounds(attributes.activation, exponent, attributes.rounding);
  return s8_kernel(spec, [shifts, rounding = attributes.rounding, bounds](int8_t a, int8_t b) {
    return s8::add(a, b, shifts, rounding, bounds);
  });
}

Result<std::unique_ptr<Kernel>> prepare_booleans(const OperatorSpec& spec) {
  const auto logical = [&]<typename F>(F) {
    return comparison<uint8_t>(spec, [](uint8_t a, uint8_t b) { return F()(a != 0, b != 0); });
  };
  switch (spec.as<ops::Binary>()->kind) {
    case Kind::kEqual:
      return logical([](bool a, bool b) { return a == b; });
    case Kind::kLogicalAnd:
      return logical([](bool a, bool b) { return a && b; });
    case Kind::kLogicalOr:
      return logical([](bool a, bool b) { return a || b; });
    case Kind::kLogicalXor:
      return logical([](bool a, bool b) { return a != b; });
    default:
      return no_such_kind();
  }
}

}  // namespace

bool accepts_binary_reference(const OperatorSpec& spec) { return is_plain(spec); }

Result<std::unique_ptr<Kernel>> prepare_binary_reference(const OperatorSpec& spec) {
  switch (spec.inputs[0].type) {
    case DataType::kF32:
      return prepare_numbers<float>(spec);
    case DataType::kS8:
      return prepare_s8(spec);
    case DataType::kS32:
      return prepare_numbers<int32_t>(spec);
    case DataType::kS64:
      return prepare_numbers<int64_t>(spec);
    case DataType::kBool:
      return prepare_booleans(spec);
    default:
      return no_such_kind();
  }
}

}  // namespace nestrt::kernels
