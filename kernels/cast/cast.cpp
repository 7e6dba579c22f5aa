// SPDX-License-Identifier: Apache-2.0
#include "kernels/cast/cast.h"

#include <string>
#include <type_traits>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/math/saturate.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  return single_output(spec.as<ops::Cast>()->to, spec.inputs[0].shape);
}

template <typename To, typename From>
To convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From{};
  } else if constexpr (std::is_same_v<From, float> && std::is_integral_v<To>) {
    return saturate_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// In memory a boolean is a byte; every value except 0 is true.
template <typename T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

// Casts `count` elements.
using CastFunction = void (*)(const std::byte* from, std::byte* to, int64_t count);

template <typename From, typename To>
void cast_elements(const std::byte* from, std::byte* to, int64_t count) {
  const auto* x = reinterpret_cast<const Stored<From>*>(from);
  auto* y = reinterpret_cast<Stored<To>*>(to);
  for (int64_t i = 0; i < count; ++i) y[i] = static_cast<Stored<To>>(convert<To>(static_cast<From>(x[i])));
}

template <typename From>
CastFunction cast_from(DataType to) {
  switch (to) {
    case DataType::kF32:
      return cast_elements<From, float>;
    case DataType::kS8:
      return cast_elements<From, int8_t>;
    case DataType::kU8:
      return cast_elements<From, uint8_t>;
    case DataType::kS32:
      return cast_elements<From, int32_t>;
    case DataType::kS64:
      return cast_elements<From, int64_t>;
    case DataType::kBool:
      return cast_elements<From, bool>;
  }
  return nullptr;
}

CastFunction cast_function(DataType from, DataType to) {
  switch (from) {
    case DataType::kF32:
      return cast_from<float>(to);
    case DataType::kS8:
      return cast_from<int8_t>(to);
    case DataType::kU8:
      return cast_from<uint8_t>(to);
    case DataType::kS32:
      return cast_from<int32_t>(to);
    case DataType::kS64:
      return cast_from<int64_t>(to);
    case DataType::kBool:
      return cast_from<bool>(to);
  }
  return nullptr;
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const DataType from = spec.inputs[0].type, to = spec.outputs[0].type;
  const CastFunction cast = cast_function(from, to);
  if (cast == nullptr) return Status(Code::kInternal, "unknown data type");
  const auto from_size = static_cast<int64_t>(size_bytes(from)), to_size = static_cast<int64_t>(size_bytes(to));
  return make_kernel([cast, from_size, to_size, count = spec.inputs[0].shape.num_elements()](const KernelCall& call) {
    const auto* x = call.input<std::byte>(0);
    auto* y = call.output<std::byte>(0);
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      cast(x + first * from_size, y + first * to_size, last - first);
    });
  });
}

constexpr KernelVariant kKernels[] = {
    {"cast.reference", 0, is_plain, prepare_reference},
    {"cast.simd", 10, accepts_cast_simd, prepare_cast_simd},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Cast>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kCast,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
