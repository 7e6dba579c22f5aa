// SPDX-License-Identifier: Apache-2.0
// Tests quantizers of the domain mct_quantizers, and integers that a Clip limits to fewer than 8 bits.
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "test/compiler-lite/graph_tools.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/compiler-lite/import/refusal.h"

namespace nestrt::test {
namespace {

using compiler::Graph;

std::vector<float> multiples_of_quarter() {
  std::vector<float> result;
  for (int i = -1200; i < 1200; ++i) result.push_back(static_cast<float>(i) / 4);  // ties and values out of range
  return result;
}

onnx::NodeProto& add_mct(ModelBuilder& model, const std::string& type, const std::vector<std::string>& inputs,
                         const std::string& y, int64_t bits) {
  onnx::NodeProto& node = model.node(type, inputs, {y}, y + "_quantizer");
  node.set_domain("mct_quantizers");
  set_attribute(node, "num_bits", bits);
  set_attribute(node, "mctq_version", std::string("1.6.0"));
  return node;
}

// Returns true if the only Conv computes with integers and only a Dequantize follows it.
bool is_one_integer_conv(const Graph& graph) {
  bool reads_integers = false;
  for (const auto& node : graph.nodes())
    if (node->as<ops::Conv>() != nullptr) reads_integers = graph.value(node->inputs[0]).type == DataType::kS8;
  return reads_integers && graph.nodes().size() == 3;  // Quantize, Conv, Dequantize
}

struct Limits {
  double low, high, step;
};

// Returns the result of the package mct_quantizers: round((clip(x) - origin) / step) * step + origin.
float mct_quantized(float x, const Limits& limits, double origin) {
  const double clipped = std::min(std::max(double{x}, limits.low), limits.high);
  return static_cast<float>(std::nearbyint((clipped - origin) / limits.step) * limits.step + origin);
}

}  // namespace

TEST_CASE("Symmetric activations of mct_quantizers are multiples of threshold / 2^(bits - sign)") {
  const std::vector<float> numbers = multiples_of_quarter();
  for (const char* type : {"ActivationPOTQuantizer", "ActivationSymmetricQuantizer"})
    for (const int64_t bits : {2, 4, 8, 16})
      for (const bool is_signed : {false, true})
        for (const float threshold : {4.0F, 64.0F, 3.0F, 96.0F}) {
          ModelBuilder model;
          model.input("x", {1, static_cast<int64_t>(numbers.size())}).output("y");
          onnx::NodeProto& node = add_mct(model, type, {"x"}, "y", bits);
          set_attribute(node, "threshold", threshold);
          set_attribute(node, "signed", int64_t{is_signed});
          const double step = std::ldexp(threshold, static_cast<int>(is_signed ? 1 - bits : -bits));
          const Limits limits{is_signed ? -threshold : 0.0, threshold - step, step};
          std::vector<float> expected;
          for (const float number : numbers) expected.push_back(mct_quantized(number, limits, 0));
          INFO(type << ", " << bits << " bits, signed " << is_signed << ", threshold " << threshold);
          CHECK(run(optimised(model), {numbers}) == expected);
        }
}

TEST_CASE("Uniform activations of mct_quantizers include zero and round half to even from the lower limit") {
  const std::vector<float> numbers = multiples_of_quarter();
  struct Case {
    int64_t bits;
    float low, high;
    double first, step;
  };
  // 15 and 255 steps; the lower limit is moved to a multiple of the step, or to zero.
  for (const Case& c : {Case{4, -7, 8, -7, 1}, Case{4, -6, 9, -6, 1}, Case{4, 1, 30, 0, 2}, Case{4, -30, -1, -30, 2},
                        Case{8, -100, 155, -100, 1}, Case{8, -63.75F, 191.25F, -64, 1}}) {
    ModelBuilder model;
    model.input("x", {1, static_cast<int64_t>(numbers.size())}).output("y");
    onnx::NodeProto& node = add_mct(model, "ActivationUniformQuantizer", {"x"}, "y", c.bits);
    set_attribute(node, "min_range", c.low);
    set_attribute(node, "max_range", c.high);
    const double steps = std::ldexp(1.0, static_cast<int>(c.bits)) - 1;
    const std::vector<float> actual = run(optimised(model), {numbers});
    INFO(c.bits << " bits, " << c.low << " to " << c.high);
    for (size_t i = 0; i < numbers.size(); ++i) {
      const float expected = mct_quantized(numbers[i], {c.first, c.first + steps * c.step, c.step}, c.first);
      CHECK(std::abs(actual[i] - expected) <= 2e-5F * std::max(1.0F, std::abs(expected)));  // scales are in f32
    }
  }
}

TEST_CASE("A Conv between quantizers of mct_quantizers computes with integers") {
  for (const int64_t bits : {4, 8}) {
    ModelBuilder model;
    model.input("x", {1, 2, 4, 4}).output("y");
    set_attribute(add_mct(model, "ActivationPOTQuantizer", {"x"}, "xq", 8), "threshold", 4.0F);
    model.constant("w", {2, 2, 1, 1}, std::vector<float>{0.3F, -0.7F, 0.9F, 0.11F});
    model.constant("t", {2}, std::vector<float>{1.0F, 0.5F});
    onnx::NodeProto& weights = add_mct(model, "WeightsSymmetricQuantizer", {"w", "t"}, "wq", bits);
    set_attribute(weights, "per_channel", int64_t{1});
    set_attribute(weights, "channel_axis", int64_t{0});
    set_attribute(weights, "signed", int64_t{1});
    model.node("Conv", {"xq", "wq"}, {"c"}, "conv");
    onnx::NodeProto& last = add_mct(model, "ActivationPOTQuantizer", {"c"}, "y", bits);
    set_attribute(last, "threshold", 8.0F);
    INFO(bits << " bits");
    CHECK(is_one_integer_conv(optimised(model)));
  }
}

TEST_CASE("Uniform weights of mct_quantizers are quantized per channel") {
  ModelBuilder model;
  model.input("x", {1, 2}).output("y");
  model.constant("w", {2, 2}, std::vector<float>{-1.6F, 0.4F, 3.6F, 9.0F});
  model.constant("low", {2}, std::vector<float>{-2, -6}).constant("high", {2}, std::vector<float>{1, 9});
  onnx::NodeProto& weights = add_mct(model, "WeightsUniformQuantizer", {"w", "low", "high"}, "wq", 2);
  set_attribute(weights, "per_channel", int64_t{1});
  set_attribute(weights, "channel_axis", int64_t{1});
  model.node("MatMul", {"x", "wq"}, {"y"}, "product");
  // Column 0 has the levels -2, -1, 0, 1; column 1 has -5, 0, 5, 10 (-6 / 5 is rounded to -1).
  CHECK(run(optimised(model), {{1, 0}}) == std::vector<float>{-2, 0});
  CHECK(run(optimised(model), {{0, 1}}) == std::vector<float>{1, 10});
}

TEST_CASE("Invalid quantizers of mct_quantizers are rejected") {
  const auto message = [](int64_t bits, float threshold) {
    ModelBuilder model;
    model.input("x", {1, 4}).output("y");
    set_attribute(add_mct(model, "ActivationPOTQuantizer", {"x"}, "y", bits), "threshold", threshold);
    return message_of(model);
  };
  CHECK(contains(message(32, 1), "num_bits is 32"));
  CHECK(contains(message(8, 0), "must be positive"));
  CHECK(contains(message(8, -1), "must be positive"));
  ModelBuilder lookup;
  lookup.input("x", {1, 4}).output("y");
  add_mct(lookup, "ActivationLutPOTQuantizer", {"x"}, "y", 8);
  CHECK(contains(message_of(lookup), "ActivationLutPOTQuantizer"));
}

TEST_CASE("A Clip between Quantize and Dequantize becomes part of a Conv, and is exact") {
  const auto add_quantize = [](ModelBuilder& model, const std::string& x, const std::string& name, int type, int low,
                               int high) {
    model.node("QuantizeLinear", {x, name + "s", name + "z"}, {name + "q"}, name + "_quantize");
    model.constant(name + "l", {}, std::vector<int32_t>{low}, type);
    model.constant(name + "h", {}, std::vector<int32_t>{high}, type);
    model.node("Clip", {name + "q", name + "l", name + "h"}, {name + "c"}, name + "_clip");
    model.node("DequantizeLinear", {name + "c", name + "s", name + "z"}, {name}, name + "_dequantize");
  };
  struct Case {
    int type, low, high, zero_point;
  };
  for (const bool has_relu : {false, true})
    for (const Case& c : {Case{onnx_type::kInt8, -8, 7, 0}, Case{onnx_type::kUint8, 0, 15, 0},
                          Case{onnx_type::kUint8, 0, 15, 3}, Case{onnx_type::kInt8, -127, 127, 0}}) {
      ModelBuilder model;
      model.input("x", {1, 1, 1, 600}).output("y");
      const float weight = 3, scale_w = 0.25F, scale_x = 0.5F, scale_y = 0.6123F;
      model.constant("as", {}, std::vector<float>{scale_x}).constant("az", {}, std::vector<int32_t>{0}, c.type);
      model.constant("w", {1, 1, 1, 1}, std::vector<float>{weight * scale_w});
      model.constant("ys", {}, std::vector<float>{scale_y});
      model.constant("yz", {}, std::vector<int32_t>{c.zero_point}, c.type);
      add_quantize(model, "x", "a", c.type, c.type == onnx_type::kInt8 ? -100 : 0, 100);
      add_quantize(model, "w", "w_", onnx_type::kInt8, -8, 7);
      model.constant("w_s", {}, std::vector<float>{scale_w})
          .constant("w_z", {}, std::vector<int32_t>{0}, onnx_type::kInt8);
      model.node("Conv", {"a", "w_"}, {"c0"}, "conv");
      if (has_relu) model.node("Relu", {"c0"}, {"c1"}, "relu");
      model.node("QuantizeLinear", {has_relu ? "c1" : "c0", "ys", "yz"}, {"yq"}, "y_quantize");
      model.constant("yl", {}, std::vector<int32_t>{c.low}, c.type);
      model.constant("yh", {}, std::vector<int32_t>{c.high}, c.type);
      model.node("Clip", {"yq", "yl", "yh"}, {"yc"}, "y_clip");
      model.node("DequantizeLinear", {"yc", "ys", "yz"}, {"y"}, "y_dequantize");
      std::vector<float> numbers, expected;
      for (int i = -300; i < 300; ++i) {
        numbers.push_back(static_cast<float>(i) / 4);
        const float lowest = c.type == onnx_type::kInt8 ? -100 : 0;
        const float x = std::clamp(std::nearbyint(numbers.back() / scale_x), lowest, 100.0F) * scale_x;
        const float sum = has_relu ? std::max(x * weight * scale_w, 0.0F) : x * weight * scale_w;
        const float zero = static_cast<float>(c.zero_point);
        const float steps =
            std::clamp(std::nearbyint(sum / scale_y) + zero, static_cast<float>(c.low), static_cast<float>(c.high));
        expected.push_back((steps - zero) * scale_y);
      }
      const Graph graph = optimised(model);
      INFO("type " << c.type << ", " << c.low << " to " << c.high << ", Relu " << has_relu);
      CHECK(run(graph, {numbers}) == expected);
      CHECK(count(graph, ops::Kind::kCast) == 0);
      CHECK(count(graph, ops::Kind::kBinary) == 0);
    }
}

}  // namespace nestrt::test
