// SPDX-License-Identifier: Apache-2.0
// Tests that random networks produce the same results before and after optimisation.
#include <algorithm>

#include "compiler-lite/passes/optimise.h"
#include "compiler-lite/placement/assign_layouts.h"
#include "test/compiler-lite/graph_tools.h"

namespace nestrt::test {
namespace {

using compiler::Graph;
using compiler::ValueId;
using ops::BinaryKind;
using ops::UnaryKind;

// Adds random nodes over images of one size, with transposes in between.
class RandomNetwork {
 public:
  explicit RandomNetwork(uint32_t seed) : generator_(seed) {}

  Graph draw() {
    Graph graph;
    values_ = {add_input(graph, "a", {1, 5, 6, 7}), add_input(graph, "b", {1, 16, 6, 7})};
    for (int i = 0; i < 14; ++i) values_.push_back(node(graph));
    // The network has two outputs: the last value, and an intermediate one with other users.
    graph.outputs = {add(graph, unary_attributes(UnaryKind::kAbs), {values_.back()}, "y")};
    if (values_[9] != values_.back() && graph.producer(values_[9]) != nullptr) graph.outputs.push_back(values_[9]);
    graph.tidy();
    return graph;
  }

 private:
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(generator_); }
  // Returns a random value. Prefers recent values, so that networks become deep.
  ValueId any() {
    const int size = static_cast<int>(values_.size());
    return values_[static_cast<size_t>(std::max(pick(size), pick(size)))];
  }

  ValueId node(Graph& graph) {
    const ValueId x = any();
    const int64_t channels = graph.value(x).shape[1];
    switch (pick(9)) {
      case 0:
        return add_conv(graph, generator_, x, pick(2) == 0 ? 16 : 5, 3, 1);
      case 1:
        return add_conv(graph, generator_, x, channels, 3, 1, false, static_cast<int32_t>(channels));
      case 2:
        return add(graph, unary_attributes(activation(), 0.1f, 0.9f), {x});
      case 3:
        return normalise(graph, x);
      case 4:
        return sum_with_equal(graph, x);
      case 5:
        return channels > 20 ? x : add(graph, concat_attributes(1), {x, any_of_channels(graph, 16)});
      case 6:
        return padded(graph, x);
      case 7:
        return transposed(graph, x);
      default:
        return gate(graph, x);
    }
  }

  UnaryKind activation() {
    constexpr UnaryKind kKinds[] = {UnaryKind::kRelu,        UnaryKind::kClip,      UnaryKind::kLeakyRelu,
                                    UnaryKind::kHardSigmoid, UnaryKind::kHardSwish, UnaryKind::kSigmoid,
                                    UnaryKind::kTanh,        UnaryKind::kSilu};
    return kKinds[pick(8)];
  }
  ValueId any_of_channels(Graph& graph, int64_t channels) {
    for (int attempt = 0; attempt < 8; ++attempt)
      if (const ValueId id = any(); graph.value(id).shape[1] == channels) return id;
    return values_[1];
  }
  ValueId normalise(Graph& graph, ValueId x) {
    const int64_t channels = graph.value(x).shape[1];
    const ValueId scaled = add(graph, binary_attributes(BinaryKind::kMul),
                               {x, random_constant(graph, generator_, {channels, 1, 1}, 0.5f, 1.5f)});
    return add(graph, binary_attributes(BinaryKind::kAdd),
               {scaled, random_constant(graph, generator_, {1, channels, 1, 1})});
  }
  ValueId sum_with_equal(Graph& graph, ValueId x) {
    for (auto other = values_.rbegin(); other != values_.rend(); ++other)
      if (*other != x && graph.value(*other).shape == graph.value(x).shape)
        return add(graph, binary_attributes(pick(2) == 0 ? BinaryKind::kAdd : BinaryKind::kSub), {x, *other});
    return x;
  }
  ValueId padded(Graph& graph, ValueId x) {
    const ValueId pad = add(graph, pad_attributes({0, 0, 1, 1}, {0, 0, 1, 1}), {x});
    if (pick(2) == 0) return add_conv(graph, generator_, pad, 16, 3);
    const auto kind = pick(2) == 0 ? ops::PoolKind::kMax : ops::PoolKind::kAverage;
    return add(graph, pool_attributes(kind, {3, 3}), {pad});
  }
  ValueId transposed(Graph& graph, ValueId x) {
    ValueId y = add(graph, transpose_attributes({0, 2, 3, 1}), {x});
    const int64_t channels = graph.value(x).shape[1];
    y = add(graph, binary_attributes(BinaryKind::kAdd), {y, random_constant(graph, generator_, {channels})});
    y = add(graph, unary_attributes(activation(), 0.1f, 0.9f), {y});
    return add(graph, transpose_attributes({0, 3, 1, 2}), {y});
  }
  ValueId gate(Graph& graph, ValueId x) {
    const ValueId sigmoid = add(graph, unary_attributes(UnaryKind::kSigmoid), {x});
    return add(graph, binary_attributes(BinaryKind::kMul), {x, sigmoid});
  }

  std::mt19937 generator_;
  std::vector<ValueId> values_;
};

TEST_CASE("Random networks produce the same results after all passes, layouts and packing") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    const Graph before = RandomNetwork(seed).draw();
    INFO("seed " << seed);
    Graph after = before.clone();
    const Status optimised = compiler::optimise(after);
    INFO(optimised.to_string());
    REQUIRE(optimised.ok());
    CHECK(after.nodes().size() <= before.nodes().size());
    std::mt19937 generator(seed);
    CHECK(difference(after, before, generator) < 1e-5);

    const Status laid_out = choose_layout(after);
    INFO(laid_out.to_string());
    REQUIRE(laid_out.ok());
    CHECK(difference(after, before, generator) < 1e-5);
  }
}

TEST_CASE("Random networks produce the same results with any one pass disabled") {
  uint32_t seed = 1000;
  for (const compiler::Pass& pass : compiler::passes()) {
    for (int i = 0; i < 5; ++i) {
      const Graph before = RandomNetwork(++seed).draw();
      INFO("seed " << seed << ", without " << pass.name);
      Graph after = before.clone();
      compiler::PassOptions options;
      options.disabled = {std::string(pass.name)};
      REQUIRE(compiler::optimise(after, options).ok());
      std::mt19937 generator(seed);
      CHECK(difference(after, before, generator) < 1e-5);
    }
  }
}

}  // namespace
}  // namespace nestrt::test
