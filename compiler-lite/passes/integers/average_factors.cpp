// SPDX-License-Identifier: Apache-2.0
// Tools that quantize for NPUs replace the division of an average-pool by a multiplication by k / 2^m. In the model, a
// factor f follows the pool such that f / n = k / 2^m for windows of n elements. For example, f = 63/64 and n = 9 give
// 7/64. Between integers whose scales are powers of two, this is a depthwise Conv whose weights are all k with scale
// 2^-m. The same applies to an average over 2^m elements that also changes the scale.
#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler-lite/passes/integers/power_of_two.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/rewrite.h"
#include "kernels/common/quantization/s8_arithmetic.h"
#include "nestrt/shape.h"

namespace nestrt::compiler {
namespace {

namespace s8 = kernels::s8;

constexpr int64_t kMaxElements = 1024;  // maximum number of elements per window, because all possible sums are compared
constexpr int kMaxBits = 20;            // maximum m in k / 2^m
constexpr uint64_t kStepsPerSum = 4;    // evaluation steps per compared sum

// An average-pool between integers. Real numbers: average * factor.
struct Average {
  Node* pool = nullptr;
  Node* last = nullptr;  // the pool or the product after it
  float factor = 1;
  int64_t count = 1;          // elements of every window
  int input = 0, output = 0;  // exponents
};

// factor / count = weight * 2^-bits
struct Weight {
  int8_t value = 0;
  int bits = 0;
};

// Returns the exponent of integers whose zero point is 0 in s8.
std::optional<int> s8_exponent(const Value& value) {
  if (!value.quantization || value.quantization->axis != -1 || value.quantization->scales.size() != 1)
    return std::nullopt;
  const auto& zero_points = value.quantization->zero_points;
  const int32_t zero_point = zero_points.empty() ? 0 : zero_points[0];
  const bool is_centred =
      (value.type == DataType::kS8 && zero_point == 0) || (value.type == DataType::kU8 && zero_point == 128);
  return is_centred ? exponent_of_scale(value.quantization->scales[0]) : std::nullopt;
}

// Returns the number of elements of every window, or nullopt if windows differ.
std::optional<int64_t> common_count(const ops::Pool& pool) {
  const auto is_padded = [](const std::vector<int32_t>& pads) {
    return std::any_of(pads.begin(), pads.end(), [](int32_t pad) { return pad != 0; });
  };
  const bool cuts = !pool.count_include_pad && (is_padded(pool.pad_begin) || is_padded(pool.pad_end));
  int64_t count = 1;
  for (const int32_t side : pool.kernel)
    if ((count *= side) > kMaxElements) return std::nullopt;
  return cuts || pool.ceil_mode ? std::nullopt : std::optional(count);
}

std::optional<Weight> weight_of(const Average& average) {
  for (int bits = 0; bits <= kMaxBits; ++bits) {
    const double value = std::ldexp(double{average.factor}, bits) / static_cast<double>(average.count);
    if (std::abs(value) > s8::kHigh) return std::nullopt;
    if (value != 0 && value == std::nearbyint(value)) return Weight{static_cast<int8_t>(value), bits};
  }
  return std::nullopt;
}

// Returns true if, for every sum, shifts give the same bytes as an f32 division and multiplication.
bool is_exact(const Average& average, Weight weight) {
  const int shift = average.input + weight.bits - average.output;
  if (shift < 0 || shift > s8::kMaxShift) return false;
  const auto count = static_cast<int32_t>(average.count);
  for (int32_t sum = s8::kLow * count; sum <= s8::kHigh * count; ++sum) {
    const float mean = std::ldexp(static_cast<float>(sum), -average.input) / static_cast<float>(count);
    const float real = mean * average.factor;
    if (s8::quantize(real, average.output, ops::Rounding::kHalfEven) !=
        s8::narrow(sum * weight.value, shift, ops::Rounding::kHalfEven))
      return false;
  }
  return true;
}

class AverageRewriter {
 public:
  explicit AverageRewriter(Graph& graph) : graph_(graph) {}

  Result<int> run() {
    int changes = 0;
    for (Node* node : snapshot(graph_)) {
      const std::optional<Average> average = average_at(node);
      if (!average) continue;
      const std::optional<Weight> weight = weight_of(*average);
      if (!weight || !charge(*average) || !gives_same_bytes(*average, *weight)) continue;
      NESTRT_RETURN_IF_ERROR(become_conv(*average, *weight));
      ++changes;
    }
    graph_.tidy();
    return changes;
  }

 private:
  std::optional<Average> average_at(Node* node) const {
    const auto* pool = node->as<ops::Pool>();
    if (pool == nullptr || pool->kind != ops::PoolKind::kAverage) return std::nullopt;
    const std::optional<int64_t> count = common_count(*pool);
    if (!count) return std::nullopt;
    Average average{.pool = node, .last = node, .count = *count};
    if (!read_factor(average)) return std::nullopt;
    const Node* source = graph_.producer(node->inputs[0]);
    if (source == nullptr || source->as<ops::Dequantize>() == nullptr ||
        !graph_.has_single_use(average.last->outputs[0]))
      return std::nullopt;
    const Node* target = graph_.users(average.last->outputs[0])[0];
    if (target->as<ops::Quantize>() == nullptr) return std::nullopt;
    const std::optional<int> input = s8_exponent(graph_.value(source->inputs[0]));
    const std::optional<int> output = s8_exponent(graph_.value(target->outputs[0]));
    if (!input || !output) return std::nullopt;
    average.input = *input;
    average.output = *output;
    const bool stays =
        average.last == node && (*input == *output || !std::has_single_bit(static_cast<uint64_t>(*count)));
    return stays ? std::nullopt : std::optional(average);
  }

  // Reads the multiplication by a constant that follows the pool, if any. Returns false if the result has other users.
  bool read_factor(Average& average) const {
    if (!graph_.has_single_use(average.pool->outputs[0])) return false;
    Node* user = graph_.users(average.pool->outputs[0])[0];
    const auto* binary = user->as<ops::Binary>();
    if (binary == nullptr) return true;
    const auto operand = constant_operand(graph_, *user);
    const auto factor = operand ? uniform_value(graph_, operand->constant) : std::nullopt;
    const bool scales = factor && binary->kind == ops::BinaryKind::kMul &&
                        binary->activation.kind == ops::ActivationKind::kNone &&
                        graph_.value(user->outputs[0]).shape == graph_.value(average.pool->outputs[0]).shape;
    if (!scales) return false;
    average.last = user;
    average.factor = *factor;
    return true;
  }

  // Charges the weights and the comparison of all sums to the model's budget. Returns false if it is too small.
  bool charge(const Average& average) {
    const auto count = static_cast<uint64_t>(average.count);
    const uint64_t elements = static_cast<uint64_t>(graph_.value(average.pool->inputs[0]).shape[1]) * count;
    return graph_.folding.charge(elements * sizeof(float), elements + kStepsPerSum * 256 * count);
  }

  // If the tool that quantized the model does not round like ONNX, the integer form defines the result.
  bool gives_same_bytes(const Average& average, Weight weight) const {
    return graph_.qdq_rounding != ops::Rounding::kHalfEven || is_exact(average, weight);
  }

  Status become_conv(const Average& average, Weight weight) {
    const auto& pool = *average.pool->as<ops::Pool>();
    const int64_t channels = graph_.value(average.pool->inputs[0]).shape[1];
    Shape shape{channels, 1};
    for (const int32_t side : pool.kernel) shape.push_back(side);
    const float scale = std::ldexp(1.0f, -weight.bits);
    const std::vector<float> elements(static_cast<size_t>(shape.num_elements()),
                                      static_cast<float>(weight.value) * scale);
    const ValueId weights = graph_.add_constant(average.pool->name + ".weights", elements, shape);
    graph_.value(weights).source_quantization = plan::Quantization{{}, {scale}, {0}, -1};
    ops::Conv conv{.kernel = pool.kernel,
                   .stride = pool.stride,
                   .dilation = pool.dilation,
                   .pad_begin = pool.pad_begin,
                   .pad_end = pool.pad_end,
                   .group = static_cast<int32_t>(channels)};
    return replace(graph_, average.last, std::move(conv), {average.pool->inputs[0], weights}).error();
  }

  Graph& graph_;
};

}  // namespace

Result<int> average_factors(Graph& graph) { return AverageRewriter(graph).run(); }

}  // namespace nestrt::compiler
