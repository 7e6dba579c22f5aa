// SPDX-License-Identifier: Apache-2.0
// Resize: interpolates to another size along any axes, as ONNX Resize without antialiasing.
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
  // by output: whether the sample is outside the input and the output is the extrapolation value; empty if that cannot
  // happen
  std::vector<uint8_t> outside;
  bool copied() const { return taps == 0; }
};

// Returns the taps of every axis. Requires: infer has accepted the operator, and the output has elements.
std::vector<ResizeAxis> resize_axes(const OperatorSpec& spec);

// Returns whether batch and channels are unchanged. Requires: rank 2 or more.
bool resize_copies_channels(const OperatorSpec& spec);

Result<std::unique_ptr<Kernel>> prepare_resize_reference(const OperatorSpec& spec);

bool accepts_resize_nearest(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_resize_nearest(const OperatorSpec& spec);
// Supports linear and cubic interpolation along any axes of plain tensors.
bool accepts_resize_separable(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_resize_separable(const OperatorSpec& spec);
bool accepts_resize_linear(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_resize_linear(const OperatorSpec& spec);

}  // namespace nestrt::kernels
