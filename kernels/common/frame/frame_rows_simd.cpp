// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/frame/frame_rows.h"
#include "kernels/common/frame/yuv.h"
#include "runtime/image/resampling.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/frame/frame_rows_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
// Without vectors, uses the reference functions.
void unpack_row(const FrameRow& row, int64_t first, int64_t count, uint8_t* pixels) {
  reference_frame_rows().unpack(row, first, count, pixels);
}
void luminance_row(uint8_t* pixels, int64_t count) { reference_frame_rows().to_luminance(pixels, count); }
void resample_pixels(const uint8_t* pixels, const int32_t* firsts, const int32_t* weights, int64_t taps, int64_t count,
                     uint8_t* to) {
  reference_frame_rows().resample(pixels, firsts, weights, taps, count, to);
}
void blend_pixels(const uint8_t* const* rows, const int32_t* weights, int64_t taps, int64_t count, uint8_t* to) {
  reference_frame_rows().blend(rows, weights, taps, count, to);
}
void mix_columns(const uint8_t* pixels, const int32_t* firsts, const int16_t* weights, int64_t count, int16_t* to) {
  reference_frame_rows().interpolate_columns(pixels, firsts, weights, count, to);
}
void mix_rows(const int16_t* first, const int16_t* second, int16_t weight, int64_t count, uint8_t* to) {
  reference_frame_rows().interpolate_rows(first, second, weight, count, to);
}
void store_elements(const ElementFormat& format, const uint8_t* pixels, int64_t count, void* const* to) {
  reference_frame_rows().store(format, pixels, count, to);
}
#else
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D8 = hn::ScalableTag<uint8_t>;
using V8 = hn::Vec<D8>;
constexpr int64_t kBytes = static_cast<int64_t>(hn::MaxLanes(D8()));
using D16 = hn::ScalableTag<int16_t>;
using V16 = hn::Vec<D16>;
using D32 = hn::ScalableTag<int32_t>;
using V32 = hn::Vec<D32>;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(D32()));
using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

// Expands eight pixels at a time if vectors are large enough. Returns the number of pixels converted.
template <typename D, typename V>
HWY_INLINE int64_t expand_pairs(D d, const uint8_t* from, int64_t step, V order, int64_t bytes, uint8_t* pixels) {
  int64_t i = 0;
  if constexpr (hn::MaxLanes(D()) == 32) {
    const hn::FixedTag<uint8_t, 16> half;
    const auto indices = hn::Combine(d, order, order);
    for (; (i + 4) * step + 16 <= bytes; i += 8) {
      const uint8_t* const at = from + i * step;
      const auto packed = hn::Combine(d, hn::LoadU(half, at + 4 * step), hn::LoadU(half, at));
      hn::StoreU(hn::TableLookupBytesOr0(packed, indices), d, pixels + i * kPixelBytes);
    }
  }
  return i;
}

// Expands pixels of `step` bytes to kPixelBytes, four at a time, and never reads beyond the row. Returns the number of
// pixels converted: all of them, or 0 if the row is short.
HWY_INLINE int64_t expand(const uint8_t* from, int64_t step, const uint8_t* order, int64_t count, uint8_t* pixels) {
  const hn::FixedTag<uint8_t, 16> d;
  const auto indices = hn::LoadU(d, order);
  const int64_t bytes = count * step;
  if (bytes < 16) return 0;
  int64_t i = expand_pairs(hn::CappedTag<uint8_t, 32>(), from, step, indices, bytes, pixels);
  for (; i * step + 16 <= bytes; i += 4)
    hn::StoreU(hn::TableLookupBytesOr0(hn::LoadU(d, from + i * step), indices), d, pixels + i * kPixelBytes);
  // At most five pixels remain, all within the row's last 16 bytes.
  const auto end = hn::LoadU(d, from + bytes - 16);
  for (int64_t left = count - i > 4 ? 5 : 4; left >= 4; --left) {
    const auto shifted = hn::Add(indices, hn::Set(d, static_cast<uint8_t>(16 - left * step)));
    hn::StoreU(hn::TableLookupBytesOr0(end, shifted), d, pixels + (count - left) * kPixelBytes);
  }
  return count;
}

HWY_INLINE int64_t unpack_packed(const FrameRow& row, int64_t first, int64_t count, uint8_t* pixels) {
  static constexpr uint8_t kRgbOrder[] = {0, 1, 2, 128, 3, 4, 5, 128, 6, 7, 8, 128, 9, 10, 11, 128};
  static constexpr uint8_t kBgrOrder[] = {2, 1, 0, 128, 5, 4, 3, 128, 8, 7, 6, 128, 11, 10, 9, 128};
  static constexpr uint8_t kRgbaOrder[] = {0, 1, 2, 128, 4, 5, 6, 128, 8, 9, 10, 128, 12, 13, 14, 128};
  static constexpr uint8_t kBgraOrder[] = {2, 1, 0, 128, 6, 5, 4, 128, 10, 9, 8, 128, 14, 13, 12, 128};
  const uint8_t* const from = row.planes[0];
  switch (row.format) {
    case PixelFormat::kRgb:
      return expand(from + first * 3, 3, kRgbOrder, count, pixels);
    case PixelFormat::kBgr:
      return expand(from + first * 3, 3, kBgrOrder, count, pixels);
    case PixelFormat::kRgba:
      return expand(from + first * 4, 4, kRgbaOrder, count, pixels);
    default:
      return expand(from + first * 4, 4, kBgraOrder, count, pixels);
  }
}

HWY_INLINE int64_t unpack_planes(const uint8_t* red, const uint8_t* green, const uint8_t* blue, int64_t count,
                                 uint8_t* pixels) {
  const D8 d;
  int64_t i = 0;
  for (; i + kBytes <= count; i += kBytes)
    hn::StoreInterleaved4(hn::LoadU(d, red + i), hn::LoadU(d, green + i), hn::LoadU(d, blue + i), hn::Zero(d), d,
                          pixels + i * kPixelBytes);
  return i;
}

// Subtracts `zero` from the even bytes (or the odd ones if kOdd) and returns 16-bit numbers shifted left by kShift.
template <bool kOdd, int kShift>
HWY_INLINE V16 difference(V8 bytes, int16_t zero) {
  const hn::RebindToUnsigned<D16> du;
  const auto pairs = hn::BitCast(du, bytes);
  const auto values = kOdd ? hn::ShiftRight<8>(pairs) : hn::And(pairs, hn::Set(du, uint16_t{255}));
  return hn::ShiftLeft<kShift>(hn::Sub(hn::BitCast(D16(), values), hn::Set(D16(), zero)));
}

HWY_INLINE V16 times(V16 a, int16_t b) { return hn::MulFixedPoint15(a, hn::Set(D16(), b)); }

// Clamps the colours of even and odd pixels to bytes and interleaves them.
HWY_INLINE V8 join(V16 even, V16 odd) {
  const D16 d;
  const auto byte = [d](V16 v) HWY_ATTR {
    return hn::Min(hn::Max(hn::ShiftRight<yuv::kBits>(v), hn::Zero(d)), hn::Set(d, int16_t{255}));
  };
  return hn::BitCast(D8(), hn::Or(byte(even), hn::ShiftLeft<8>(byte(odd))));
}

// Converts and stores kBytes pixels. `pairs`: their U and V values, interleaved.
HWY_INLINE void store_yuv(V8 luma, V8 pairs, uint8_t* pixels) {
  const V16 u = difference<false, yuv::kShift>(pairs, yuv::kNeutral);
  const V16 v = difference<true, yuv::kShift>(pairs, yuv::kNeutral);
  const V16 red = times(v, yuv::kRedV);
  const V16 green = hn::Add(times(u, yuv::kGreenU), times(v, yuv::kGreenV));
  const V16 blue = times(difference<false, yuv::kBlueShift>(pairs, yuv::kNeutral), yuv::kBlueU);
  const V16 half = hn::Set(D16(), int16_t{1 << (yuv::kBits - 1)});
  const V16 even = hn::Add(times(difference<false, yuv::kShift>(luma, yuv::kDarkest), yuv::kLuma), half);
  const V16 odd = hn::Add(times(difference<true, yuv::kShift>(luma, yuv::kDarkest), yuv::kLuma), half);
  hn::StoreInterleaved4(join(hn::SaturatedAdd(even, red), hn::SaturatedAdd(odd, red)),
                        join(hn::SaturatedSub(even, green), hn::SaturatedSub(odd, green)),
                        join(hn::SaturatedAdd(even, blue), hn::SaturatedAdd(odd, blue)), hn::Zero(D8()), D8(), pixels);
}

// Requires: `first` is even.
HWY_INLINE int64_t unpack_yuv(const FrameRow& row, int64_t first, int64_t count, uint8_t* pixels) {
  const D8 d;
  int64_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    V8 luma, pairs;
    if (row.format == PixelFormat::kNv12) {
      luma = hn::LoadU(d, row.planes[0] + first + i);
      pairs = hn::LoadU(d, row.planes[1] + first + i);
    } else {
      hn::LoadInterleaved2(d, row.planes[0] + (first + i) * 2, luma, pairs);
    }
    store_yuv(luma, pairs, pixels + i * kPixelBytes);
  }
  return i;
}

// Returns the number of pixels converted.
HWY_INLINE int64_t unpack_vectors(const FrameRow& row, int64_t first, int64_t count, uint8_t* pixels) {
  const auto plane = [&](int i) { return row.planes[i] + first; };
  switch (row.format) {
    case PixelFormat::kGrey:
      return unpack_planes(plane(0), plane(0), plane(0), count, pixels);
    case PixelFormat::kRgbPlanes:
      return unpack_planes(plane(0), plane(1), plane(2), count, pixels);
    case PixelFormat::kBgrPlanes:
      return unpack_planes(plane(2), plane(1), plane(0), count, pixels);
    case PixelFormat::kNv12:
    case PixelFormat::kYuyv:
      return unpack_yuv(row, first, count, pixels);
    default:
      return unpack_packed(row, first, count, pixels);
  }
}

// The sums of one pixel, one per byte.
using DPixel = hn::FixedTag<int32_t, 4>;
// The bytes of one or two taps, depending on the vector size.
using DTaps = hn::CappedTag<int32_t, kTapStep * kPixelBytes>;
constexpr int64_t kTaps = static_cast<int64_t>(hn::MaxLanes(DTaps())) / kPixelBytes;

template <typename D>
HWY_INLINE void store_pixels(D d, hn::Vec<D> sums, uint8_t* to) {
  const hn::Rebind<uint8_t, D> d8;
  hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<kResamplingBits>(sums)), d8, to);
}

// Adds the sums of the taps of each of two pixels. Returns one sum per byte, in memory order. These functions are
// templates, so that the branch for another number of lanes is not compiled.
template <typename V>
HWY_INLINE V sums_of_pair(V first, V second) {
  const DTaps d;
  return hn::Add(hn::ConcatLowerLower(d, second, first), hn::ConcatUpperUpper(d, second, first));
}
template <typename V>
HWY_INLINE hn::Vec<DPixel> sums_of_pixel(V sums) {
  if constexpr (kTaps == 1)
    return sums;
  else
    return hn::Add(hn::LowerHalf(DPixel(), sums), hn::UpperHalf(DPixel(), sums));
}

// Stores two pixels.
template <typename D, typename V>
HWY_INLINE void store_pair(D d, V first, V second, uint8_t* to) {
  if constexpr (kTaps == 1) {
    store_pixels(d, first, to);
    store_pixels(d, second, to + kPixelBytes);
  } else {
    store_pixels(d, sums_of_pair(first, second), to);
  }
}

HWY_INLINE V32 promote(const uint8_t* from) {
  return hn::PromoteTo(D32(), hn::LoadU(hn::Rebind<uint8_t, D32>(), from));
}

// Two or four pixels as 16-bit numbers, depending on the vector size.
using DMix = hn::CappedTag<int16_t, 16>;
using VMix = hn::Vec<DMix>;
constexpr int64_t kMixed = static_cast<int64_t>(hn::MaxLanes(DMix())) / kPixelBytes;

// Returns the pixel at firsts[0] and the next one. If the vector has room, also those at firsts[2].
template <typename D>
HWY_INLINE hn::Vec<D> load_neighbours(D d, const uint8_t* pixels, const int32_t* firsts) {
  const hn::FixedTag<uint8_t, 2 * kPixelBytes> d8;
  const auto pair = hn::LoadU(d8, pixels + firsts[0] * kPixelBytes);
  if constexpr (hn::MaxLanes(D()) == 2 * kPixelBytes)
    return hn::PromoteTo(d, pair);
  else
    return hn::PromoteTo(d,
                         hn::Combine(hn::Rebind<uint8_t, D>(), hn::LoadU(d8, pixels + firsts[2] * kPixelBytes), pair));
}

HWY_INLINE VMix mix(VMix first, VMix second, VMix weight) {
  return hn::Add(first, hn::MulFixedPoint15(hn::Sub(second, first), weight));
}

// Returns (pixel - mean) * scale for one colour of kLanes pixels.
struct Channel {
  Channel(const ElementFormat& format, int c)
      : shift(8 * (format.bgr ? format.channels - 1 - c : c)), mean(format.mean[c]), scale(format.scale[c]) {}

  HWY_INLINE VF operator()(const uint8_t* pixels) const {
    const DF d;
    const V32 bytes = hn::LoadU(D32(), reinterpret_cast<const int32_t*>(pixels));
    const V32 colour = hn::And(hn::ShiftRightSame(bytes, shift), hn::Set(D32(), 255));
    return hn::Mul(hn::Sub(hn::ConvertTo(d, colour), hn::Set(d, mean)), hn::Set(d, scale));
  }

  int shift;
  float mean, scale;
};

template <typename T>
struct Elements {
  using D = hn::Rebind<T, DF>;
  HWY_INLINE static hn::Vec<D> of(VF values) {
    const VF low = hn::Set(DF(), static_cast<float>(hwy::LimitsMin<T>()));
    const VF high = hn::Set(DF(), static_cast<float>(hwy::LimitsMax<T>()));
    return hn::DemoteTo(D(), hn::NearestInt(hn::Min(hn::Max(values, low), high)));
  }
};
template <>
struct Elements<float> {
  using D = DF;
  HWY_INLINE static VF of(VF values) { return values; }
};

// Returns the number of pixels stored.
template <typename T>
HWY_INLINE int64_t store_planes(const ElementFormat& format, const uint8_t* pixels, int64_t count, void* const* to) {
  const typename Elements<T>::D d;
  const int64_t whole = count / kLanes * kLanes;
  for (int c = 0; c < format.channels; ++c) {
    const Channel channel(format, c);
    T* const out = static_cast<T*>(to[c]);
    for (int64_t i = 0; i < whole; i += kLanes)
      hn::StoreU(Elements<T>::of(channel(pixels + i * kPixelBytes)), d, out + i);
  }
  return whole;
}

template <typename T>
HWY_INLINE int64_t store_interleaved(const ElementFormat& format, const uint8_t* pixels, int64_t count,
                                     void* const* to) {
  const typename Elements<T>::D d;
  const Channel first(format, 0), second(format, 1), third(format, 2);
  T* const out = static_cast<T*>(to[0]);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const uint8_t* const from = pixels + i * kPixelBytes;
    hn::StoreInterleaved3(Elements<T>::of(first(from)), Elements<T>::of(second(from)), Elements<T>::of(third(from)), d,
                          out + 3 * i);
  }
  return i;
}

template <typename T>
HWY_INLINE void store_as(const ElementFormat& format, const uint8_t* pixels, int64_t count, void* const* to) {
  const bool interleaved = format.interleaved && format.channels == 3;
  const int64_t done =
      interleaved ? store_interleaved<T>(format, pixels, count, to) : store_planes<T>(format, pixels, count, to);
  const int64_t step = interleaved ? 3 : 1;
  void* rest[3] = {};
  for (int c = 0; c < (interleaved ? 1 : format.channels); ++c) rest[c] = static_cast<T*>(to[c]) + done * step;
  reference_frame_rows().store(format, pixels + done * kPixelBytes, count - done, rest);
}

}  // namespace

void unpack_row(const FrameRow& row, int64_t first, int64_t count, uint8_t* pixels) {
  const bool has_pairs = row.format == PixelFormat::kNv12 || row.format == PixelFormat::kYuyv;
  const int64_t odd = has_pairs && count > 0 ? first % 2 : 0;  // begin with a pair
  const auto reference = reference_frame_rows().unpack;
  reference(row, first, odd, pixels);
  const int64_t done = odd + unpack_vectors(row, first + odd, count - odd, pixels + odd * kPixelBytes);
  reference(row, first + done, count - done, pixels + done * kPixelBytes);
}

void luminance_row(uint8_t* pixels, int64_t count) {
  const D32 d;
  const V32 byte = hn::Set(d, 255);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    int32_t* const at = reinterpret_cast<int32_t*>(pixels + i * kPixelBytes);
    const V32 rgb = hn::LoadU(d, at);
    const V32 red = hn::Mul(hn::And(rgb, byte), hn::Set(d, 19595));
    const V32 green = hn::Mul(hn::And(hn::ShiftRight<8>(rgb), byte), hn::Set(d, 38470));
    const V32 blue = hn::Mul(hn::And(hn::ShiftRight<16>(rgb), byte), hn::Set(d, 7471));
    const V32 sum = hn::ShiftRight<16>(hn::Add(hn::Add(red, green), hn::Add(blue, hn::Set(d, 0x8000))));
    hn::StoreU(hn::Mul(sum, hn::Set(d, 0x010101)), d, at);
  }
  reference_frame_rows().to_luminance(pixels + i * kPixelBytes, count - i);
}

void resample_pixels(const uint8_t* pixels, const int32_t* firsts, const int32_t* weights, int64_t taps, int64_t count,
                     uint8_t* to) {
  const DTaps d;
  const hn::Rebind<uint8_t, DTaps> d8;
  const auto product = [&](const uint8_t* from, const int32_t* weight)
                           HWY_ATTR { return hn::Mul(hn::PromoteTo(d, hn::LoadU(d8, from)), hn::LoadU(d, weight)); };
  constexpr int64_t kStep = kTaps * kPixelBytes;
  const int64_t values = taps * kPixelBytes;  // per output pixel
  // Each of the kTaps partial sums of a pixel starts with its share of the rounding term.
  const auto half = hn::Set(d, (1 << (kResamplingBits - 1)) / static_cast<int32_t>(kTaps));
  int64_t i = 0;
  for (; i + 4 <= count; i += 4, weights += 4 * values) {
    const uint8_t* from[4];
    for (int64_t j = 0; j < 4; ++j) from[j] = pixels + firsts[i + j] * kPixelBytes;
    auto a = half, b = half, c = half, e = half;
    for (int64_t k = 0; k < values; k += kStep) {
      a = hn::Add(a, product(from[0] + k, weights + k));
      b = hn::Add(b, product(from[1] + k, weights + values + k));
      c = hn::Add(c, product(from[2] + k, weights + 2 * values + k));
      e = hn::Add(e, product(from[3] + k, weights + 3 * values + k));
    }
    store_pair(d, a, b, to + i * kPixelBytes);
    store_pair(d, c, e, to + (i + 2) * kPixelBytes);
  }
  for (; i < count; ++i, weights += values) {
    auto sums = half;
    for (int64_t k = 0; k < values; k += kStep)
      sums = hn::Add(sums, product(pixels + firsts[i] * kPixelBytes + k, weights + k));
    store_pixels(DPixel(), sums_of_pixel(sums), to + i * kPixelBytes);
  }
}

void blend_pixels(const uint8_t* const* rows, const int32_t* weights, int64_t taps, int64_t count, uint8_t* to) {
  const D32 d;
  const int64_t bytes = count * kPixelBytes;
  int64_t i = 0;
  for (; i + 4 * kLanes <= bytes; i += 4 * kLanes) {
    V32 a = hn::Set(d, 1 << (kResamplingBits - 1)), b = a, c = a, e = a;
    for (int64_t k = 0; k < taps; ++k) {
      const V32 weight = hn::Set(d, weights[k]);
      const uint8_t* const from = rows[k] + i;
      a = hn::Add(a, hn::Mul(promote(from), weight));
      b = hn::Add(b, hn::Mul(promote(from + kLanes), weight));
      c = hn::Add(c, hn::Mul(promote(from + 2 * kLanes), weight));
      e = hn::Add(e, hn::Mul(promote(from + 3 * kLanes), weight));
    }
    store_pixels(d, a, to + i);
    store_pixels(d, b, to + i + kLanes);
    store_pixels(d, c, to + i + 2 * kLanes);
    store_pixels(d, e, to + i + 3 * kLanes);
  }
  for (; i < bytes; i += kPixelBytes) {
    auto sum = hn::Set(DPixel(), 1 << (kResamplingBits - 1));
    const hn::Rebind<uint8_t, DPixel> d8;
    for (int64_t k = 0; k < taps; ++k)
      sum = hn::Add(sum, hn::Mul(hn::PromoteTo(DPixel(), hn::LoadU(d8, rows[k] + i)), hn::Set(DPixel(), weights[k])));
    store_pixels(DPixel(), sum, to + i);
  }
}

void mix_columns(const uint8_t* pixels, const int32_t* firsts, const int16_t* weights, int64_t count, int16_t* to) {
  const DMix d;
  const hn::Repartition<uint64_t, DMix> d64;
  int64_t i = 0;
  for (; i + kMixed <= count; i += kMixed) {
    const auto even = hn::BitCast(d64, load_neighbours(d, pixels, firsts + i));
    const auto odd = hn::BitCast(d64, load_neighbours(d, pixels, firsts + i + 1));
    const VMix first = hn::ShiftLeft<kInterpolationBits>(hn::BitCast(d, hn::InterleaveLower(d64, even, odd)));
    const VMix second = hn::ShiftLeft<kInterpolationBits>(hn::BitCast(d, hn::InterleaveUpper(d64, even, odd)));
    hn::StoreU(mix(first, second, hn::LoadU(d, weights + i * kPixelBytes)), d, to + i * kPixelBytes);
  }
  reference_frame_rows().interpolate_columns(pixels, firsts + i, weights + i * kPixelBytes, count - i,
                                             to + i * kPixelBytes);
}

void mix_rows(const int16_t* first, const int16_t* second, int16_t weight, int64_t count, uint8_t* to) {
  const DMix d;
  const hn::Rebind<uint8_t, DMix> d8;
  const VMix weights = hn::Set(d, weight), half = hn::Set(d, int16_t{1 << (kInterpolationBits - 1)});
  int64_t i = 0;
  for (; i + kMixed <= count; i += kMixed) {
    const VMix value = mix(hn::LoadU(d, first + i * kPixelBytes), hn::LoadU(d, second + i * kPixelBytes), weights);
    hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<kInterpolationBits>(hn::Add(value, half))), d8, to + i * kPixelBytes);
  }
  reference_frame_rows().interpolate_rows(first + i * kPixelBytes, second + i * kPixelBytes, weight, count - i,
                                          to + i * kPixelBytes);
}

void store_elements(const ElementFormat& format, const uint8_t* pixels, int64_t count, void* const* to) {
  if (format.type == DataType::kU8) return store_as<uint8_t>(format, pixels, count, to);
  if (format.type == DataType::kS8) return store_as<int8_t>(format, pixels, count, to);
  store_as<float>(format, pixels, count, to);
}
#endif

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(unpack_row)
NESTRT_SIMD_EXPORT(luminance_row)
NESTRT_SIMD_EXPORT(resample_pixels)
NESTRT_SIMD_EXPORT(blend_pixels)
NESTRT_SIMD_EXPORT(mix_columns)
NESTRT_SIMD_EXPORT(mix_rows)
NESTRT_SIMD_EXPORT(store_elements)

FrameRows frame_rows() {
  return {simd_pick(unpack_row_table),    simd_pick(luminance_row_table), simd_pick(resample_pixels_table),
          simd_pick(blend_pixels_table),  simd_pick(mix_columns_table),   simd_pick(mix_rows_table),
          simd_pick(store_elements_table)};
}

}  // namespace nestrt::kernels
#endif
