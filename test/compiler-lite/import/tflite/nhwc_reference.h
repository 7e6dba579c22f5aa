// SPDX-License-Identifier: Apache-2.0
// Reference implementations of convolutions and pools over [1, H, W, C], as plain loops that follow the format's
// definition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace nestrt::test {

struct Nhwc {
  int64_t height = 0, width = 0, channels = 0;
  std::vector<double> elements{};

  double at(int64_t y, int64_t x, int64_t c) const {
    return elements[static_cast<size_t>((y * width + x) * channels + c)];
  }
};

struct NhwcWindow {
  int64_t size = 1, stride = 1, dilation = 1;
  bool same = true;

  int64_t outputs(int64_t inputs) const {
    const int64_t extent = (size - 1) * dilation + 1;
    return same ? (inputs + stride - 1) / stride : (inputs - extent + stride) / stride;
  }
  int64_t start(int64_t inputs) const {
    const int64_t total = (outputs(inputs) - 1) * stride + (size - 1) * dilation + 1 - inputs;
    return same ? std::max<int64_t>(total, 0) / 2 : 0;
  }
};

// Calls visit(window element, input index) for every element of the window of output `position` inside the input.
template <typename Visit>
void for_each_in_window(const NhwcWindow& window, int64_t inputs, int64_t position, const Visit& visit) {
  for (int64_t k = 0; k < window.size; ++k) {
    const int64_t at = position * window.stride - window.start(inputs) + k * window.dilation;
    if (at >= 0 && at < inputs) visit(k, at);
  }
}

// Computes each output as combine(c, visit), where visit(f) calls f(ky, kx, iy, ix) for each element of the window.
inline Nhwc slide(
    const Nhwc& x, const NhwcWindow& window, int64_t channels,
    const std::function<double(
        int64_t channel, const std::function<void(const std::function<void(int64_t, int64_t, int64_t, int64_t)>&)>&)>&
        combine) {
  Nhwc result{window.outputs(x.height), window.outputs(x.width), channels};
  for (int64_t oy = 0; oy < result.height; ++oy)
    for (int64_t ox = 0; ox < result.width; ++ox)
      for (int64_t c = 0; c < channels; ++c)
        result.elements.push_back(combine(c, [&](const auto& read) {
          for_each_in_window(window, x.height, oy, [&](int64_t ky, int64_t iy) {
            for_each_in_window(window, x.width, ox, [&](int64_t kx, int64_t ix) { read(ky, kx, iy, ix); });
          });
        }));
  return result;
}

// Weights: [M, K, K, C]. `zero` is subtracted from every input and is also the value of the padding.
template <typename T>
Nhwc convolve(const Nhwc& x, const std::vector<T>& weights, int64_t outputs, const NhwcWindow& window,
              double zero = 0) {
  return slide(x, window, outputs, [&](int64_t m, const auto& visit) {
    double sum = 0;
    visit([&](int64_t ky, int64_t kx, int64_t iy, int64_t ix) {
      for (int64_t c = 0; c < x.channels; ++c) {
        const auto index = static_cast<size_t>(((m * window.size + ky) * window.size + kx) * x.channels + c);
        sum += (x.at(iy, ix, c) - zero) * weights[index];
      }
    });
    return sum;
  });
}

// Weights: [1, K, K, C].
template <typename T>
Nhwc convolve_depthwise(const Nhwc& x, const std::vector<T>& weights, const NhwcWindow& window, double zero = 0) {
  return slide(x, window, x.channels, [&](int64_t c, const auto& visit) {
    double sum = 0;
    visit([&](int64_t ky, int64_t kx, int64_t iy, int64_t ix) {
      sum += (x.at(iy, ix, c) - zero) * weights[static_cast<size_t>((ky * window.size + kx) * x.channels + c)];
    });
    return sum;
  });
}

inline Nhwc max_pool(const Nhwc& x, const NhwcWindow& window) {
  return slide(x, window, x.channels, [&](int64_t c, const auto& visit) {
    double largest = -1e30;
    visit([&](int64_t, int64_t, int64_t iy, int64_t ix) { largest = std::max(largest, x.at(iy, ix, c)); });
    return largest;
  });
}

// Adds one bias per channel and clips.
inline void finish(Nhwc& x, const std::vector<float>& bias, double low, double high) {
  for (size_t i = 0; i < x.elements.size(); ++i)
    x.elements[i] = std::clamp(x.elements[i] + bias[i % static_cast<size_t>(x.channels)], low, high);
}

}  // namespace nestrt::test
