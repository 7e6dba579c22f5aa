// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/weights.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "test/compiler-lite/graph_tools.h"

using namespace nestrt;
using namespace nestrt::compiler;

namespace {

constexpr ProductExponents kWide{6, std::nullopt};

// A 1x1 Conv with `weights` [outputs, inputs / group] and an optional bias.
struct Product {
  Graph graph;
  const Node* node = nullptr;

  Product(int64_t outputs, const std::vector<float>& weights, const std::vector<float>& bias = {}, int32_t group = 1) {
    const int64_t inputs = static_cast<int64_t>(weights.size()) / outputs;
    const ValueId x = test::add_input(graph, "x", {1, inputs * group, 1, 1});
    std::vector<ValueId> operands = {x, graph.add_constant("w", weights, {outputs, inputs, 1, 1})};
    if (!bias.empty()) operands.push_back(graph.add_constant("b", bias, {outputs}));
    node = graph.producer(test::add(graph, test::conv_attributes({1, 1}, 0, 1, group), operands));
  }
  std::optional<QuantizedProduct> quantize(const ProductExponents& around, const WeightOptions& options = {}) const {
    return quantize_product(graph, *node, around, options);
  }
};

WeightOptions per_tensor() { return {false, false, {}}; }
WeightOptions least_squares() { return {true, true, {}}; }
WeightOptions corrected(const std::vector<float>& means) { return {true, false, means}; }

TEST_CASE("The error of a weight that multiplies only padding does not affect the bias") {
  // A 3x3 kernel over one pixel, and over 2x2 pixels, where each kernel corner applies to one of the four output
  // pixels.
  const auto bias_over = [](int64_t side) {
    Graph graph;
    const ValueId x = test::add_input(graph, "x", {1, 1, side, side});
    std::vector<float> weights(9, 0.5f + 0.2f / 256);
    weights[0] = 0.99f;
    const ValueId w = graph.add_constant("w", weights, {1, 1, 3, 3});
    const ops::Conv conv{
        .kernel = {3, 3}, .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
    graph.outputs.push_back(test::add(graph, conv, {x, w}, "y"));
    const std::vector<float> means = {10.0f};
    WeightOptions options;
    options.input_means = means;
    const auto result = quantize_product(graph, *graph.nodes()[0], {6, std::nullopt}, options);
    REQUIRE(result);
    REQUIRE(result->bias.size() == 1);
    return std::ldexp(static_cast<double>(result->bias[0]), -(6 + result->exponents[0]));
  };
  const double steps = 1.0 / 128, step_error = std::round(0.5 * 128) * steps - (0.5 + 0.2 / 256);
  CHECK(bias_over(1) == Approx(-10 * step_error).margin(1e-3));  // error of the centre weight only
  CHECK(std::abs(bias_over(2)) > std::abs(bias_over(1)));
}

}  // namespace

TEST_CASE("The largest exponent keeps a magnitude within half a step of 127") {
  CHECK(largest_exponent(1.0f) == 6);    // 64
  CHECK(largest_exponent(0.99f) == 7);   // 126.7
  CHECK(largest_exponent(0.998f) == 6);  // 127.7 would be 128
  CHECK(largest_exponent(100.0f) == 0);
  CHECK(largest_exponent(1000.0f) == -3);
  CHECK_FALSE(largest_exponent(0.0f).has_value());
}

TEST_CASE("Every output channel has the exponent that its weights fit") {
  const Product product(3, {0.75f, -0.5f, 3.0f, 1.5f, 0.01f, 0.005f});
  const auto result = product.quantize(kWide);
  REQUIRE(result);
  CHECK(result->exponents == std::vector<int>{7, 5, 13});
  CHECK(result->weights == std::vector<int8_t>{96, -64, 96, 48, 82, 41});
  CHECK(result->bias.empty());
}

TEST_CASE("With scales per tensor, the largest weight determines the exponent of all channels") {
  const Product product(3, {0.75f, -0.5f, 3.0f, 1.5f, 0.01f, 0.005f});
  const auto result = product.quantize(kWide, per_tensor());
  REQUIRE(result);
  CHECK(result->exponents == std::vector<int>{5});
  CHECK(result->weights == std::vector<int8_t>{24, -16, 96, 48, 0, 0});
}

TEST_CASE("Biases have the exponent of the accumulators") {
  const Product product(2, {0.75f, 3.0f}, {0.1f, -2.0f});
  const auto result = product.quantize(kWide);
  REQUIRE(result);
  CHECK(result->bias == std::vector<int32_t>{819, -4096});  // 0.1 * 2^(6+7), -2 * 2^(6+5)
}

TEST_CASE("An all-zero channel may use any exponent that fits its bias") {
  const Product product(1, {0.0f, 0.0f}, {1000.0f});
  const auto result = product.quantize({6, 4});
  REQUIRE(result);
  CHECK(result->weights == std::vector<int8_t>{0, 0});
  CHECK(std::ldexp(result->bias[0], -(6 + result->exponents[0])) == 1000.0);
}

TEST_CASE("Squared error clips an outlier if the other weights gain more accuracy") {
  std::vector<float> weights(4096, 0.15f);
  weights[0] = 1.1f;
  const Product product(1, weights);
  CHECK(product.quantize(kWide)->exponents[0] == 6);
  const auto result = product.quantize(kWide, least_squares());
  REQUIRE(result);
  CHECK(result->exponents[0] > 6);
  CHECK(result->weights[0] == 127);
}

TEST_CASE("Squared error does not change weights that an exponent represents exactly") {
  const Product product(1, {0.75f, -0.5f});
  CHECK(product.quantize(kWide, least_squares())->exponents[0] == 7);
}

TEST_CASE("Weights become coarser if the accumulators could overflow 32 bits, or the node is rejected") {
  const std::vector<float> weights(300000, 1.0f);  // 128 * 64 * 300000 > 2^31
  const Product product(1, weights);
  const auto result = product.quantize({6, std::nullopt});
  REQUIRE(result);
  CHECK(result->exponents[0] == 5);
  // A shift of at least 0 needs an exponent of at least 6.
  CHECK_FALSE(product.quantize({0, 6}).has_value());
  CHECK(product.quantize({0, 5}).has_value());
}

TEST_CASE("The rounding term counts towards an overflow of 32 bits") {
  // 127 * 128 + 2^30 + bias
  const auto fits = [](float bias) {
    const Product product(1, {127.0f}, {bias});
    return product.quantize({0, -31}).has_value() && product.quantize({0, -31})->exponents[0] == 0;
  };
  CHECK(fits(std::ldexp(1.0f, 29)));
  CHECK_FALSE(fits(std::ldexp(1.0f, 30)));
}

TEST_CASE("NaN weights and biases are rejected") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, infinity, -infinity}) {
    CHECK_FALSE(Product(1, {1.0f, bad}).quantize(kWide).has_value());
    CHECK_FALSE(Product(1, {1.0f, 1.0f}, {bad}).quantize(kWide).has_value());
  }
}

TEST_CASE("The bias compensates for the mean error of the rounded weights") {
  // 0.3 * 2^8 = 76.8 -> 77: each x adds 0.2 / 256 too much.
  const Product product(1, {0.3f, 0.25f});
  const std::vector<float> means = {10.0f, 100.0f};
  const auto result = product.quantize({6, std::nullopt}, corrected(means));
  REQUIRE(result);
  REQUIRE(result->exponents[0] == 8);
  REQUIRE(result->bias.size() == 1);
  CHECK(result->bias[0] == -128);  // -0.2 / 256 * 10 * 2^(6+8)
}

TEST_CASE("The mean error uses the inputs of the channel's group") {
  const Product product(2, {0.3f, 0.3f}, {}, 2);
  const std::vector<float> means = {10.0f, -20.0f};
  const auto result = product.quantize({6, std::nullopt}, corrected(means));
  REQUIRE(result);
  CHECK(result->bias == std::vector<int32_t>{-128, 256});
}

TEST_CASE("Means with a different number of channels are ignored") {
  const Product product(1, {0.3f, 0.25f});
  const std::vector<float> means = {10.0f};
  CHECK(product.quantize({6, std::nullopt}, corrected(means))->bias.empty());
}
