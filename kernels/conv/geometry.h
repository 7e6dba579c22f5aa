// SPDX-License-Identifier: Apache-2.0
// The geometry of a convolution or transposed convolution, read from an operator and fully validated.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// One spatial axis. Limits: each value fits in 41 bits, and (kernel - 1) * dilation in 62 bits.
struct ConvAxis {
  int64_t input = 1;
  int64_t output = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;  // negative if only some rows are computed (OperatorSpec::rows)
  int64_t pad_end = 0;    // likewise
};

// Returns the position of the input that a tap of the convolution reads for an output, or -1 if it is in the padding.
inline int64_t tap_position(const ConvAxis& axis, int64_t output, int64_t tap) {
  const int64_t position = output * axis.stride - axis.pad_begin + tap * axis.dilation;
  return position < 0 || position >= axis.input ? -1 : position;
}

struct ConvGeometry {
  int64_t batch = 1;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  int64_t group = 1;
  std::array<ConvAxis, 3> axes;  // depth, height, width; unused leading axes are trivial
  Shape output;                  // logical shape, with the rank of the operator

  int64_t group_inputs() const { return in_channels / group; }
  int64_t group_outputs() const { return out_channels / group; }
  int64_t in_spatial() const { return axes[0].input * axes[1].input * axes[2].input; }
  int64_t out_spatial() const { return axes[0].output * axes[1].output * axes[2].output; }
  int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
};

// Return the geometry of a convolution or a transposed convolution. Operands: x [N, C, spatial...], weights, bias [M]
// (optional), residual with the shape of the output (optional). Errors: kInvalidModel, kUnsupported.
Result<ConvGeometry> conv_geometry(const OperatorSpec& spec);
Result<ConvGeometry> conv_transpose_geometry(const OperatorSpec& spec);

// Moves axes of one element without padding to the front. Elements keep their order, but rows of the image may become
// columns. The shape `output` does not change.
ConvGeometry without_unit_axes(ConvGeometry geometry);

// Does the same for a convolution. Also merges adjacent axes along which each output reads only the input at its own
// position.
ConvGeometry with_merged_axes(ConvGeometry geometry);

}  // namespace nestrt::kernels
