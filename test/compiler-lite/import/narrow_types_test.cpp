// SPDX-License-Identifier: Apache-2.0
// Tests 2-bit and 4-bit integers and 4-bit and 8-bit floats.
#include "compiler-lite/import/onnx/narrow_types.h"

#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "test/compiler-lite/import/model_builder.h"

namespace nestrt::test {
namespace {

using compiler::Bytes;
using compiler::NarrowType;

constexpr int32_t kE4m3fn = 17, kE4m3fnuz = 18, kE5m2 = 19, kE5m2fnuz = 20, kUint4 = 21, kInt4 = 22, kE2m1 = 23,
                  kInt2 = 26;

std::vector<float> all_numbers(const NarrowType& type) {
  std::vector<float> numbers;
  for (int code = 0; code < 1 << type.bits; ++code) {
    const Bytes packed{static_cast<std::byte>(code)}, element = unpacked(type, packed, 1);
    float number;
    std::memcpy(&number, element.data(), sizeof number);
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<float> cast(const std::vector<float>& x, int32_t to, bool saturates = true) {
  ModelBuilder model(23);
  model.input("x", {static_cast<int64_t>(x.size())}).output("y");
  onnx::NodeProto& node = model.node("Cast", {"x"}, {"narrow"});
  set_attribute(node, "to", int64_t{to});
  set_attribute(node, "saturate", int64_t{saturates});
  set_attribute(model.node("Cast", {"narrow"}, {"y"}), "to", int64_t{onnx_type::kFloat});
  const auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  return run(*graph, {x});
}

TEST_CASE("Integers are unpacked starting at the low bits, with their sign") {
  const Bytes packed{std::byte{0x7f}, std::byte{0x08}};
  CHECK(unpacked(*compiler::find_narrow_type(kInt4), packed, 3) ==
        Bytes{std::byte{0xff}, std::byte{7}, std::byte{0xf8}});
  CHECK(unpacked(*compiler::find_narrow_type(kUint4), packed, 3) == Bytes{std::byte{15}, std::byte{7}, std::byte{8}});
  CHECK(unpacked(*compiler::find_narrow_type(kInt2), packed, 5) ==
        Bytes{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{1}, std::byte{0}});
  CHECK(packed_bytes(*compiler::find_narrow_type(kInt4), 3) == 2);
}

TEST_CASE("Known float8 codes decode to their values") {
  const std::vector<float> e4m3 = all_numbers(*compiler::find_narrow_type(kE4m3fn));
  CHECK(e4m3[0x38] == 1);
  CHECK(e4m3[0x7e] == 448);
  CHECK(e4m3[0x01] == 0x1p-9F);
  CHECK(std::isnan(e4m3[0x7f]));
  const std::vector<float> e5m2 = all_numbers(*compiler::find_narrow_type(kE5m2));
  CHECK(e5m2[0x7b] == 57344);
  CHECK(std::isinf(e5m2[0x7c]));
  CHECK(std::isnan(e5m2[0x7d]));
  CHECK(std::isnan(all_numbers(*compiler::find_narrow_type(kE4m3fnuz))[0x80]));
}

TEST_CASE("A Cast rounds to the nearest number of the type") {
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> exponent(-18, 17), sign(-1, 1);
  for (const int32_t to : {kE4m3fn, kE4m3fnuz, kE5m2, kE5m2fnuz, kE2m1}) {
    const NarrowType& type = *compiler::find_narrow_type(to);
    std::vector<float> numbers = all_numbers(type), x = numbers;
    std::erase_if(numbers, [](float number) { return !std::isfinite(number); });
    x = numbers;  // which stay as they are
    for (int i = 0; i < 2000; ++i) x.push_back(std::copysign(std::exp2(exponent(generator)), sign(generator)));
    const std::vector<float> y = cast(x, to);
    for (size_t i = 0; i < x.size(); ++i) {
      float best = INFINITY;
      for (const float number : numbers) best = std::min(best, std::abs(number - x[i]));
      INFO(type.name << ": " << x[i] << " becomes " << y[i]);
      CHECK(std::ranges::find(numbers, y[i]) != numbers.end());
      CHECK(std::abs(y[i] - x[i]) == best);
    }
  }
}

TEST_CASE("A Cast of a number midway between two others selects the even one") {
  CHECK(cast({17, 19, 0.25F, -2.5F}, kE4m3fn) == std::vector<float>{16, 20, 0.25F, -2.5F});
  CHECK(cast({0.25F, 0.75F, 1.25F, 5}, kE2m1) == std::vector<float>{0, 1, 1, 4});
}

TEST_CASE("Numbers beyond the largest one saturate or become infinite or NaN") {
  CHECK(cast({1e6F, -INFINITY}, kE4m3fn) == std::vector<float>{448, -448});
  CHECK(std::isnan(cast({1e6F}, kE4m3fn, false)[0]));
  CHECK(cast({1e6F}, kE5m2, false)[0] == INFINITY);
  CHECK(std::isnan(cast({NAN}, kE4m3fn)[0]));
  CHECK(cast({NAN}, kE2m1)[0] == 0);
}

TEST_CASE("A Cast to a narrow integer keeps the low bits") {
  CHECK(cast({-9, -8, 7, 8, 15}, kInt4) == std::vector<float>{7, -8, 7, -8, -1});
  CHECK(cast({-9, 15, 16}, kUint4) == std::vector<float>{7, 15, 0});
}

// As specified on ONNX's page about 4-bit integers. ONNX Runtime 1.32 rounds ties away from zero.
TEST_CASE("A Cast from float to a narrow integer rounds ties to even") {
  CHECK(cast({0.75F, 1.5F, 2.5F, -0.75F, -1.5F}, kInt4) == std::vector<float>{1, 2, 2, -1, -2});
  CHECK(cast({0.5F, 1.5F, 14.75F}, kUint4) == std::vector<float>{0, 2, 15});
}

TEST_CASE("4-bit weights with one scale per block are dequantized at compile time") {
  ModelBuilder model(21);
  model.input("x", {1, 4}).output("y").constant("scale", {2, 1}, {0.5F, 2});
  onnx::TensorProto& weights = *model.graph().add_initializer();
  weights.set_name("w");
  weights.set_data_type(kInt4);
  weights.add_dims(4);
  weights.add_dims(1);
  weights.set_raw_data(std::string("\x21\xf3", 2));  // 1, 2, 3, -1
  onnx::NodeProto& node = model.node("DequantizeLinear", {"w", "scale"}, {"real"});
  set_attribute(node, "axis", int64_t{0});
  set_attribute(node, "block_size", int64_t{2});
  model.node("MatMul", {"x", "real"}, {"y"});
  const auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  CHECK(graph->nodes().size() == 1);
  CHECK(run(*graph, {{1, 10, 100, 1000}}) == std::vector<float>{0.5F + 10 + 600 - 2000});
}

}  // namespace
}  // namespace nestrt::test
