// SPDX-License-Identifier: Apache-2.0
// Tests recurrent networks with sequences shorter than their input, of equal or different lengths.
#include <catch2/catch.hpp>

#include <algorithm>

#include "test/compiler-lite/import/model_builder.h"
#include "test/compiler-lite/import/refusal.h"

namespace nestrt::test {
namespace {

constexpr int64_t kSteps = 4, kBatch = 2, kInputs = 3, kHidden = 2;

std::vector<float> some(size_t count, int step) {
  std::vector<float> elements(count);
  for (size_t i = 0; i < count; ++i) elements[i] = static_cast<float>(static_cast<int>(i) * step % 19 - 9) / 10;
  return elements;
}

// Returns a bidirectional GRU over `steps` with optional lengths. `output`: "states" for all states, or "last" for the
// last ones.
ModelBuilder network(int64_t steps, const std::vector<int32_t>& lengths, const std::string& output = "states") {
  ModelBuilder model;
  model.input("x", {steps, kBatch, kInputs}).output(output);
  model.constant("w", {2, 3 * kHidden, kInputs}, some(2 * 3 * kHidden * kInputs, 7));
  model.constant("r", {2, 3 * kHidden, kHidden}, some(2 * 3 * kHidden * kHidden, 5));
  if (!lengths.empty()) model.constant("lengths", {kBatch}, lengths, onnx_type::kInt32);
  auto& gru = model.node("GRU", {"x", "w", "r", "", lengths.empty() ? "" : "lengths"}, {"states", "last"});
  set_attribute(gru, "hidden_size", kHidden);
  set_attribute(gru, "direction", "bidirectional");
  return model;
}

}  // namespace

TEST_CASE("Sequences shorter than the input end early and are followed by zero states") {
  constexpr int64_t kLength = 3;
  const std::vector<float> x = some(kSteps * kBatch * kInputs, 11);
  const std::vector<float> begin(x.begin(), x.begin() + kLength * kBatch * kInputs);
  const auto run_all = [](const ModelBuilder& model, const std::vector<float>& input) {
    const auto graph = model.import();
    INFO(graph.error().to_string());
    REQUIRE(graph);
    return run(*graph, {input});
  };
  const std::vector<int32_t> lengths{kLength, kLength};
  CHECK(run_all(network(kSteps, lengths, "last"), x) == run_all(network(kLength, {}, "last"), begin));
  std::vector<float> states = run_all(network(kLength, {}), begin);
  states.resize(states.size() + 2 * kBatch * kHidden, 0.0F);
  CHECK(run_all(network(kSteps, lengths), x) == states);
}

// Returns the part of `states`, [steps, directions, batch, hidden], that belongs to one sequence.
std::vector<float> of_sequence(const std::vector<float>& states, int64_t sequence) {
  std::vector<float> result;
  for (size_t i = 0; i < states.size(); ++i)
    if (static_cast<int64_t>(i) / kHidden % kBatch == sequence) result.push_back(states[i]);
  return result;
}

TEST_CASE("Sequences of different lengths give the same results as in a batch of equal lengths") {
  const std::vector<float> x = some(kSteps * kBatch * kInputs, 11);
  const auto run_one = [&](const std::vector<int32_t>& lengths, const std::string& output, int64_t sequence) {
    const auto graph = network(kSteps, lengths, output).import();
    INFO(graph.error().to_string());
    REQUIRE(graph);
    return of_sequence(run(*graph, {x}), sequence);
  };
  for (const std::string output : {"states", "last"}) {
    CHECK(run_one({2, 4}, output, 0) == run_one({2, 2}, output, 0));
    CHECK(run_one({2, 4}, output, 1) == run_one({4, 4}, output, 1));
    const std::vector<float> empty = run_one({0, 4}, output, 0);
    CHECK(std::ranges::count(empty, 0.0F) == std::ssize(empty));
  }
}

TEST_CASE("Sequences longer than the input are rejected") {
  CHECK_THAT(message_of(network(kSteps, {5, 5})), Catch::Contains("sequence length 5 is outside 0 to 4"));
  CHECK_THAT(message_of(network(kSteps, {1, -1})), Catch::Contains("sequence length -1 is outside 0 to 4"));
}

}  // namespace nestrt::test
