// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/describe.h"

#include <catch2/catch.hpp>

using namespace nestrt;

namespace {

std::string described(DataType type, std::optional<plan::Quantization> quantization) {
  plan::Tensor tensor;
  tensor.type = type;
  tensor.quantization = std::move(quantization);
  return describe_type(tensor);
}

plan::Quantization exponents(std::vector<int8_t> values) {
  plan::Quantization result;
  result.exponents = std::move(values);
  return result;
}

plan::Quantization scales(std::vector<float> values, std::vector<int32_t> zero_points) {
  plan::Quantization result;
  result.scales = std::move(values);
  result.zero_points = std::move(zero_points);
  return result;
}

}  // namespace

TEST_CASE("A type is described with its scale and zero point") {
  CHECK(described(DataType::kF32, std::nullopt) == "f32");
  CHECK(described(DataType::kS8, exponents({4})) == "s8 2^-4");
  CHECK(described(DataType::kS8, exponents({-3})) == "s8 2^3");
  CHECK(described(DataType::kS8, exponents({9, 5, 7})) == "s8 2^-5 to 2^-9");
  CHECK(described(DataType::kS8, exponents({5, 5})) == "s8 2^-5");
  CHECK(described(DataType::kU8, scales({0.0235f}, {128})) == "u8 0.0235 (q - 128)");
  CHECK(described(DataType::kS8, scales({0.5f}, {})) == "s8 0.5");
  CHECK(described(DataType::kS8, scales({0.5f, 0.25f}, {0, 0})) == "s8 2 scales");
  CHECK(described(DataType::kS8, plan::Quantization()) == "s8");
}
