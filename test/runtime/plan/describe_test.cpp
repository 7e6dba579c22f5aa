#include "runtime/plan/describe.h"

#include <catch2/catch.hpp>
#include <memory>

#include "test/support/plan_builder.h"

using namespace nestrt;

namespace {

std::string described(plan::DataType type, std::unique_ptr<plan::QuantizationT> quantization) {
  plan::TensorT tensor;
  tensor.type = type;
  tensor.quantization = std::move(quantization);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(plan::Tensor::Pack(builder, &tensor));
  return describe_type(*flatbuffers::GetRoot<plan::Tensor>(builder.GetBufferPointer()));
}

std::unique_ptr<plan::QuantizationT> exponents(std::vector<int8_t> values) {
  auto result = std::make_unique<plan::QuantizationT>();
  result->exponents = std::move(values);
  return result;
}

std::unique_ptr<plan::QuantizationT> scales(std::vector<float> values, std::vector<int32_t> zero_points) {
  auto result = std::make_unique<plan::QuantizationT>();
  result->scales = std::move(values);
  result->zero_points = std::move(zero_points);
  return result;
}

}  // namespace

TEST_CASE("A type is described with what its numbers stand for") {
  CHECK(described(plan::DataType::f32, nullptr) == "f32");
  CHECK(described(plan::DataType::s8, exponents({4})) == "s8 2^-4");
  CHECK(described(plan::DataType::s8, exponents({-3})) == "s8 2^3");
  CHECK(described(plan::DataType::s8, exponents({9, 5, 7})) == "s8 2^-5 to 2^-9");
  CHECK(described(plan::DataType::s8, exponents({5, 5})) == "s8 2^-5");
  CHECK(described(plan::DataType::u8, scales({0.0235f}, {128})) == "u8 0.0235 (q - 128)");
  CHECK(described(plan::DataType::s8, scales({0.5f}, {})) == "s8 0.5");
  CHECK(described(plan::DataType::s8, scales({0.5f, 0.25f}, {0, 0})) == "s8 2 scales");
  CHECK(described(plan::DataType::s8, std::make_unique<plan::QuantizationT>()) == "s8");
}
