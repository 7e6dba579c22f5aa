// SPDX-License-Identifier: Apache-2.0
// Integer kinds. The loops use no intrinsics, because the compiler vectorizes them.
#include <limits>
#include <type_traits>

#include "kernels/common/framework/map_elements.h"
#include "kernels/common/math/saturate.h"
#include "kernels/unary/unary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/unary/unary_integers_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

// U: the unsigned counterpart of T, in which overflow wraps.
template <typename T, typename U = std::make_unsigned_t<T>>
HWY_INLINE void map_integers(ops::UnaryKind kind, T low, T high, const T* x, T* y, int64_t count) {
  using Kind = ops::UnaryKind;
  const auto map = [&](const auto& function) HWY_ATTR {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] = static_cast<T>(function(x[i]));
  };
  switch (kind) {
    case Kind::kAbs:
      return map([](T v) HWY_ATTR { return v < 0 ? U{0} - static_cast<U>(v) : static_cast<U>(v); });
    case Kind::kNeg:
      return map([](T v) HWY_ATTR { return U{0} - static_cast<U>(v); });
    case Kind::kSign:
      return map([](T v) HWY_ATTR { return (v > 0 ? 1 : 0) - (v < 0 ? 1 : 0); });
    case Kind::kBitwiseNot:
      return map([](T v) HWY_ATTR { return ~v; });
    default:
      return map([&](T v) HWY_ATTR {
        const T raised = v < low ? low : v;
        return raised > high ? high : raised;
      });
  }
}

}  // namespace

// `low` and `high`: the bounds of relu and clip.
void map_s32(ops::UnaryKind kind, int32_t low, int32_t high, const int32_t* x, int32_t* y, int64_t count) {
  map_integers(kind, low, high, x, y, count);
}
void map_s64(ops::UnaryKind kind, int64_t low, int64_t high, const int64_t* x, int64_t* y, int64_t count) {
  map_integers(kind, low, high, x, y, count);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(map_s32)
NESTRT_SIMD_EXPORT(map_s64)

namespace {

template <typename T, typename Map>
Result<std::unique_ptr<Kernel>> integer_kernel(const OperatorSpec& spec, Map map) {
  const ops::Unary& attributes = *spec.as<ops::Unary>();
  const bool clips = attributes.kind == ops::UnaryKind::kClip;
  const T low = clips ? saturate_cast<T>(attributes.alpha) : T{0};
  const T high = clips ? saturate_cast<T>(attributes.beta) : std::numeric_limits<T>::max();
  return map_ranges<T, T>(stored_elements(spec.inputs[0]),
                          [=, kind = attributes.kind](auto... operands) { map(kind, low, high, operands...); });
}

}  // namespace

bool accepts_unary_integers(const OperatorSpec& spec) {
  const DataType type = spec.inputs[0].type;
  return (type == DataType::kS32 || type == DataType::kS64) && is_stored_map(spec);
}

Result<std::unique_ptr<Kernel>> prepare_unary_integers(const OperatorSpec& spec) {
  if (spec.inputs[0].type == DataType::kS32) return integer_kernel<int32_t>(spec, simd_pick(map_s32_table));
  return integer_kernel<int64_t>(spec, simd_pick(map_s64_table));
}

}  // namespace nestrt::kernels
#endif
