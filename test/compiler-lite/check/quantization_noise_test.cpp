// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/quantization_noise.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "compiler-lite/check/plan_trace.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/quantize/quantize.h"
#include "test/compiler-lite/graph_tools.h"

using namespace nestrt;
using namespace nestrt::compiler;

namespace {

tools::Array array(const std::vector<float>& elements) {
  tools::Array result{DataType::kF32, {1, 1, 1, static_cast<int64_t>(elements.size())}, {}};
  result.bytes.resize(elements.size() * sizeof(float));
  std::memcpy(result.bytes.data(), elements.data(), result.bytes.size());
  return result;
}

// y = second(first(x)). Each is a 1x1 Conv with one weight, quantized with exponent 6.
struct Traced {
  PlanBytes bytes;
  std::shared_ptr<const Plan> plan;
  PlanTrace trace;

  static Traced create(float first, float second) {
    Graph graph;
    const ValueId x = test::add_input(graph, "x", {1, 1, 1, 2});
    const auto conv = [&](ValueId input, float weight, const char* name) {
      const ValueId w = graph.add_constant(std::string(name) + ".w", std::vector<float>{weight}, {1, 1, 1, 1});
      return test::add(graph, test::conv_attributes({1, 1}), {input, w}, name);
    };
    graph.outputs = {conv(conv(x, first, "first"), second, "second")};
    QuantizationProfile profile;
    for (const char* name : {"x", "first"}) {
      profile.values.emplace_back();
      profile.values.back().name = name;
      profile.values.back().exponent = 6;
    }
    REQUIRE(quantize(graph, profile));
    auto bytes = compile_graph(std::move(graph));
    REQUIRE(bytes);
    auto plan = Plan::from_memory(bytes->span());
    REQUIRE(plan);
    auto trace = PlanTrace::create(*plan);
    REQUIRE(trace);
    REQUIRE(trace->run({array({1.0f, -0.5f})}).ok());
    return {std::move(*bytes), *plan, std::move(*trace)};
  }
};

}  // namespace

TEST_CASE("Noise is measured at every value that the model names, and listed worst first") {
  const Traced traced = Traced::create(1.0f, 0.5f);
  CHECK(is_quantized(*traced.plan));
  CHECK(model_values(*traced.plan) == std::vector<std::string>{"x", "first", "second"});
  // The expected value of "first" is 0.1 higher.
  const auto layers =
      layer_noise(*traced.plan, traced.trace,
                  {{"x", array({1.0f, -0.5f})}, {"first", array({1.1f, -0.5f})}, {"second", array({0.5f, -0.25f})}});
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].value == "first");
  CHECK(layers[0].operator_name == "first");
  CHECK(layers[0].kind == "Conv");
  CHECK(layers[0].decibel == Approx(10 * std::log10((1.21 + 0.25) / 0.01)).epsilon(1e-5));
  CHECK(std::isinf(layers[1].decibel));
  REQUIRE(layers[0].input_decibel);
  CHECK(std::isinf(*layers[0].input_decibel));
  CHECK(layers[0].added() == Approx(0.01 / 1.46).epsilon(1e-5));
  REQUIRE(noisiest(layers) != nullptr);
  CHECK(noisiest(layers)->operator_name == "first");
}

TEST_CASE("The noisiest operator is the operator that adds noise, not one that propagates noise") {
  const Traced traced = Traced::create(1.0f, 0.5f);
  const auto layers =
      layer_noise(*traced.plan, traced.trace,
                  {{"x", array({1.0f, -0.4f})}, {"first", array({1.0f, -0.4f})}, {"second", array({0.6f, -0.2f})}});
  REQUIRE(noisiest(layers) != nullptr);
  CHECK(noisiest(layers)->operator_name == "second");
}

TEST_CASE("No operator is noisy if nothing differs") {
  const Traced traced = Traced::create(1.0f, 0.5f);
  const auto layers = layer_noise(*traced.plan, traced.trace, {{"first", array({1.0f, -0.5f})}, {"z", array({1.0f})}});
  REQUIRE(layers.size() == 1);
  CHECK(noisiest(layers) == nullptr);
}
