// SPDX-License-Identifier: Apache-2.0
// Some loops use no intrinsics, because the compiler vectorizes them.
#include <limits>

#include "kernels/cast/cast.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cast/cast_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

template <typename From, typename To>
void convert_all(const std::byte* from, std::byte* to, int64_t count) {
  const auto* const x = reinterpret_cast<const From*>(from);
  auto* const y = reinterpret_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) y[i] = static_cast<To>(x[i]);
}

template <typename From>
void test_all(const std::byte* from, std::byte* to, int64_t count) {
  const auto* const x = reinterpret_cast<const From*>(from);
  auto* const y = reinterpret_cast<uint8_t*>(to);
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] != From{0} ? 1 : 0;
}

template <typename To>
void convert_booleans(const std::byte* from, std::byte* to, int64_t count) {
  const auto* const x = reinterpret_cast<const uint8_t*>(from);
  auto* const y = reinterpret_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) y[i] = static_cast<To>(x[i] != 0 ? 1 : 0);
}

// f32 cannot represent the largest s32 or s64, so values are compared with the next power of two.
constexpr float kAboveS32 = 2147483648.0f, kHighS32 = 2147483520.0f;
constexpr float kAboveS64 = 9223372036854775808.0f, kHighS64 = 9223371487098961920.0f;

// Returns x limited to [low, high]; NaN becomes 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V limited(D d, V x, float low, float high) {
  const V number = hn::IfThenElseZero(hn::Eq(x, x), x);
  return hn::Min(hn::Max(number, hn::Set(d, low)), hn::Set(d, high));
}

// Calls step(i, count) for each vector of `lanes` elements and for the remainder.
template <class Step>
HWY_INLINE void for_each_vector(int64_t count, int64_t lanes, const Step& step) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) step(i, lanes);
  if (i < count) step(i, count - i);
}

template <class D>
HWY_INLINE hn::Vec<D> load_count(D d, const float* x, int64_t count) {
  return count == static_cast<int64_t>(hn::Lanes(d)) ? hn::LoadU(d, x) : load_partial(d, x, count);
}

template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void store_count(D d, hn::Vec<D> v, T* y, int64_t count) {
  if (count == static_cast<int64_t>(hn::Lanes(d))) return hn::StoreU(v, d, y);
  HWY_ALIGN T lanes[hn::MaxLanes(D())];
  hn::Store(v, d, lanes);
  for (int64_t i = 0; i < count; ++i) y[i] = lanes[i];
}

template <typename T>
void saturate_bytes(const std::byte* from, std::byte* to, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<T, decltype(d)> narrow;
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr auto kHigh = static_cast<float>(std::numeric_limits<T>::max());
  for_each_vector(count, static_cast<int64_t>(hn::Lanes(d)), [&](int64_t i, int64_t some) HWY_ATTR {
    const auto v = limited(d, load_count(d, reinterpret_cast<const float*>(from) + i, some), kLow, kHigh);
    store_count(narrow, hn::DemoteTo(narrow, hn::ConvertTo(di, v)), reinterpret_cast<T*>(to) + i, some);
  });
}

void saturate_s32(const std::byte* from, std::byte* to, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto largest = hn::Set(di, std::numeric_limits<int32_t>::max());
  for_each_vector(count, static_cast<int64_t>(hn::Lanes(d)), [&](int64_t i, int64_t some) HWY_ATTR {
    const auto x = load_count(d, reinterpret_cast<const float*>(from) + i, some);
    const auto inside = hn::ConvertTo(di, limited(d, x, -kAboveS32, kHighS32));
    const auto is_above = hn::RebindMask(di, hn::Ge(x, hn::Set(d, kAboveS32)));
    store_count(di, hn::IfThenElse(is_above, largest, inside), reinterpret_cast<int32_t*>(to) + i, some);
  });
}

// Clamps before converting, because out-of-range conversions are undefined.
void saturate_s64(const std::byte* from, std::byte* to, int64_t count) {
  const auto* const x = reinterpret_cast<const float*>(from);
  auto* const y = reinterpret_cast<int64_t*>(to);
  for (int64_t i = 0; i < count; ++i) {
    const float number = x[i] == x[i] ? x[i] : 0.0f, raised = number > -kAboveS64 ? number : -kAboveS64;
    const auto inside = static_cast<int64_t>(raised < kHighS64 ? raised : kHighS64);
    y[i] = number >= kAboveS64 ? std::numeric_limits<int64_t>::max() : inside;
  }
}

}  // namespace

// The following functions cast `count` elements between two different types. A type that is not a parameter is part of
// the name.
void cast_from_f32(DataType to, const std::byte* x, std::byte* y, int64_t count) {
  switch (to) {
    case DataType::kS8:
      return saturate_bytes<int8_t>(x, y, count);
    case DataType::kU8:
      return saturate_bytes<uint8_t>(x, y, count);
    case DataType::kS32:
      return saturate_s32(x, y, count);
    case DataType::kS64:
      return saturate_s64(x, y, count);
    default:
      return test_all<float>(x, y, count);
  }
}

void cast_to_f32(DataType from, const std::byte* x, std::byte* y, int64_t count) {
  switch (from) {
    case DataType::kS8:
      return convert_all<int8_t, float>(x, y, count);
    case DataType::kU8:
      return convert_all<uint8_t, float>(x, y, count);
    case DataType::kS32:
      return convert_all<int32_t, float>(x, y, count);
    case DataType::kS64:
      return convert_all<int64_t, float>(x, y, count);
    default:
      return convert_booleans<float>(x, y, count);
  }
}

void cast_integers(DataType from, DataType to, const std::byte* x, std::byte* y, int64_t count) {
  const bool is_wide = to == DataType::kS64;
  switch (from) {
    case DataType::kS32:
      return is_wide ? convert_all<int32_t, int64_t>(x, y, count) : test_all<int32_t>(x, y, count);
    case DataType::kS64:
      return to == DataType::kS32 ? convert_all<int64_t, int32_t>(x, y, count) : test_all<int64_t>(x, y, count);
    default:
      return is_wide ? convert_booleans<int64_t>(x, y, count) : convert_booleans<int32_t>(x, y, count);
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(cast_from_f32)
NESTRT_SIMD_EXPORT(cast_to_f32)
NESTRT_SIMD_EXPORT(cast_integers)

namespace {

bool is_number_or_boolean(DataType type) {
  return type == DataType::kS32 || type == DataType::kS64 || type == DataType::kBool;
}

// Calls cast(x, y, count) on ranges of elements.
template <typename Cast>
Result<std::unique_ptr<Kernel>> cast_kernel(const OperatorSpec& spec, Cast cast) {
  const auto from_size = static_cast<int64_t>(size_bytes(spec.inputs[0].type));
  const auto to_size = static_cast<int64_t>(size_bytes(spec.outputs[0].type));
  return make_kernel([=, count = spec.inputs[0].shape.num_elements()](const KernelCall& call) {
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      cast(call.inputs[0] + first * from_size, call.outputs[0] + first * to_size, last - first);
    });
  });
}

}  // namespace

bool accepts_cast_simd(const OperatorSpec& spec) {
  const DataType from = spec.inputs[0].type, to = spec.outputs[0].type;
  return is_plain(spec) && from != to &&
         (from == DataType::kF32 || to == DataType::kF32 || (is_number_or_boolean(from) && is_number_or_boolean(to)));
}

Result<std::unique_ptr<Kernel>> prepare_cast_simd(const OperatorSpec& spec) {
  const DataType from = spec.inputs[0].type, to = spec.outputs[0].type;
  if (from == DataType::kF32)
    return cast_kernel(spec, [to, run = simd_pick(cast_from_f32_table)](auto... range) { run(to, range...); });
  if (to == DataType::kF32)
    return cast_kernel(spec, [from, run = simd_pick(cast_to_f32_table)](auto... range) { run(from, range...); });
  return cast_kernel(spec,
                     [from, to, run = simd_pick(cast_integers_table)](auto... range) { run(from, to, range...); });
}

}  // namespace nestrt::kernels
#endif
