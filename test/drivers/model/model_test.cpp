// SPDX-License-Identifier: Apache-2.0
#include "nestrt/model.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "test/drivers/model/use_model.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

// Returns a plan for y = relu(image), with images of 2 x 2 pixels.
PlanBuilder image_plan(const Shape& shape, const Preprocessing& preprocessing) {
  PlanBuilder builder;
  const int image = builder.input("image", shape);
  const int y = builder.output("y", shape);
  builder.op("relu", ops::Unary{}, {image}, {y});
  builder.tables().inputs[0].preprocessing = preprocessing;
  return builder;
}

// Returns a plan for y = select(c, a, b).
PlanBuilder select_plan() {
  PlanBuilder builder;
  const int condition = builder.input("c", {2}, DataType::kBool);
  const int a = builder.input("a", {2});
  const int b = builder.input("b", {2});
  const int y = builder.output("y", {2});
  builder.op("select", ops::Select{}, {condition, a, b}, {y});
  return builder;
}

Model model_of(const PlanFile& file) {
  auto model = Model::create(*Plan::from_memory(file.bytes()), *open_units());
  REQUIRE(model);
  return *std::move(model);
}

std::vector<float> values_of(const Result<std::span<const ModelOutput>>& outputs) {
  INFO(outputs.error().to_string());
  REQUIRE(outputs);
  const auto values = outputs->front().values<float>();
  return {values.begin(), values.end()};
}

const Preprocessing kPreprocessing{.mean = {1, 2, 3}, .scale = {1, 10, 100}};
const std::vector<uint8_t> kNhwc = {1, 2, 3, 2, 3, 4, 3, 4, 5, 4, 5, 6};
const std::vector<uint8_t> kNchw = {1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6};
const std::vector<float> kPlanar = {0, 1, 2, 3, 0, 10, 20, 30, 0, 100, 200, 300};
const std::vector<float> kInterleaved = {0, 0, 0, 1, 10, 100, 2, 20, 200, 3, 30, 300};

TEST_CASE("A model opens and runs in two statements") {
  const TemporaryFolder folder;
  const std::string path = folder.write("relu.nest", relu_plan().build().bytes());
  const std::vector<float> x = {-1, 2, -3, 4, -5, 6};
  auto model = Model::open(path);
  auto outputs = model->run({x});
  CHECK(values_of(outputs) == std::vector<float>{0, 2, 0, 4, 0, 6});
  CHECK(outputs->front().name == "y");
  CHECK(outputs->front().shape == Shape({2, 3}));
  CHECK(model->find_input("x") == 0);
  CHECK_FALSE(model->find_output("x"));
}

TEST_CASE("A model reports why it cannot be opened") {
  CHECK(Model::open("/nonexistent.nest").error().code() == Code::kNotFound);
  CHECK(Model::create(nullptr, {}).error().code() == Code::kInvalidArgument);
}

TEST_CASE("A model accepts inputs of every element type by position or by name") {
  const PlanFile file = select_plan().build();
  Model model = model_of(file);
  const std::vector<float> a = {1, 2}, b = {3, 4};
  const bool condition[] = {true, false};
  CHECK(values_of(model.run({condition, a, b})) == std::vector<float>{1, 4});
  CHECK(values_of(model.run({{"b", b}, {"c", condition}, {"a", a}})) == std::vector<float>{1, 4});
  CHECK(values_of(model.run({tensor_view(condition, {2}), tensor_view(a, {2}), b})) == std::vector<float>{1, 4});
}

TEST_CASE("A model rejects inputs that do not match and names the remedy") {
  const PlanFile file = select_plan().build();
  Model model = model_of(file);
  const std::vector<float> a = {1, 2}, longer = {1, 2, 3};
  const bool condition[] = {true, false};
  const auto refusal = [&](std::initializer_list<ModelInput> inputs) {
    const auto outputs = model.run(inputs);
    CHECK(outputs.error().code() == Code::kInvalidArgument);
    return std::string(outputs.error().message());
  };
  CHECK(refusal({a}) == "the plan expects 3 inputs, got 1");
  CHECK(refusal({condition, a, longer}) == "input 'b' (f32 2) expects 8 bytes, got 12");
  CHECK(refusal({a, a, a}) == "input 'c' expects type bool, got f32");
  CHECK(refusal({condition, a, {"z", a}}) == "unknown input 'z'; available: 'c', 'a', 'b'");
  CHECK(refusal({condition, a, {"a", a}}) == "input 'a' is passed twice");
  CHECK(refusal({condition, a, tensor_view(longer, {3})}) == "input 'b' expects shape 2, got 3");
}

TEST_CASE("A model converts byte images as the plan specifies") {
  const PlanFile planar = image_plan({1, 3, 2, 2}, kPreprocessing).build();
  const PlanFile interleaved = image_plan({1, 2, 2, 3}, kPreprocessing).build();
  Model of_planar = model_of(planar), of_interleaved = model_of(interleaved);
  CHECK(values_of(of_planar.run({kNhwc})) == kPlanar);
  CHECK(values_of(of_planar.run({tensor_view(kNhwc, {1, 2, 2, 3})})) == kPlanar);
  CHECK(values_of(of_planar.run({tensor_view(kNchw, {3, 2, 2})})) == kPlanar);
  CHECK(values_of(of_interleaved.run({tensor_view(kNhwc, {2, 2, 3})})) == kInterleaved);
  CHECK(values_of(of_interleaved.run({tensor_view(kNchw, {1, 3, 2, 2})})) == kInterleaved);
  CHECK(values_of(of_planar.run({kPlanar})) == kPlanar);
}

TEST_CASE("A model swaps red and blue if the plan specifies BGR") {
  Preprocessing preprocessing{.mean = {3, 2, 1}, .scale = {100, 10, 1}};
  preprocessing.bgr = true;
  const PlanFile file = image_plan({1, 3, 2, 2}, preprocessing).build();
  const std::vector<float> bgr = {0, 100, 200, 300, 0, 10, 20, 30, 0, 1, 2, 3};
  CHECK(values_of(model_of(file).run({kNhwc})) == bgr);
}

TEST_CASE("A model rejects images of a different size, and all images if the plan specifies no preprocessing") {
  const PlanFile file = image_plan({1, 3, 2, 2}, kPreprocessing).build();
  Model model = model_of(file);
  const std::vector<uint8_t> larger(27);
  CHECK(model.run({tensor_view(larger, {3, 3, 3})}).error().message() ==
        "input 'image' expects an image of 2 x 2 pixels with 3 channels (1x2x2x3 or 1x3x2x2), got 3x3x3; resize it "
        "first, or pass a Frame, which is resized (nestrt/frame.h)");
  CHECK_THAT(model.run({larger}).error().to_string(), Contains("expects 12 bytes, got 27"));
  const PlanFile plain = maps_plan().build();
  const std::vector<uint8_t> pixels(3 * 8 * 8);
  CHECK_THAT(model_of(plain).run({pixels}).error().to_string(), Contains("nestc compile --mean"));
}

TEST_CASE("A C program opens and runs a model in five calls") {
  const TemporaryFolder folder;
  const std::vector<float> x = {-1, 2, -3, 4, -5, 6};
  float y[6] = {};
  CHECK(use_model(folder.write("relu.nest", relu_plan().build().bytes()).c_str(), x.data(), y) == 0);
  CHECK(std::vector<float>(y, y + 6) == std::vector<float>{0, 2, 0, 4, 0, 6});
  const PlanFile images = image_plan({1, 3, 2, 2}, kPreprocessing).build();
  float planar[12] = {};
  CHECK(use_image_model(folder.write("image.nest", images.bytes()).c_str(), kNhwc.data(), planar) == 0);
  CHECK(std::vector<float>(planar, planar + 12) == kPlanar);
}

}  // namespace
}  // namespace nestrt::test
