// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/weights.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"
#include "kernels/common/quantization/s8_arithmetic.h"
#include "kernels/common/quantization/s8_operands.h"

namespace nestrt::compiler {
namespace {

namespace s8 = kernels::s8;

// Maximum increase of an exponent by clipping. A larger increase would clip half of a weight distribution, which costs
// more than finer steps gain.
constexpr int kMaxClipping = 3;

// View of the weights by output channel.
struct Channels {
  std::span<const float> elements;
  std::span<const float> bias;  // empty if absent
  int64_t count = 0;
  int64_t group_inputs = 0;  // input channels per group
  int64_t groups = 1;
  bool innermost = false;  // the channel is the innermost axis
  // By kernel position: the fraction of outputs for which the weight multiplies input elements rather than padding.
  std::vector<double> shares = {1};

  int64_t length() const { return static_cast<int64_t>(elements.size()) / count; }
  size_t index(int64_t channel, int64_t i) const {
    return static_cast<size_t>(innermost ? i * count + channel : channel * length() + i);
  }
  double share(int64_t i) const { return shares[static_cast<size_t>(i) % shares.size()]; }
  // Returns the input channel that weight `i` of an output channel multiplies.
  int64_t input_channel(int64_t channel, int64_t i) const {
    return channel / (count / groups) * group_inputs + i / (length() / group_inputs);
  }
};

// Returns the fractions along one axis, by tap.
std::vector<double> shares_along(const ops::Conv& conv, size_t axis, int64_t input, int64_t output) {
  std::vector<double> shares(static_cast<size_t>(conv.kernel[axis]), 0);
  for (size_t tap = 0; tap < shares.size(); ++tap) {
    for (int64_t y = 0; y < output; ++y) {
      const int64_t at = y * conv.stride[axis] - conv.pad_begin[axis] + static_cast<int64_t>(tap) * conv.dilation[axis];
      shares[tap] += at >= 0 && at < input;
    }
    shares[tap] /= static_cast<double>(std::max<int64_t>(output, 1));
  }
  return shares;
}

// Returns the fractions of all taps; the last axis is innermost.
std::vector<double> shares_of(const ops::Conv& conv, const Shape& input, const Shape& output) {
  std::vector<double> shares = {1};
  for (size_t axis = 0; axis < conv.kernel.size(); ++axis) {
    const int at = static_cast<int>(axis) + 2;
    const std::vector<double> along = shares_along(conv, axis, input[at], output[at]);
    std::vector<double> all;
    for (const double before : shares)
      for (const double each : along) all.push_back(before * each);
    shares = std::move(all);
  }
  return shares;
}

Channels channels_of(const Graph& graph, const Node& node) {
  const Value& weights = graph.value(node.inputs[kWeights]);
  const auto* conv = node.as<ops::Conv>();
  Channels channels;
  channels.elements = floats(graph, node.inputs[kWeights]);
  if (node.input(kBias) != kNoValue) channels.bias = floats(graph, node.inputs[kBias]);
  channels.innermost = conv == nullptr;
  channels.count = weights.shape[output_channel_axis(node)];
  channels.group_inputs = weights.shape[1 - output_channel_axis(node)];
  channels.groups = conv == nullptr ? 1 : conv->group;
  if (conv != nullptr)
    channels.shares = shares_of(*conv, graph.value(node.inputs[0]).shape, graph.value(node.outputs[0]).shape);
  return channels;
}

// Range of weight exponents that keep the shift, or the wide output's exponent, within its limits.
struct Range {
  int low;
  int high;
};

Range allowed(const ProductExponents& around) {
  const int low = around.output ? *around.output - around.input : -s8::kMaxWideExponent - around.input;
  const int high = around.output ? low + s8::kMaxShift : s8::kMaxWideExponent - around.input;
  return {std::max(low, -s8::kMaxExponent), std::min(high, s8::kMaxExponent)};
}

class Quantizer {
 public:
  Quantizer(const Channels& channels, const ProductExponents& around, const WeightOptions& options)
      : channels_(channels), around_(around), options_(options), range_(allowed(around)) {
    const auto inputs = static_cast<size_t>(channels.groups * channels.group_inputs);
    if (options.input_means.size() == inputs) means_ = options.input_means;
  }

  std::optional<QuantizedProduct> run() const {
    QuantizedProduct result;
    const int64_t step = options_.per_channel ? 1 : channels_.count;
    for (int64_t first = 0; first < channels_.count; first += step) {
      const std::optional<int> exponent = choose(first, first + step);
      if (!exponent) return std::nullopt;
      result.exponents.push_back(*exponent);
    }
    write(&result);
    return result;
  }

 private:
  // Returns the common exponent of channels [first, last).
  std::optional<int> choose(int64_t first, int64_t last) const {
    float magnitude = 0;
    for (int64_t c = first; c < last; ++c) {
      for (int64_t i = 0; i < channels_.length(); ++i) {
        const float weight = channels_.elements[channels_.index(c, i)];
        if (!std::isfinite(weight)) return std::nullopt;
        magnitude = std::max(magnitude, std::abs(weight));
      }
    }
    int exponent = std::min(largest_exponent(magnitude).value_or(range_.high), range_.high);
    if (options_.least_squares && magnitude > 0) exponent = least_squares(first, last, exponent);
    const auto all_fit = [&] {
      for (int64_t c = first; c < last; ++c)
        if (!fits(c, exponent)) return false;
      return true;
    };
    while (exponent >= range_.low && !all_fit()) --exponent;
    return exponent < range_.low ? std::nullopt : std::optional(exponent);
  }

  // Returns the exponent with the smallest squared error, searching from `exponent` upwards.
  int least_squares(int64_t first, int64_t last, int exponent) const {
    int best = exponent;
    double smallest = std::numeric_limits<double>::infinity();
    const int end = std::min(exponent + kMaxClipping, range_.high);
    for (int candidate = exponent; candidate <= end; ++candidate) {
      double error = 0;
      for (int64_t c = first; c < last; ++c) error += squared_error(c, candidate);
      if (error < smallest) smallest = error, best = candidate;
    }
    return best;
  }

  double error(int64_t channel, int64_t i, int exponent) const {
    const size_t at = channels_.index(channel, i);
    return s8::dequantize(s8::quantize(channels_.elements[at], exponent), exponent) - double{channels_.elements[at]};
  }

  double squared_error(int64_t channel, int exponent) const {
    double sum = 0;
    for (int64_t i = 0; i < channels_.length(); ++i) {
      const double each = error(channel, i, exponent);
      sum += each * each;
    }
    return sum;
  }

  // Returns the bias minus the mean output error caused by rounding the weights.
  double bias(int64_t channel, int exponent) const {
    double result = channels_.bias.empty() ? 0 : channels_.bias[static_cast<size_t>(channel)];
    if (means_.empty()) return result;
    for (int64_t i = 0; i < channels_.length(); ++i)
      result -= error(channel, i, exponent) * channels_.share(i) *
                means_[static_cast<size_t>(channels_.input_channel(channel, i))];
    return result;
  }

  // Returns true if no input can overflow the channel's int32 accumulator, including the rounding term.
  bool fits(int64_t channel, int exponent) const {
    double sum = 0;  // exact below 2^53
    for (int64_t i = 0; i < channels_.length(); ++i)
      sum += 128.0 * std::abs(int{s8::quantize(channels_.elements[channels_.index(channel, i)], exponent)});
    sum += std::ceil(std::abs(std::ldexp(bias(channel, exponent), around_.input + exponent)));
    if (around_.output) sum += s8::rounding_term(around_.input + exponent - *around_.output, ops::Rounding::kHalfUp);
    return sum < std::numeric_limits<int32_t>::max();
  }

  void write(QuantizedProduct* result) const {
    result->weights.resize(channels_.elements.size());
    for (int64_t c = 0; c < channels_.count; ++c) {
      const int exponent = result->exponents[options_.per_channel ? static_cast<size_t>(c) : 0];
      for (int64_t i = 0; i < channels_.length(); ++i)
        result->weights[channels_.index(c, i)] = s8::quantize(channels_.elements[channels_.index(c, i)], exponent);
      const double scaled = std::ldexp(bias(c, exponent), around_.input + exponent);
      result->bias.push_back(static_cast<int32_t>(std::floor(scaled + 0.5)));
    }
    if (channels_.bias.empty() && std::all_of(result->bias.begin(), result->bias.end(), [](int b) { return b == 0; }))
      result->bias.clear();
  }

  const Channels& channels_;
  const ProductExponents& around_;
  const WeightOptions& options_;
  const Range range_;
  std::span<const float> means_;
};

}  // namespace

std::optional<int> largest_exponent(float magnitude) {
  if (magnitude == 0) return std::nullopt;
  const int exponent = 6 - std::ilogb(magnitude);  // 64 to 128
  return std::ldexp(magnitude, exponent) < 127.5f ? exponent : exponent - 1;
}

std::optional<QuantizedProduct> quantize_product(const Graph& graph, const Node& node, const ProductExponents& around,
                                                 const WeightOptions& options) {
  const Channels channels = channels_of(graph, node);
  return Quantizer(channels, around, options).run();
}

}  // namespace nestrt::compiler
