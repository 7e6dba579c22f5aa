// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/stem.h"

#include <utility>

#include "compiler-lite/codegen/evta/layer/layer_shape.h"

namespace nestrt::compiler::evta {
namespace {

// Returns the number of pixels to add before the image so that the first window starts at a folded pixel.
int64_t shift_of(const LayerAxis& axis, int64_t fold) { return (fold - axis.pad_begin % fold) % fold; }

// Requires stride == fold. Windows start up to fold - 1 pixels earlier and end later; the additional weights are zero.
LayerAxis folded(const LayerAxis& axis, int64_t fold) {
  LayerAxis result;
  const int64_t shift = shift_of(axis, fold);
  result.input = ceil_div(axis.input, fold);
  result.kernel = ceil_div(axis.kernel + shift, fold);
  result.pad_begin = (axis.pad_begin + shift) / fold;
  result.pad_end = axis.output() - 1 + result.kernel - result.pad_begin - result.input;
  if (result.pad_end < 0) result.kernel -= std::exchange(result.pad_end, 0);  // the last pixels are in no window
  return result;
}

std::vector<int8_t> folded_weights(const ConvLayer& layer, const ConvLayer& folded, int64_t fold) {
  std::vector<int8_t> weights(
      static_cast<size_t>(folded.out_channels * folded.in_channels * folded.y.kernel * folded.x.kernel));
  const int64_t shift_y = shift_of(layer.y, fold), shift_x = shift_of(layer.x, fold);
  size_t from = 0;
  for (int64_t output = 0; output < layer.out_channels; ++output)
    for (int64_t input = 0; input < layer.in_channels; ++input)
      for (int64_t tap_y = shift_y; tap_y < layer.y.kernel + shift_y; ++tap_y)
        for (int64_t tap_x = shift_x; tap_x < layer.x.kernel + shift_x; ++tap_x) {
          const int64_t channel = (tap_y % fold * fold + tap_x % fold) * layer.in_channels + input;
          const int64_t row = (output * folded.in_channels + channel) * folded.y.kernel + tap_y / fold;
          weights[static_cast<size_t>(row * folded.x.kernel + tap_x / fold)] = layer.weights[from++];
        }
  return weights;
}

// Returns the number of block products per result element.
int64_t products(int64_t channels, int64_t block, const LayerAxis& y, const LayerAxis& x) {
  return ceil_div(channels, block) * y.kernel * x.kernel;
}

}  // namespace

ConvLayer folded_stem(const ConvLayer& layer, int64_t fold) {
  ConvLayer result = layer;
  result.in_channels = layer.in_channels * fold * fold;
  result.y = folded(layer.y, fold);
  result.x = folded(layer.x, fold);
  result.weights = folded_weights(layer, result, fold);
  return result;
}

Layout stem_layout(const ConvLayer& layer, int64_t block) {
  const int64_t stride = layer.y.stride;
  if (layer.is_identity() || layer.groups != 1 || layer.x.stride != stride) return Layout::kBlocked16;
  for (const Layout layout : {Layout::kFolded2, Layout::kFolded4, Layout::kFolded8})
    if (fold_of(layout) == stride &&
        products(layer.in_channels * stride * stride, block, folded(layer.y, stride), folded(layer.x, stride)) <
            products(layer.in_channels, block, layer.y, layer.x))
      return layout;
  return Layout::kBlocked16;
}

}  // namespace nestrt::compiler::evta
