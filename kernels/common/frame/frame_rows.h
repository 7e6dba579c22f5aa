// SPDX-License-Identifier: Apache-2.0
// Functions that convert the rows of a frame to an input tensor. They unpack pixels, then resample each row and blend
// rows (or interpolate rows and columns), and store elements.
//
// Between these steps a pixel has kPixelBytes bytes: red, green, blue, and an unused byte. All steps use integers, or
// f32 operations in a fixed order, so all instruction sets compute the same result.
#pragma once

#include <cstdint>

#include "nestrt/data_type.h"
#include "nestrt/frame.h"

namespace nestrt::kernels {

inline constexpr int64_t kPixelBytes = 4;
// Functions may read this many bytes beyond the last pixel of a row of pixels.
inline constexpr int64_t kRowSlack = 64;
// resample() needs a multiple of this many weights per pixel.
inline constexpr int kTapStep = 2;

// One row of a frame. If several pixels share a chroma pair, planes[1] may be a separate row of pairs.
struct FrameRow {
  PixelFormat format = PixelFormat::kRgb;
  const uint8_t* planes[3] = {};
};

// How pixels are stored as elements: (pixel - mean) * scale by channel. Integer types round half to even and clamp.
struct ElementFormat {
  DataType type = DataType::kF32;  // f32, u8 or s8
  int channels = 3;                // 1: the pixel's first byte
  bool interleaved = false;        // [H, W, C], else [C, H, W]
  bool bgr = false;                // the first channel is blue
  float mean[3] = {};              // in the order of the channels
  float scale[3] = {1, 1, 1};
};

struct FrameRows {
  // Converts the pixels [first, first + count) of a row. For NV12, planes[1] is the row of chroma pairs; YUYV has a
  // single plane.
  void (*unpack)(const FrameRow& row, int64_t first, int64_t count, uint8_t* pixels);
  // Replaces red, green and blue by the luminance, weighted as in ITU-R 601.
  void (*to_luminance)(uint8_t* pixels, int64_t count);
  // Resamples a row along x. Arrays: firsts[count] and weights[count][taps][kPixelBytes], with each weight repeated.
  void (*resample)(const uint8_t* pixels, const int32_t* firsts, const int32_t* weights, int64_t taps, int64_t count,
                   uint8_t* to);
  // Computes the weighted sum of `taps` rows.
  void (*blend)(const uint8_t* const* rows, const int32_t* weights, int64_t taps, int64_t count, uint8_t* to);
  // Interpolates a row along x (nestrt::Interpolation). Arrays: firsts[count] and weights[count][kPixelBytes], with
  // each weight repeated.
  void (*interpolate_columns)(const uint8_t* pixels, const int32_t* firsts, const int16_t* weights, int64_t count,
                              int16_t* to);
  // Interpolates between two rows and rounds.
  void (*interpolate_rows)(const int16_t* first, const int16_t* second, int16_t weight, int64_t count, uint8_t* to);
  // Stores the elements of a row. If pixels are interleaved, to[0] points to the first element; otherwise `to` has one
  // pointer per channel.
  void (*store)(const ElementFormat& format, const uint8_t* pixels, int64_t count, void* const* to);
};

// Returns the reference implementation, in plain loops.
const FrameRows& reference_frame_rows();
// Returns the functions for the current instruction set. Their results are bit-identical to the reference.
FrameRows frame_rows();

}  // namespace nestrt::kernels
