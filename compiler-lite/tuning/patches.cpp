// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/patches.h"

#include "compiler-lite/passes/product.h"

namespace nestrt::compiler {

PatchReader::PatchReader(const Graph& graph, const Node& product) {
  const Shape& input = graph.value(product.inputs[0]).shape;
  const Shape& output = graph.value(product.outputs[0]).shape;
  images_ = input[0];
  channels_ = input[1];
  const auto* conv = product.as<ops::Conv>();
  if (conv == nullptr) return;
  groups_ = conv->group;
  kernel_ = conv->kernel, stride_ = conv->stride, dilation_ = conv->dilation, pad_ = conv->pad_begin;
  for (size_t axis = 0; axis < kernel_.size(); ++axis) {
    input_size_.push_back(input[static_cast<int>(axis) + 2]);
    output_size_.push_back(output[static_cast<int>(axis) + 2]);
    positions_ *= output_size_.back();
    num_taps_ *= static_cast<size_t>(kernel_[axis]);
  }
}

void PatchReader::read(std::span<const float> input, int64_t index, float* patch) const {
  int64_t pixels = 1;
  for (const int64_t size : input_size_) pixels *= size;
  const float* image = input.data() + index / positions_ * channels_ * pixels;
  for (size_t tap = 0; tap < num_taps_; ++tap) {
    int64_t position = index % positions_, rest = static_cast<int64_t>(tap), offset = 0, step = 1;
    bool inside = true;
    for (size_t axis = kernel_.size(); axis-- > 0;) {
      const int64_t at =
          position % output_size_[axis] * stride_[axis] - pad_[axis] + rest % kernel_[axis] * dilation_[axis];
      inside = inside && at >= 0 && at < input_size_[axis];
      offset += at * step;
      step *= input_size_[axis];
      position /= output_size_[axis];
      rest /= kernel_[axis];
    }
    for (int64_t channel = 0; channel < channels_; ++channel)
      patch[static_cast<size_t>(channel) * num_taps_ + tap] = inside ? image[channel * pixels + offset] : 0;
  }
}

}  // namespace nestrt::compiler
