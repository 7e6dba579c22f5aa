// SPDX-License-Identifier: Apache-2.0
// Tests Winograd convolution with operands of very different magnitudes, infinities and NaN. On instruction sets
// without Winograd kernels, checks that no kernel accepts the layer (test/kernels/conv/conv_kernels_test.cpp).
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/common/packing/packing.h"
#include "kernels/common/simd/simd.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

constexpr int64_t kTile = 4, kKernel = 3;

struct Variant {
  const char* name;
  Packing packing;
  int64_t stride, tile, reach;  // `tile` and `reach`: outputs and inputs of a tile along an axis
  InstructionSet needs;

  bool is_there() const { return includes(kernels::current_instruction_set(), needs); }
};
constexpr Variant kFour{"conv.f32.winograd16", Packing::kWinograd16, 1, kTile, 6, InstructionSet::kNeon};
constexpr Variant kWide{"conv.f32.winograd16.wide", Packing::kWinograd16, 1, kTile, 6, InstructionSet::kAvx2};
constexpr Variant kVariants[] = {
    kFour,
    kWide,
    {"conv.f32.winograd16.two", Packing::kWinograd16Two, 1, 2, 4, InstructionSet::kNeon},
    {"conv.f32.winograd16.strided", Packing::kWinograd16Strided, 2, 2, 5, InstructionSet::kNeon}};

// Returns the variant with tiles of 4 x 4 that this machine supports.
const Variant& four_by_four() { return kWide.is_there() ? kWide : kFour; }

// A 3 x 3 convolution with one pixel of padding on each side.
struct WinogradLayer {
  Shape x, weights;
  int64_t outputs() const { return weights[0]; }
  int64_t channels() const { return x[1]; }
  int64_t height() const { return x[2]; }
  int64_t width() const { return x[3]; }
};

WinogradLayer layer(int64_t channels, int64_t outputs, int64_t height, int64_t width) {
  return {{1, channels, height, width}, {outputs, channels, kKernel, kKernel}};
}

OperatorCase make_case(const Variant& v, const WinogradLayer& l, const TestTensor& x, const TestTensor& weights,
                       Layout layout) {
  ops::Conv conv;
  conv.kernel = {3, 3};
  conv.dilation = conv.pad_begin = conv.pad_end = {1, 1};
  conv.stride = {static_cast<int>(v.stride), static_cast<int>(v.stride)};
  OperatorCase c(conv);
  c.input(with_layout(x, layout)).input(layout == Layout::kPlain ? weights : as_constant(weights));
  return c.output(DataType::kF32, {1, l.outputs(), (l.height() - 1) / v.stride + 1, (l.width() - 1) / v.stride + 1},
                  layout);
}

// Returns an empty vector if this machine does not support the kernel.
std::vector<float> winograd(const Variant& v, const WinogradLayer& l, const TestTensor& x, const TestTensor& weights) {
  const OperatorCase c = make_case(v, l, x, weights, Layout::kBlocked16);
  const std::vector<std::string> names = c.variants();
  CHECK((std::ranges::find(names, v.name) != names.end()) == v.is_there());
  if (!v.is_there()) return {};
  const std::vector<TestTensor> result = c.run(v.name, 1);
  CHECK(result[0].bytes == c.run(v.name, 3)[0].bytes);
  return result[0].values<float>();
}

std::vector<float> direct(const Variant& v, const WinogradLayer& l, const TestTensor& x, const TestTensor& weights) {
  return reference(make_case(v, l, x, weights, Layout::kPlain))[0].values<float>();
}

std::vector<float> of_any_size(std::mt19937& generator, int64_t count) {
  std::uniform_real_distribution<float> fraction(-1, 1);
  std::uniform_int_distribution<int> exponent(-30, 30);
  std::vector<float> result(static_cast<size_t>(count));
  for (float& value : result) value = std::ldexp(fraction(generator), exponent(generator));
  return result;
}

// Returns the bound of docs/concepts/numerics.md without the factor that depends only on the number of channels. This
// is the sum, over the channels, of max |x| over the inputs of the output's tile, times max |w| over the kernel.
double magnitude_at(const Variant& v, const WinogradLayer& l, const std::vector<float>& x, const std::vector<float>& w,
                    int64_t o, int64_t output_y, int64_t output_x) {
  const int64_t y0 = output_y / v.tile * v.tile * v.stride, x0 = output_x / v.tile * v.tile * v.stride;
  double sum = 0;
  for (int64_t c = 0; c < l.channels(); ++c) {
    double input = 0, weight = 0;
    for (int64_t i = 0; i < kKernel * kKernel; ++i)
      weight =
          std::max(weight, std::abs(double{w[static_cast<size_t>((o * l.channels() + c) * kKernel * kKernel + i)]}));
    for (int64_t i = std::max<int64_t>(y0 - 1, 0); i < std::min(y0 - 1 + v.reach, l.height()); ++i)
      for (int64_t j = std::max<int64_t>(x0 - 1, 0); j < std::min(x0 - 1 + v.reach, l.width()); ++j)
        input = std::max(input, std::abs(double{x[static_cast<size_t>((c * l.height() + i) * l.width() + j)]}));
    sum += input * weight;
  }
  return sum;
}

}  // namespace

TEST_CASE("Winograd errors stay within the documented bound for operands that differ by 18 orders of magnitude") {
  std::mt19937 generator(1);
  for (const Variant& v : kVariants)
    for (const WinogradLayer& l : {layer(16, 17, 13, 13), layer(35, 16, 12, 15), layer(20, 33, 14, 31)}) {
      // Uses equally many tiles for every stride. Strided layers have more channels, so that Winograd is faster.
      const int64_t scale = v.stride, wider = scale == 1 ? 1 : 4;
      const WinogradLayer large =
          layer(l.channels() * wider * scale, l.outputs() * wider, l.height() * scale, l.width() * scale);
      const std::vector<float> x = of_any_size(generator, large.x.num_elements());
      const std::vector<float> w = of_any_size(generator, large.weights.num_elements());
      const TestTensor inputs = tensor(large.x, x), weights = tensor(large.weights, w);
      const std::vector<float> actual = winograd(v, large, inputs, weights);
      if (actual.empty()) continue;
      const std::vector<float> expected = direct(v, large, inputs, weights);
      const double unit = 620 * static_cast<double>(large.channels() + 20) * std::ldexp(1.0, -24);
      for (size_t at = 0; at < actual.size(); ++at) {
        const auto pixel = static_cast<int64_t>(at) % (l.height() * l.width());
        const auto output = static_cast<int64_t>(at) / (l.height() * l.width());
        const double most = unit * magnitude_at(v, large, x, w, output, pixel / l.width(), pixel % l.width());
        if (!(std::abs(double{actual[at]} - expected[at]) <= most))
          FAIL_CHECK(v.name << ": element " << at << " is " << actual[at] << ", expected " << expected[at] << " within "
                            << most);
      }
    }
}

// A 7 x 7 convolution with stride 2 over an image of three channels.
struct FoldedLayer {
  static constexpr int64_t kChannels = 3, kOutputs = 20, kTaps = 7, kPad = 3, kSide = 38, kOut = kSide / 2;
  Shape x_shape{1, kChannels, kSide, kSide}, w_shape{kOutputs, kChannels, kTaps, kTaps};
  std::vector<float> x, w;

  OperatorCase make(Layout out) const {
    ops::Conv conv;
    conv.kernel = {kTaps, kTaps};
    conv.dilation = {1, 1};
    conv.stride = {2, 2};
    conv.pad_begin = conv.pad_end = {kPad, kPad};
    OperatorCase c(conv);
    c.input(tensor(x_shape, x)).input(out == Layout::kPlain ? tensor(w_shape, w) : as_constant(tensor(w_shape, w)));
    return c.output(DataType::kF32, {1, kOutputs, kOut, kOut}, out);
  }
  double largest_weight(int64_t output, int64_t channel) const {
    constexpr int64_t kKernelSize = kTaps * kTaps;
    double largest = 0;
    for (int64_t i = 0; i < kKernelSize; ++i)
      largest =
          std::max(largest, std::abs(double{w[static_cast<size_t>((output * kChannels + channel) * kKernelSize + i)]}));
    return largest;
  }
  // Returns the largest magnitude among the pixels that the tile of an output reads.
  double largest_input(int64_t channel, int64_t output_y, int64_t output_x) const {
    constexpr int64_t kFoldedTile = 3, kReach = 12;
    const auto first = [](int64_t output) { return output / kFoldedTile * kFoldedTile * 2 - kPad - 1; };
    const int64_t y0 = first(output_y), x0 = first(output_x);
    double largest = 0;
    for (int64_t i = std::max<int64_t>(y0, 0); i < std::min(y0 + kReach, kSide); ++i)
      for (int64_t j = std::max<int64_t>(x0, 0); j < std::min(x0 + kReach, kSide); ++j)
        largest = std::max(largest, std::abs(double{x[static_cast<size_t>((channel * kSide + i) * kSide + j)]}));
    return largest;
  }
  // Returns the bound of docs/concepts/numerics.md, with each pixel of a 2 x 2 fold as a separate channel.
  double bound(int64_t output, int64_t output_y, int64_t output_x) const {
    constexpr int64_t kPixels = 4;
    double sum = 0;
    for (int64_t c = 0; c < kChannels; ++c) sum += largest_input(c, output_y, output_x) * largest_weight(output, c);
    return 943 * (kChannels * kPixels + 20) * std::ldexp(1.0, -24) * kPixels * sum;
  }
};

TEST_CASE("Winograd errors over folded images stay within the documented bound for very different operands") {
  constexpr const char* kName = "conv.f32.stem16.winograd";
  constexpr int64_t kOut = FoldedLayer::kOut;
  std::mt19937 generator(4);
  FoldedLayer layer;
  layer.x = of_any_size(generator, layer.x_shape.num_elements());
  layer.w = of_any_size(generator, layer.w_shape.num_elements());
  const OperatorCase folded = layer.make(Layout::kBlocked16);
  const std::vector<std::string> names = folded.variants();
  const bool is_there = includes(kernels::current_instruction_set(), InstructionSet::kNeon);
  CHECK((std::ranges::find(names, kName) != names.end()) == is_there);
  if (!is_there) return;
  const std::vector<TestTensor> result = folded.run(kName, 1);
  CHECK(result[0].bytes == folded.run(kName, 3)[0].bytes);
  const std::vector<float> actual = result[0].values<float>();
  const std::vector<float> expected = reference(layer.make(Layout::kPlain))[0].values<float>();
  for (size_t at = 0; at < actual.size(); ++at) {
    const auto output = static_cast<int64_t>(at) / (kOut * kOut), pixel = static_cast<int64_t>(at) % (kOut * kOut);
    const double most = layer.bound(output, pixel / kOut, pixel % kOut);
    if (!(std::abs(double{actual[at]} - expected[at]) <= most))
      FAIL_CHECK("element " << at << " is " << actual[at] << ", expected " << expected[at] << " within " << most);
  }
}

TEST_CASE("A NaN and an infinity affect the windows that contain them and only adjacent tiles") {
  std::mt19937 generator(2);
  const WinogradLayer l = layer(32, 20, 16, 16);
  const TestTensor weights = random_tensor(generator, l.weights);
  const std::vector<float> finite = random_tensor(generator, l.x).values<float>();
  const std::vector<float> before = winograd(four_by_four(), l, tensor(l.x, finite), weights);
  for (const float special : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> x = finite;
    const int64_t row = 5, column = 10;  // in tile (1, 2); only windows of adjacent tiles reach it
    x[static_cast<size_t>((7 * l.height() + row) * l.width() + column)] = special;
    const std::vector<float> actual = winograd(four_by_four(), l, tensor(l.x, x), weights);
    for (size_t i = 0; i < actual.size(); ++i) {
      const auto at = static_cast<int64_t>(i) % (l.height() * l.width());
      const int64_t y = at / l.width(), z = at % l.width();
      const bool in_window = std::abs(y - row) <= 1 && std::abs(z - column) <= 1;
      const bool near = std::abs(y / kTile - row / kTile) <= 1 && std::abs(z / kTile - column / kTile) <= 1;
      if (in_window && std::isfinite(actual[i])) FAIL_CHECK("output " << i << " is " << actual[i]);
      if (!near && actual[i] != before[i]) FAIL_CHECK("output " << i << " is " << actual[i] << ", not " << before[i]);
    }
  }
}

TEST_CASE("Winograd weights of any size unpack within the rounding error of the largest weight of their kernel") {
  std::mt19937 generator(3);
  const Shape shape{19, 5, kKernel, kKernel};
  std::vector<float> plain = of_any_size(generator, shape.num_elements());
  for (float& value : plain) value = std::ldexp(value, generator() % 2 == 0 ? 60 : -60);
  std::fill_n(plain.begin(), kKernel * kKernel, 0.0f);
  for (const Variant& v : kVariants) {
    std::vector<float> packed(static_cast<size_t>(kernels::packed_bytes(v.packing, shape)) / sizeof(float));
    std::vector<float> back(plain.size(), -1);
    kernels::pack_weights(v.packing, shape, plain.data(), packed.data());
    kernels::unpack_weights(v.packing, shape, packed.data(), back.data());
    for (size_t kernel = 0; kernel < plain.size(); kernel += kKernel * kKernel) {
      double largest = 0;
      for (size_t i = 0; i < kKernel * kKernel; ++i) largest = std::max(largest, std::abs(double{plain[kernel + i]}));
      for (size_t i = 0; i < kKernel * kKernel; ++i)
        CHECK(std::abs(double{back[kernel + i]} - plain[kernel + i]) <= std::ldexp(largest, -21));
    }
  }
}

}  // namespace nestrt::test
