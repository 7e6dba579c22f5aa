// SPDX-License-Identifier: Apache-2.0
// Tests QONNX's operator Quant.
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

struct QuantForm {
  float bits = 8;
  bool is_signed = true, is_narrow = false;
  float scale = 0.25F, zero_point = 0;
  std::string rounding = "ROUND";

  // Returns the result that QONNX defines.
  float operator()(float x) const {
    const float levels = std::ldexp(1.0F, static_cast<int>(bits));
    const float low = is_signed ? -levels / 2 + (is_narrow ? 1.0F : 0.0F) : 0;
    const float high = is_signed ? levels / 2 - 1 : levels - (is_narrow ? 2.0F : 1.0F);
    const float clipped = std::min(std::max(x / scale + zero_point, low), high);
    return (std::nearbyint(clipped) - zero_point) * scale;
  }
};

onnx::NodeProto& add_quant(ModelBuilder& model, const std::string& x, const std::string& y, const QuantForm& form,
                           const std::string& prefix) {
  model.constant(prefix + "s", {1}, std::vector<float>{form.scale});
  model.constant(prefix + "z", {1}, std::vector<float>{form.zero_point});
  model.constant(prefix + "b", {1}, std::vector<float>{form.bits});
  onnx::NodeProto& node = model.node("Quant", {x, prefix + "s", prefix + "z", prefix + "b"}, {y}, prefix);
  node.set_domain("qonnx.custom_op.general");
  set_attribute(node, "signed", int64_t{form.is_signed});
  set_attribute(node, "narrow", int64_t{form.is_narrow});
  set_attribute(node, "rounding_mode", form.rounding);
  return node;
}

std::vector<float> numbers_around(float scale) {
  std::vector<float> result;
  for (int i = -600; i < 600; ++i) result.push_back(static_cast<float>(i) * scale / 2);  // all ties included
  return result;
}

}  // namespace

TEST_CASE("Quant rounds half to even and limits to the range of its bits") {
  for (const float bits : {2.0F, 3.0F, 4.0F, 7.0F, 8.0F}) {
    for (const bool is_signed : {false, true}) {
      for (const bool is_narrow : {false, true}) {
        for (const auto& [scale, zero_point] :
             {std::pair(0.25F, 0.0F), std::pair(0.1F, 1.0F), std::pair(0.037F, 0.0F), std::pair(0.3F, 1.0F)}) {
          const QuantForm form{bits, is_signed, is_narrow, scale, zero_point, "ROUND"};
          const std::vector<float> numbers = numbers_around(scale);
          ModelBuilder model;
          model.input("x", {1, static_cast<int64_t>(numbers.size())}).output("y");
          add_quant(model, "x", "y", form, "q");
          std::vector<float> expected;
          for (const float number : numbers) expected.push_back(form(number));
          INFO(bits << " bits, signed " << is_signed << ", narrow " << is_narrow << ", scale " << scale);
          CHECK(run(optimised(model), {numbers}) == expected);
        }
      }
    }
  }
}

TEST_CASE("A Conv between Quants computes with integers") {
  ModelBuilder model;
  model.input("x", {1, 2, 4, 4}).output("y");
  model.constant("w", {2, 2, 1, 1}, std::vector<float>{0.3F, -0.7F, 0.9F, 0.11F});
  add_quant(model, "x", "xq", {8, true, false, 0.05F, 0, "ROUND"}, "qx");
  model.constant("ws", {2, 1, 1, 1}, std::vector<float>{0.1F, 0.2F});
  model.constant("wz", {1}, std::vector<float>{0}).constant("wb", {1}, std::vector<float>{4});
  onnx::NodeProto& weights = model.node("Quant", {"w", "ws", "wz", "wb"}, {"wq"}, "qw");
  weights.set_domain("qonnx.custom_op.general");
  set_attribute(weights, "narrow", int64_t{1});
  model.node("Conv", {"xq", "wq"}, {"c"}, "conv");
  add_quant(model, "c", "y", {8, true, false, 0.1F, 0, "ROUND"}, "qy");
  const Graph graph = optimised(model);
  bool is_integer = false;
  for (const auto& node : graph.nodes())
    if (node->as<ops::Conv>() != nullptr) is_integer = graph.value(node->inputs[0]).type == DataType::kS8;
  CHECK(is_integer);
}

TEST_CASE("Forms of Quant that 8-bit integers cannot represent are rejected") {
  const auto message = [](const QuantForm& form) {
    ModelBuilder model;
    model.input("x", {1, 4}).output("y");
    add_quant(model, "x", "y", form, "q");
    return message_of(model);
  };
  CHECK(contains(message({16, true, false, 1, 0, "ROUND"}), "bit width"));
  CHECK(contains(message({2.5F, true, false, 1, 0, "ROUND"}), "bit width"));
  CHECK(contains(message({8, true, false, 1, 0.5F, "ROUND"}), "zero point"));
  CHECK(contains(message({8, true, false, -1, 0, "ROUND"}), "positive"));
  CHECK(contains(message({8, true, false, 1, 0, "FLOOR"}), "FLOOR"));
}

}  // namespace nestrt::test
