// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/equalise.h"

#include <catch2/catch.hpp>
#include <random>

#include "compiler-lite/passes/rewrite.h"
#include "test/compiler-lite/graph_tools.h"

using namespace nestrt;
using namespace nestrt::compiler;

namespace {

// x -> first (activation) -> second -> y: two 1x1 Convs with two channels each. `group` applies to the second.
struct Pair {
  Graph graph;
  Node* first = nullptr;
  Node* second = nullptr;
  QuantizationProfile profile;

  Pair(ops::Activation activation, int32_t group, const std::vector<float>& second_weights,
       const std::vector<float>& peaks) {
    const ValueId x = test::add_input(graph, "x", {1, 1, 1, 4});
    ops::Conv conv = test::conv_attributes({1, 1});
    conv.activation = activation;
    const ValueId w1 = graph.add_constant("w1", std::vector<float>{0.5f, -0.125f}, {2, 1, 1, 1});
    const ValueId b1 = graph.add_constant("b1", std::vector<float>{0.25f, 0.0625f}, {2});
    const ValueId h = test::add(graph, std::move(conv), {x, w1, b1}, "h");
    const ValueId w2 = graph.add_constant("w2", second_weights, {2, 2 / group, 1, 1});
    graph.outputs = {test::add(graph, test::conv_attributes({1, 1}, 0, 1, group), {h, w2}, "y")};
    first = graph.producer(h);
    second = graph.producer(graph.outputs[0]);
    ValueProfile value;
    value.name = "h";
    value.exponent = 5;  // up to 4
    value.means = {1.0f, 0.25f};
    value.peaks = peaks;
    profile.values = {value};
  }
  std::vector<float> elements(const Node* node, size_t operand) const {
    const auto found = floats(graph, node->inputs[operand]);
    return {found.begin(), found.end()};
  }
};

const ops::Activation kRelu{ops::ActivationKind::kRelu};
const ops::Activation kRelu6{ops::ActivationKind::kClip, 0, 6};

}  // namespace

TEST_CASE("Equalisation before a depthwise layer scales every channel into the upper half of the range") {
  Pair pair(kRelu, 2, {0.5f, 0.25f}, {3.9f, 0.4f});
  const Graph before = pair.graph.clone();
  CHECK(equalise(pair.graph, pair.profile) == 1);
  CHECK(pair.elements(pair.first, 1) == std::vector<float>{0.5f, -1.0f});
  CHECK(pair.elements(pair.first, 2) == std::vector<float>{0.25f, 0.5f});
  CHECK(pair.elements(pair.second, 1) == std::vector<float>{0.5f, 0.03125f});
  CHECK(pair.profile.values[0].means == std::vector<float>{1.0f, 2.0f});
  CHECK(pair.profile.values[0].peaks == std::vector<float>{3.9f, 3.2f});
  CHECK(pair.profile.values[0].exponent == 5);
  std::mt19937 generator(3);
  CHECK(test::difference(pair.graph, before, generator) == 0);
}

TEST_CASE("Equalisation before a non-depthwise layer splits the factor between activations and weights") {
  Pair pair(kRelu, 1, {0.5f, 0.5f, -0.25f, 0.5f}, {3.9f, 0.25f});
  const Graph before = pair.graph.clone();
  CHECK(equalise(pair.graph, pair.profile) == 1);
  CHECK(pair.elements(pair.first, 1) == std::vector<float>{0.5f, -0.5f});  // scaled by 4 of the possible factor 16
  CHECK(pair.elements(pair.second, 1) == std::vector<float>{0.5f, 0.125f, -0.25f, 0.125f});
  std::mt19937 generator(3);
  CHECK(test::difference(pair.graph, before, generator) == 0);
}

TEST_CASE("Equalisation scales through a clip from 0 to the peak observed in calibration") {
  Pair pair(kRelu6, 2, {0.5f, 0.25f}, {3.9f, 0.4f});
  CHECK(equalise(pair.graph, pair.profile) == 1);
  CHECK(pair.first->as<ops::Conv>()->activation.beta == 6);
  CHECK(pair.profile.values[0].peaks[1] <= 6);
}

TEST_CASE("Channels without non-zero elements or without non-zero weights in the next layer keep their scale") {
  Pair silent(kRelu, 2, {0.5f, 0.25f}, {3.9f, 0.0f});
  CHECK(equalise(silent.graph, silent.profile) == 0);
  Pair unused(kRelu, 1, {0.5f, 0.0f, -0.25f, 0.0f}, {3.9f, 0.25f});
  CHECK(equalise(unused.graph, unused.profile) == 0);
}

TEST_CASE("Values with several users or an unsupported activation keep their scale") {
  Pair shared(kRelu, 2, {0.5f, 0.25f}, {3.9f, 0.4f});
  shared.graph.outputs.push_back(shared.first->outputs[0]);
  CHECK(equalise(shared.graph, shared.profile) == 0);
  Pair swish(ops::Activation{ops::ActivationKind::kHardSwish}, 2, {0.5f, 0.25f}, {3.9f, 0.4f});
  CHECK(equalise(swish.graph, swish.profile) == 0);
  Pair shifted(ops::Activation{ops::ActivationKind::kClip, -1, 1}, 2, {0.5f, 0.25f}, {3.9f, 0.4f});
  CHECK(equalise(shifted.graph, shifted.profile) == 0);
}

TEST_CASE("Values without per-channel peaks keep their scale") {
  Pair unknown(kRelu, 2, {0.5f, 0.25f}, {});
  CHECK(equalise(unknown.graph, unknown.profile) == 0);
  Pair other(kRelu, 2, {0.5f, 0.25f}, {1, 1, 1});
  CHECK(equalise(other.graph, other.profile) == 0);
}
