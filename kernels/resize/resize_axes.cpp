// SPDX-License-Identifier: Apache-2.0
// Computes the taps of Resize along one axis: https://onnx.ai/onnx/operators/onnx__Resize.html
#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/common/quantization/s8c_arithmetic.h"
#include "kernels/resize/resize.h"

namespace nestrt::kernels {
namespace {

using ops::CoordinateMode;
using ops::NearestMode;
using ops::ResizeMode;

// The attributes of Resize along one axis.
struct AxisRule {
  const ops::Resize* resize;
  int64_t input, output;
  float scale, roi_start, roi_end;

  // Returns the position of output x on the input axis.
  float coordinate(float x) const {
    const auto last = static_cast<float>(input - 1), output_last = static_cast<float>(output - 1);
    switch (resize->coordinate) {
      case CoordinateMode::kHalfPixel:
        return (x + 0.5f) / scale - 0.5f;
      case CoordinateMode::kAsymmetric:
        return x / scale;
      case CoordinateMode::kAlignCorners:
        return output == 1 ? 0 : x * last / output_last;
      case CoordinateMode::kPytorchHalfPixel:
        return output == 1 ? 0 : (x + 0.5f) / scale - 0.5f;
      case CoordinateMode::kTfHalfPixelForNn:
        return (x + 0.5f) / scale;
      case CoordinateMode::kTfCropAndResize:
        return output == 1 ? 0.5f * (roi_start + roi_end) * last
                           : roi_start * last + x * (roi_end - roi_start) * last / output_last;
    }
    return 0;
  }

  // Returns whether the axis is copied. Every mode except crop maps an axis of the same length and scale 1 to itself.
  // This includes tf_half_pixel_for_nn: its formula would shift the axis by half an element, but does not apply,
  // because the axis is not resized.
  bool is_copy() const {
    return input == output && scale == 1 && resize->coordinate != CoordinateMode::kTfCropAndResize;
  }
};

AxisRule axis_rule(const OperatorSpec& spec, int axis) {
  const ops::Resize& resize = *spec.as<ops::Resize>();
  const auto &scales = resize.scales, &roi = resize.roi;
  const auto i = static_cast<size_t>(axis), rank = static_cast<size_t>(spec.inputs[0].shape.rank());
  AxisRule rule{&resize, spec.inputs[0].shape[axis], spec.outputs[0].shape[axis], 1, 0, 1};
  rule.scale = scales.empty() ? static_cast<float>(rule.output) / static_cast<float>(rule.input) : scales[i];
  if (roi.size() == 2 * rank) {
    rule.roi_start = roi[i];
    rule.roi_end = roi[rank + i];
  }
  return rule;
}

float rounded(float x, NearestMode mode) {
  switch (mode) {
    case NearestMode::kRoundPreferFloor:
      return std::ceil(x - 0.5f);
    case NearestMode::kRoundPreferCeil:
      return std::floor(x + 0.5f);
    case NearestMode::kFloor:
      return std::floor(x);
    case NearestMode::kCeil:
      return std::ceil(x);
  }
  return x;
}

// Returns Keys' cubic convolution weights of four elements for a sample at fraction r after the second element.
std::array<float, 4> cubic_weights(float r, float a) {
  const auto near = [a](float d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [a](float d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  return {far(r + 1), near(r), near(1 - r), far(2 - r)};
}

// Distributes the weight of taps outside the input over the other taps. Changes nothing if all taps are outside.
void exclude_outside(std::array<float, 4>& weights, int64_t first, int64_t length) {
  std::array<float, 4> kept = weights;
  float sum = 0;
  for (int tap = 0; tap < 4; ++tap) {
    if (first + tap < 0 || first + tap >= length) kept[static_cast<size_t>(tap)] = 0;
    sum += kept[static_cast<size_t>(tap)];
  }
  if (sum == 0) return;
  for (size_t tap = 0; tap < 4; ++tap) weights[tap] = kept[tap] / sum;
}

// Returns the index of the first element for the sample at x, which may be outside the input. Sets the weights.
int64_t sample(const AxisRule& rule, float x, std::array<float, 4>& weights) {
  const ops::Resize& resize = *rule.resize;
  if (resize.mode == ResizeMode::kNearest) {
    weights = {1};
    return static_cast<int64_t>(rounded(x, resize.nearest));
  }
  const float base = std::floor(x), fraction = x - base;
  if (resize.mode == ResizeMode::kLinear) {
    weights = {1 - fraction, fraction};
    return static_cast<int64_t>(base);
  }
  const int64_t first = static_cast<int64_t>(base) - 1;
  weights = cubic_weights(fraction, resize.cubic_coefficient);
  if (resize.exclude_outside) exclude_outside(weights, first, rule.input);
  return first;
}

int num_taps(ResizeMode mode) { return mode == ResizeMode::kNearest ? 1 : mode == ResizeMode::kLinear ? 2 : 4; }

ResizeAxis resize_axis(const AxisRule& rule) {
  ResizeAxis axis{rule.input, rule.output, 0, {}, {}, {}};
  if (rule.is_copy()) return axis;
  axis.taps = num_taps(rule.resize->mode);
  const bool extrapolates = rule.resize->coordinate == CoordinateMode::kTfCropAndResize;
  const auto last = static_cast<float>(rule.input - 1);
  for (int64_t position = 0; position < rule.output; ++position) {
    float x = rule.coordinate(static_cast<float>(position));
    if (extrapolates) axis.outside.push_back(!(x >= 0 && x <= last));
    // Samples that are further outside read only the edge. A NaN becomes a sample before the first element.
    x = x > -3 ? std::min(x, last + 3) : -3;
    std::array<float, 4> weights{};
    const int64_t first = sample(rule, x, weights);
    for (int tap = 0; tap < axis.taps; ++tap) {
      axis.indices.push_back(static_cast<int32_t>(std::clamp<int64_t>(first + tap, 0, rule.input - 1)));
      axis.weights.push_back(weights[static_cast<size_t>(tap)]);
    }
  }
  return axis;
}

// Returns the position of an output on the input axis. The product is rounded to f32 before the addition.
float fixed_coordinate(const AxisRule& rule, int64_t position) {
  const bool aligns = rule.resize->coordinate == CoordinateMode::kAlignCorners;
  const int64_t corner = aligns && rule.output != 1 ? 1 : 0;
  const float ratio = rule.resize->scales.empty() || aligns
                          ? static_cast<float>(rule.input - corner) / static_cast<float>(rule.output - corner)
                          : 1.0f / rule.scale;
  const auto scaled = static_cast<float>(static_cast<double>(position) * ratio);
  if (aligns || rule.resize->coordinate == CoordinateMode::kAsymmetric) return scaled;
  if (rule.resize->coordinate == CoordinateMode::kPytorchHalfPixel && rule.output == 1) return 0;
  const float offset = rule.resize->coordinate == CoordinateMode::kTfHalfPixelForNn ? 0 : 0.5f;
  return scaled + (0.5f * ratio - offset);
}

}  // namespace

FixedAxis fixed_axis(const OperatorSpec& spec, int axis) {
  const AxisRule rule = axis_rule(spec, axis);
  FixedAxis result{rule.input, rule.output, {}, {}};
  const auto last = static_cast<float>(rule.input - 1);
  for (int64_t position = 0; position < rule.output; ++position) {
    const float x =
        rule.is_copy() ? static_cast<float>(position) : std::clamp(fixed_coordinate(rule, position), 0.0f, last);
    const float base = std::floor(x);
    const auto first = static_cast<int32_t>(base);
    result.indices.push_back(first);
    result.indices.push_back(std::min(first + 1, static_cast<int32_t>(rule.input - 1)));
    result.weights.push_back(s8c::interpolation_weight(x - base));
  }
  return result;
}

bool resize_copies_channels(const OperatorSpec& spec) {
  return axis_rule(spec, 0).is_copy() && axis_rule(spec, 1).is_copy();
}

std::vector<ResizeAxis> resize_axes(const OperatorSpec& spec) {
  std::vector<ResizeAxis> axes;
  for (int axis = 0; axis < spec.inputs[0].shape.rank(); ++axis) axes.push_back(resize_axis(axis_rule(spec, axis)));
  return axes;
}

}  // namespace nestrt::kernels
