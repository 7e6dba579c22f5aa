// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace reference {
namespace {

// Rounds to the nearest integer; NaN becomes 0.
int8_t integer_of(float value, float least) {
  const float nearest = std::nearbyint(value);
  return std::isnan(nearest) ? int8_t{0} : static_cast<int8_t>(std::clamp(nearest, least, 127.0f));
}

// Returns the scale that maps the largest element to 127.
float quantize(const std::vector<float>& values, std::vector<int8_t>& result) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::fabs(value));
  const float scale = largest / 127;
  result.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) result[i] = scale > 0 ? integer_of(values[i] / scale, -127) : int8_t{0};
  return scale;
}

// Uses 16-bit operands because processors have an instruction for the sum of two such products.
int32_t dot(const int16_t* a, const int16_t* b, size_t count) {
  int32_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += int32_t{a[i]} * b[i];
  return sum;
}

// Returns the input position that a window reads along one axis. Positions outside the input are padding.
int64_t place(const Window& window, int axis, uint32_t position, uint32_t tap) {
  return int64_t{position} * window.stride[axis] + int64_t{tap} * window.dilation[axis] - window.begin[axis];
}

struct Image {
  const int8_t* data;
  uint32_t channels, height, width;
};

// Copies what the window at (y, x) reads, for all channels.
void take_window(const Image& image, const Window& window, uint32_t y, uint32_t x, int16_t* taken) {
  for (uint32_t channel = 0; channel < image.channels; ++channel) {
    const int8_t* const plane = image.data + size_t{channel} * image.height * image.width;
    for (uint32_t ky = 0; ky < window.kernel[0]; ++ky) {
      const int64_t row = place(window, 0, y, ky);
      for (uint32_t kx = 0; kx < window.kernel[1]; ++kx) {
        const int64_t column = place(window, 1, x, kx);
        const bool is_inside = row >= 0 && row < image.height && column >= 0 && column < image.width;
        *taken++ = is_inside ? plane[row * image.width + column] : int16_t{0};
      }
    }
  }
}

}  // namespace

Engine::Engine(Program program) : program_(std::move(program)) {
  tensors_.reserve(program_.tensors.size());
  for (const Tensor& tensor : program_.tensors) tensors_.emplace_back(tensor.elements());
}

void Engine::read(uint32_t index, const void* from) {
  std::vector<float>& tensor = tensors_[index];
  const auto* const integers = static_cast<const int8_t*>(from);
  if (program_.tensors[index].is_int8 != 0)
    std::copy_n(integers, tensor.size(), tensor.begin());
  else
    std::memcpy(tensor.data(), from, tensor.size() * sizeof(float));
}

void Engine::write(uint32_t index, void* to) const {
  const std::vector<float>& tensor = tensors_[index];
  if (program_.tensors[index].is_int8 != 0)
    std::transform(tensor.begin(), tensor.end(), static_cast<int8_t*>(to),
                   [](float value) { return integer_of(value, -128); });
  else
    std::memcpy(to, tensor.data(), tensor.size() * sizeof(float));
}

bool Engine::run(const std::vector<const void*>& inputs, const std::vector<void*>& outputs,
                 const std::function<bool()>& goes_on) {
  for (size_t i = 0; i < inputs.size(); ++i) read(program_.inputs[i], inputs[i]);
  for (const Operator& op : program_.operators) {
    if (!goes_on()) return false;
    compute(op);
  }
  if (!goes_on()) return false;
  for (size_t i = 0; i < outputs.size(); ++i) write(program_.outputs[i], outputs[i]);
  return true;
}

void Engine::compute(const Operator& op) {
  const std::vector<float>& x = tensors_[op.inputs[0]];
  std::vector<float>& y = tensors_[op.output];
  switch (op.kind) {
    case Kind::kProduct:
      return product(op);
    case Kind::kAffine:
      return affine(op);
    case Kind::kAdd:
      for (size_t i = 0; i < y.size(); ++i) y[i] = x[i] + tensors_[op.inputs[1]][i];
      return;
    case Kind::kClip:
      for (size_t i = 0; i < y.size(); ++i) y[i] = std::min(std::max(x[i], op.values[0]), op.values[1]);
      return;
    case Kind::kMaxPool:
    case Kind::kAveragePool:
      return pool(op);
    case Kind::kConcat:
      return concat(op);
    case Kind::kCopy:
      y = x;
      return;
    case Kind::kResponseNorm:
      return response_norm(op);
    case Kind::kSoftmax:
      return softmax(op);
    case Kind::kQuantize:
      for (size_t i = 0; i < y.size(); ++i) y[i] = integer_of(x[i] / op.values[0] + op.values[1], -128);
      return;
    case Kind::kDequantize:
      for (size_t i = 0; i < y.size(); ++i) y[i] = (x[i] - op.values[1]) * op.values[0];
      return;
  }
}

void Engine::product(const Operator& op) {
  const auto &in = shape(op.inputs[0]), &out = shape(op.output);
  const float scale = quantize(tensors_[op.inputs[0]], quantized_);
  const uint32_t group_in = in[1] / op.groups, group_out = out[1] / op.groups;
  const size_t taps = size_t{group_in} * op.window.kernel[0] * op.window.kernel[1];
  const size_t pixels = size_t{out[2]} * out[3];
  columns_.resize(pixels * taps);
  for (uint32_t n = 0; n < in[0] * op.groups; ++n) {  // images and groups are consecutive
    const Image image{quantized_.data() + size_t{n} * group_in * in[2] * in[3], group_in, in[2], in[3]};
    for (uint32_t y = 0; y < out[2]; ++y)
      for (uint32_t x = 0; x < out[3]; ++x)
        take_window(image, op.window, y, x, columns_.data() + (size_t{y} * out[3] + x) * taps);
    float* result = tensors_[op.output].data() + size_t{n} * group_out * pixels;
    for (uint32_t channel = n % op.groups * group_out; channel < (n % op.groups + 1) * group_out; ++channel) {
      const int8_t* const weights = op.weights.data() + channel * taps;
      kernel_.assign(weights, weights + taps);
      for (size_t pixel = 0; pixel < pixels; ++pixel) {
        const int32_t sum = dot(kernel_.data(), columns_.data() + pixel * taps, taps);
        *result++ = static_cast<float>(sum) * (scale * op.scales[channel]) + op.bias[channel];
      }
    }
  }
}

void Engine::affine(const Operator& op) {
  const auto& dims = shape(op.output);
  const std::vector<float>& x = tensors_[op.inputs[0]];
  std::vector<float>& y = tensors_[op.output];
  const size_t inner = y.size() / (size_t{dims[0]} * dims[1]);
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t channel = i / inner % dims[1];
    y[i] = x[i] * op.scales[channel] + op.bias[channel];
  }
}

void Engine::pool(const Operator& op) {
  const auto &in = shape(op.inputs[0]), &out = shape(op.output);
  const bool is_max = op.kind == Kind::kMaxPool;
  const float* plane = tensors_[op.inputs[0]].data();
  float* result = tensors_[op.output].data();
  for (size_t n = 0; n < size_t{in[0]} * in[1]; ++n, plane += size_t{in[2]} * in[3]) {
    for (uint32_t y = 0; y < out[2]; ++y) {
      for (uint32_t x = 0; x < out[3]; ++x) {
        float best = -std::numeric_limits<float>::infinity(), sum = 0;
        uint32_t count = 0;
        for (uint32_t ky = 0; ky < op.window.kernel[0]; ++ky) {
          for (uint32_t kx = 0; kx < op.window.kernel[1]; ++kx) {
            const int64_t row = place(op.window, 0, y, ky), column = place(op.window, 1, x, kx);
            if (row < 0 || row >= in[2] || column < 0 || column >= in[3]) continue;
            const float value = plane[row * in[3] + column];
            best = std::max(best, value);
            sum += value;
            ++count;
          }
        }
        if (op.counts_padding != 0) count = op.window.kernel[0] * op.window.kernel[1];
        *result++ = is_max ? best : sum / static_cast<float>(count);
      }
    }
  }
}

void Engine::concat(const Operator& op) {
  const auto& out = shape(op.output);
  size_t outer = 1, inner = 1;
  for (size_t axis = 0; axis < op.axis; ++axis) outer *= out[axis];
  for (size_t axis = op.axis + 1; axis < out.size(); ++axis) inner *= out[axis];
  float* result = tensors_[op.output].data();
  for (size_t i = 0; i < outer; ++i) {
    for (const uint32_t input : op.inputs) {
      const size_t count = shape(input)[op.axis] * inner;
      std::copy_n(tensors_[input].data() + i * count, count, result);
      result += count;
    }
  }
}

// Computes y = x / (bias + alpha / size * sum of squares)^beta in f32.
void Engine::response_norm(const Operator& op) {
  const auto& dims = shape(op.output);
  const std::vector<float>& x = tensors_[op.inputs[0]];
  std::vector<float>& y = tensors_[op.output];
  const int64_t channels = dims[1], pixels = int64_t{dims[2]} * dims[3], size = op.size;
  for (size_t i = 0; i < y.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i), channel = at / pixels % channels;
    const int64_t first = std::max<int64_t>(0, channel - (size - 1) / 2);
    const int64_t last = std::min<int64_t>(channels - 1, channel + size / 2);
    float sum = 0;
    for (int64_t other = first; other <= last; ++other) {
      const float value = x[static_cast<size_t>(at + (other - channel) * pixels)];
      sum += value * value;
    }
    y[i] = x[i] / std::pow(op.values[2] + op.values[0] / static_cast<float>(size) * sum, op.values[1]);
  }
}

void Engine::softmax(const Operator& op) {
  const auto& dims = shape(op.output);
  const std::vector<float>& x = tensors_[op.inputs[0]];
  std::vector<float>& y = tensors_[op.output];
  size_t inner = 1;
  for (size_t axis = op.axis + 1; axis < dims.size(); ++axis) inner *= dims[axis];
  const size_t count = dims[op.axis];
  for (size_t line = 0; line < y.size() / count; ++line) {
    const size_t start = line / inner * count * inner + line % inner;
    float largest = x[start], sum = 0;
    for (size_t i = 0; i < count; ++i) largest = std::max(largest, x[start + i * inner]);
    for (size_t i = 0; i < count; ++i) sum += y[start + i * inner] = std::exp(x[start + i * inner] - largest);
    for (size_t i = 0; i < count; ++i) y[start + i * inner] /= sum;
  }
}

}  // namespace reference
