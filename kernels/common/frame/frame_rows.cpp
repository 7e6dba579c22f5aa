// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/frame/frame_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/frame/yuv.h"
#include "runtime/image/resampling.h"

namespace nestrt::kernels {
namespace {

using yuv::Pixel;

Pixel read_pixel(const FrameRow& row, int64_t x) {
  const uint8_t* const plane = row.planes[0];
  switch (row.format) {
    case PixelFormat::kRgb:
      return {plane[3 * x], plane[3 * x + 1], plane[3 * x + 2]};
    case PixelFormat::kBgr:
      return {plane[3 * x + 2], plane[3 * x + 1], plane[3 * x]};
    case PixelFormat::kRgba:
      return {plane[4 * x], plane[4 * x + 1], plane[4 * x + 2]};
    case PixelFormat::kBgra:
      return {plane[4 * x + 2], plane[4 * x + 1], plane[4 * x]};
    case PixelFormat::kGrey:
      return {plane[x], plane[x], plane[x]};
    case PixelFormat::kRgbPlanes:
      return {plane[x], row.planes[1][x], row.planes[2][x]};
    case PixelFormat::kBgrPlanes:
      return {row.planes[2][x], row.planes[1][x], plane[x]};
    case PixelFormat::kNv12:
      return yuv::to_rgb(plane[x], row.planes[1][x / 2 * 2], row.planes[1][x / 2 * 2 + 1]);
    case PixelFormat::kYuyv:
      return yuv::to_rgb(plane[2 * x], plane[x / 2 * 4 + 1], plane[x / 2 * 4 + 3]);
  }
  return {};
}

void unpack(const FrameRow& row, int64_t first, int64_t count, uint8_t* pixels) {
  for (int64_t i = 0; i < count; ++i, pixels += kPixelBytes) {
    const Pixel pixel = read_pixel(row, first + i);
    pixels[0] = pixel.red;
    pixels[1] = pixel.green;
    pixels[2] = pixel.blue;
    pixels[3] = 0;
  }
}

void to_luminance(uint8_t* pixels, int64_t count) {
  for (int64_t i = 0; i < count; ++i, pixels += kPixelBytes) {
    const int sum = pixels[0] * 19595 + pixels[1] * 38470 + pixels[2] * 7471 + 0x8000;
    std::fill_n(pixels, 3, static_cast<uint8_t>(sum >> 16));
  }
}

void resample(const uint8_t* pixels, const int32_t* firsts, const int32_t* weights, int64_t taps, int64_t count,
              uint8_t* to) {
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t* const from = pixels + firsts[i] * kPixelBytes;
    for (int64_t c = 0; c < kPixelBytes; ++c) {
      int32_t sum = 1 << (kResamplingBits - 1);
      for (int64_t k = 0; k < taps; ++k) sum += from[k * kPixelBytes + c] * weights[(i * taps + k) * kPixelBytes + c];
      to[i * kPixelBytes + c] = resampled_pixel(sum);
    }
  }
}

void blend(const uint8_t* const* rows, const int32_t* weights, int64_t taps, int64_t count, uint8_t* to) {
  for (int64_t i = 0; i < count * kPixelBytes; ++i) {
    int32_t sum = 1 << (kResamplingBits - 1);
    for (int64_t k = 0; k < taps; ++k) sum += rows[k][i] * weights[k];
    to[i] = resampled_pixel(sum);
  }
}

void interpolate_columns(const uint8_t* pixels, const int32_t* firsts, const int16_t* weights, int64_t count,
                         int16_t* to) {
  for (int64_t i = 0; i < count * kPixelBytes; ++i) {
    const uint8_t* const from = pixels + firsts[i / kPixelBytes] * kPixelBytes + i % kPixelBytes;
    to[i] = static_cast<int16_t>(
        interpolate(from[0] << kInterpolationBits, from[kPixelBytes] << kInterpolationBits, weights[i]));
  }
}

void interpolate_rows(const int16_t* first, const int16_t* second, int16_t weight, int64_t count, uint8_t* to) {
  for (int64_t i = 0; i < count * kPixelBytes; ++i)
    to[i] = interpolated_pixel(interpolate(first[i], second[i], weight));
}

float element(float value, float) { return value; }

template <typename T>
T element(float value, T) {
  using Limits = std::numeric_limits<T>;
  const float clamped = std::clamp(value, static_cast<float>(Limits::min()), static_cast<float>(Limits::max()));
  return static_cast<T>(std::nearbyint(clamped));
}

template <typename T>
void store_as(const ElementFormat& format, const uint8_t* pixels, int64_t count, void* const* to) {
  for (int c = 0; c < format.channels; ++c) {
    const int byte = format.bgr ? format.channels - 1 - c : c;
    T* const out = format.interleaved ? static_cast<T*>(to[0]) + c : static_cast<T*>(to[c]);
    const int64_t stride = format.interleaved ? format.channels : 1;
    for (int64_t i = 0; i < count; ++i)
      out[i * stride] =
          element((static_cast<float>(pixels[i * kPixelBytes + byte]) - format.mean[c]) * format.scale[c], T());
  }
}

void store(const ElementFormat& format, const uint8_t* pixels, int64_t count, void* const* to) {
  if (format.type == DataType::kU8) return store_as<uint8_t>(format, pixels, count, to);
  if (format.type == DataType::kS8) return store_as<int8_t>(format, pixels, count, to);
  store_as<float>(format, pixels, count, to);
}

}  // namespace

const FrameRows& reference_frame_rows() {
  static constexpr FrameRows kRows = {unpack,           to_luminance, resample, blend, interpolate_columns,
                                      interpolate_rows, store};
  return kRows;
}

}  // namespace nestrt::kernels
