// SPDX-License-Identifier: Apache-2.0
// Resize: interpolates to another size along any axes, like ONNX Resize without antialiasing. s8 images are
// interpolated linearly in fixed point, as in XNNPACK.
//
// The operator is separable: along each axis an output element is a weighted sum of one (nearest), two (linear) or four
// (cubic) input elements. resize_axes() computes these taps once; kernels only apply them. Coordinates are computed in
// f32, as in ONNX Runtime.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// The taps of one output axis.
struct ResizeAxis {
  int64_t input = 0, output = 0;
  int taps = 0;                  // per output element; 0 if the axis is copied unchanged
  std::vector<int32_t> indices;  // [output][taps], inside the input
  std::vector<float> weights;    // [output][taps]
  // by output: whether the sample is outside the input, so that the output is the extrapolation value; empty if samples
  // cannot be outside
  std::vector<uint8_t> outside;
  bool copied() const { return taps == 0; }
};

// Returns the taps of every axis. Requires: infer has accepted the operator, and the output has elements.
std::vector<ResizeAxis> resize_axes(const OperatorSpec& spec);

// The taps of one output axis for linear interpolation of integers, as in XNNPACK: coordinates are multiplied by the
// inverse scale, and weights have 11 bits (s8c::interpolate()).
struct FixedAxis {
  int64_t input = 0, output = 0;
  std::vector<int32_t> indices;  // [output][2], inside the input
  std::vector<int32_t> weights;  // [output], of the second tap
};

// Returns the taps of axis `axis` (rows or columns) of images [N, C, H, W]. Requires: infer has accepted the operator.
FixedAxis fixed_axis(const OperatorSpec& spec, int axis);

// Returns whether the batch and channel axes are copied unchanged. Requires: rank 2 or more.
bool resize_copies_channels(const OperatorSpec& spec);

Result<std::unique_ptr<Kernel>> prepare_resize_reference(const OperatorSpec& spec);

bool accepts_resize_nearest(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_resize_nearest(const OperatorSpec& spec);
// Supports linear and cubic interpolation along any axes of plain tensors.
bool accepts_resize_separable(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_resize_separable(const OperatorSpec& spec);
// Support linear interpolation of f32 or s8 images, plain or blocked16.
bool accepts_resize_linear(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_resize_linear(const OperatorSpec& spec);
bool accepts_resize_linear_s8(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_resize_linear_s8(const OperatorSpec& spec);

}  // namespace nestrt::kernels
