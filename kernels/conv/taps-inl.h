// SPDX-License-Identifier: Apache-2.0
// Determines which taps of a depthwise convolution are inside the input. Include from SIMD sources, once per
// instruction set.
#if defined(NESTRT_KERNELS_CONV_TAPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NESTRT_KERNELS_CONV_TAPS_INL_H_
#undef NESTRT_KERNELS_CONV_TAPS_INL_H_
#else
#define NESTRT_KERNELS_CONV_TAPS_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/geometry.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

// A range [first, last) of taps along an axis that are inside the input.
struct Taps {
  int64_t first, last;
};

HWY_INLINE Taps taps_inside(const ConvAxis& axis, int64_t output) {
  const int64_t start = output * axis.stride - axis.pad_begin;
  Taps taps{0, axis.kernel};
  while (taps.first < taps.last && start + taps.first * axis.dilation < 0) ++taps.first;
  while (taps.first < taps.last && start + (taps.last - 1) * axis.dilation >= axis.input) --taps.last;
  return taps;
}

// Returns the outputs [first, last) whose taps are all inside the row.
HWY_INLINE Taps inside_outputs(const ConvAxis& axis) {
  const int64_t reach = (axis.kernel - 1) * axis.dilation, room = axis.input - 1 - reach + axis.pad_begin;
  const int64_t first = HWY_MIN(axis.output, ceil_div(axis.pad_begin, axis.stride));
  const int64_t last = room < 0 ? 0 : HWY_MIN(axis.output, room / axis.stride + 1);
  return {first, HWY_MAX(first, last)};
}

}  // namespace
}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard of this instruction set
