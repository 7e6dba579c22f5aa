#include "compiler-lite/quantize/weights.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "compiler-lite/passes/rewrite.h"
#include "kernels/common/s8_arithmetic.h"
#include "kernels/common/s8_operands.h"

namespace nestrt::compiler {
namespace {

namespace s8 = kernels::s8;

constexpr size_t kWeights = 1, kBias = 2;

// Weights seen as output channels.
struct Channels {
  std::span<const float> elements;
  std::span<const float> bias;  // empty for none
  int64_t count = 0;
  bool innermost = false;  // channels lie side by side

  int64_t length() const { return static_cast<int64_t>(elements.size()) / count; }
  size_t index(int64_t channel, int64_t i) const {
    return static_cast<size_t>(innermost ? i * count + channel : channel * length() + i);
  }
};

Channels channels_of(const Graph& graph, const Node& node) {
  const int axis = output_channel_axis(node);
  const ValueId weights = node.inputs[kWeights], bias = node.input(kBias);
  return {floats(graph, weights), bias == kNoValue ? std::span<const float>() : floats(graph, bias),
          graph.value(weights).shape[axis], axis == 1};
}

float magnitude(const Channels& channels, int64_t channel) {
  float largest = 0;
  for (int64_t i = 0; i < channels.length(); ++i)
    largest = std::max(largest, std::abs(channels.elements[channels.index(channel, i)]));
  return largest;
}

// Exponents of weights that keep the shift, or the wide output's exponent, within its limits.
struct Range {
  int low;
  int high;
};

Range allowed(const ProductExponents& around) {
  const int low = around.output ? *around.output - around.input : -s8::kMaxWideExponent - around.input;
  const int high = around.output ? low + s8::kMaxShift : s8::kMaxWideExponent - around.input;
  return {std::max(low, -s8::kMaxExponent), std::min(high, s8::kMaxExponent)};
}

// Whether no input can make the accumulator of the channel leave int32, the rounding term included.
bool fits(const Channels& channels, int64_t channel, int exponent, const ProductExponents& around) {
  double sum = 0;  // exact below 2^53
  for (int64_t i = 0; i < channels.length(); ++i)
    sum += 128.0 * std::abs(int{s8::quantize(channels.elements[channels.index(channel, i)], exponent)});
  if (!channels.bias.empty())
    sum +=
        std::ceil(std::abs(std::ldexp(double{channels.bias[static_cast<size_t>(channel)]}, around.input + exponent)));
  if (around.output) sum += s8::rounding_term(around.input + exponent - *around.output, plan::Rounding::half_up);
  return sum < std::numeric_limits<int32_t>::max();
}

// The largest exponent that the channel's weights and accumulators fit.
std::optional<int> channel_exponent(const Channels& channels, int64_t channel, const ProductExponents& around) {
  const Range range = allowed(around);
  int exponent = std::min(largest_exponent(magnitude(channels, channel)).value_or(range.high), range.high);
  while (exponent >= range.low && !fits(channels, channel, exponent, around)) --exponent;
  return exponent < range.low ? std::nullopt : std::optional(exponent);
}

int32_t quantized_bias(const Channels& channels, int64_t channel, int exponent) {
  if (channels.bias.empty()) return 0;
  return static_cast<int32_t>(
      std::floor(std::ldexp(double{channels.bias[static_cast<size_t>(channel)]}, exponent) + 0.5));
}

}  // namespace

std::optional<int> largest_exponent(float magnitude) {
  if (magnitude == 0) return std::nullopt;
  const int exponent = 6 - std::ilogb(magnitude);  // 64 to 128
  return std::ldexp(magnitude, exponent) < 127.5f ? exponent : exponent - 1;
}

int output_channel_axis(const Node& node) { return node.as<plan::DenseT>() != nullptr ? 1 : 0; }

std::optional<QuantizedProduct> quantize_product(const Graph& graph, const Node& node, const ProductExponents& around,
                                                 bool per_channel) {
  const Channels channels = channels_of(graph, node);
  QuantizedProduct result;
  for (int64_t c = 0; c < channels.count; ++c) {
    const std::optional<int> exponent = channel_exponent(channels, c, around);
    if (!exponent) return std::nullopt;
    result.exponents.push_back(*exponent);
  }
  if (!per_channel) {
    const int smallest = *std::min_element(result.exponents.begin(), result.exponents.end());
    std::fill(result.exponents.begin(), result.exponents.end(), smallest);
  }
  result.weights.resize(channels.elements.size());
  for (int64_t c = 0; c < channels.count; ++c) {
    const int exponent = result.exponents[static_cast<size_t>(c)];
    for (int64_t i = 0; i < channels.length(); ++i)
      result.weights[channels.index(c, i)] = s8::quantize(channels.elements[channels.index(c, i)], exponent);
    result.bias.push_back(quantized_bias(channels, c, around.input + exponent));
  }
  if (!per_channel) result.exponents.resize(1);
  return result;
}

}  // namespace nestrt::compiler
