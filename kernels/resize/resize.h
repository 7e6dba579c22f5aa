// Resize: interpolation to another size, along any axes; ONNX Resize without antialiasing.
//
// The operator is separable: along each axis an output element is a weighted sum of one (nearest), two (linear) or
// four (cubic) input elements. resize_axes() computes these taps once; kernels only apply them. Coordinates are
// computed in f32, as ONNX Runtime does.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

// What one output axis takes from the input axis.
struct ResizeAxis {
  int64_t input = 0, output = 0;
  int taps = 0;                  // per output element; 0 where the axis is copied as it is
  std::vector<int32_t> indices;  // [output][taps], inside the input
  std::vector<float> weights;    // [output][taps]
  std::vector<uint8_t> outside;  // [output]: the sample is outside the input, the output the extrapolation value;
                                 // empty where that cannot be
  bool copied() const { return taps == 0; }
};

// Requires: infer has accepted the operator, and the output has elements.
std::vector<ResizeAxis> resize_axes(const OperatorSpec& spec);

// True where batch and channels stay as they are. Requires: rank 2 or more.
bool resize_copies_channels(const OperatorSpec& spec);

Result<std::unique_ptr<Kernel>> prepare_resize_reference(const OperatorSpec& spec);

bool accepts_resize_nearest(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_resize_nearest(const OperatorSpec& spec);
bool accepts_resize_linear(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_resize_linear(const OperatorSpec& spec);

}  // namespace nestrt::kernels
