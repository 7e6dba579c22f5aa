// SPDX-License-Identifier: Apache-2.0
// Compiles and runs the networks of ONNX's "light" model tests, with generated weights and stored expected outputs.
#include <catch2/catch.hpp>

#include <cstring>

#include "compiler-lite/compile.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "test/support/shared_data.h"
#include "test/support/skip.h"
#include "test/support/test_level.h"

namespace nestrt::compiler {
namespace {

using test::shared_data;

// Returns the values 0, 1/n, 2/n, ..., with which ONNX fills the inputs of these models.
std::vector<float> ramp(const Shape& shape) {
  std::vector<float> elements(static_cast<size_t>(shape.num_elements()));
  const auto count = static_cast<double>(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(static_cast<double>(i) / count);
  return elements;
}

void check_network(const std::string& name) {
  const auto path = shared_data("onnx_light/" + name + ".onnx");
  const auto expected_path = shared_data("onnx_light/" + name + "_output_0.pb");
  if (!path || !expected_path) return;
  CompileOptions options;
  options.import.limits.folded_bytes = 1 << 30;  // ConstantOfShape creates their weights
  const auto bytes = compile(*path, options);
  INFO(bytes.error().to_string());
  REQUIRE(bytes);
  const auto plan = Plan::from_memory(bytes->span());
  REQUIRE(plan);
  const auto session = Session::create(*plan, *open_units("cpu"));
  REQUIRE(session);
  const std::vector<float> input = ramp((*plan)->inputs()[0].shape);
  const TensorInfo& info = (*plan)->outputs()[0];
  std::vector<float> output(static_cast<size_t>(info.shape.num_elements()));
  const std::vector<ConstTensorView> from = {{DataType::kF32, (*plan)->inputs()[0].shape, input.data()}};
  const std::vector<TensorView> to = {{DataType::kF32, info.shape, output.data()}};
  REQUIRE((*session)->run(from, to).ok());

  const auto expected = read_tensor_proto(*expected_path);
  REQUIRE(expected);
  REQUIRE(info.shape == expected->shape);
  const auto* elements = reinterpret_cast<const float*>(expected->elements.data());
  for (size_t i = 0; i < output.size(); ++i) REQUIRE(output[i] == Approx(elements[i]).epsilon(1e-5));
}

TEST_CASE("AlexNet produces ONNX's expected output") { check_network("light_bvlc_alexnet"); }
TEST_CASE("Inception v1 produces ONNX's expected output") { check_network("light_inception_v1"); }
TEST_CASE("ResNet-50 produces ONNX's expected output") { check_network("light_resnet50"); }
TEST_CASE("SqueezeNet produces ONNX's expected output") { check_network("light_squeezenet"); }

constexpr const char* kTooLarge = "hundreds of megabytes of weights, and no operator that the other networks lack";

TEST_CASE("VGG-19 produces ONNX's expected output") {
  if (test::test_level() == test::TestLevel::kQuick) return test::skip(kTooLarge);
  check_network("light_vgg19");
}
TEST_CASE("ZFNet-512 produces ONNX's expected output") {
  if (test::test_level() == test::TestLevel::kQuick) return test::skip(kTooLarge);
  check_network("light_zfnet512");
}

}  // namespace
}  // namespace nestrt::compiler
