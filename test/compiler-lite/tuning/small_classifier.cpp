// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/tuning/small_classifier.h"

#include <catch2/catch.hpp>

#include <random>

#include "test/compiler-lite/import/model_builder.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {

std::string small_classifier() {
  ModelBuilder model;
  model.input("x", {1, 3, 8, 8}).output("y");
  model.constant("w1", {4, 3, 1, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 200, 0, 0});
  model.constant("w2", {4, 4, 1, 1}, {1, 0.1f, 0, 0, 0, 1, 0.1f, 0, 0.1f, 0, 1, 0, 0.4f, 0.4f, 0.4f, 0});
  model.constant("w3", {4, 4, 1, 1}, {1, 0, 0, 0.1f, 0, 1, 0.1f, 0, 0, 0.1f, 1, 0, 0, 0, 0, 1});
  model.constant("b2", {4}, std::vector<float>(4, 3)).constant("b3", {4}, {-3.3f, -3.3f, -3.3f, -3});
  model.node("Conv", {"x", "w1"}, {"c1"}, "first");
  model.node("Relu", {"c1"}, {"r1"}, "relu1");
  model.node("Conv", {"r1", "w2", "b2"}, {"c2"}, "second");
  model.node("Relu", {"c2"}, {"r2"}, "relu2");
  model.node("Conv", {"r2", "w3", "b3"}, {"c3"}, "third");
  model.node("GlobalAveragePool", {"c3"}, {"y"}, "average");
  return model.bytes();
}

std::vector<float> small_samples(size_t count) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<float> level(0.2f, 1), noise(-0.1f, 0.1f);
  std::vector<float> result;
  for (size_t plane = 0; plane < 3 * count; ++plane) {
    // Every fourth sample has no dominant channel, so it belongs to the fourth class.
    const float mean = plane / 3 % 4 == 3 ? 0.8f : level(generator);
    for (int i = 0; i < 64; ++i) result.push_back(mean + noise(generator));
  }
  return result;
}

void write_small_classifier(const std::string& folder, size_t count) {
  REQUIRE(tools::write_text(folder + "/model.onnx", small_classifier()).ok());
  const std::vector<float> samples = small_samples(count);
  const Shape shape{static_cast<int64_t>(count), 3, 8, 8};
  REQUIRE(tools::write_npy(folder + "/samples.npy", {DataType::kF32, shape, samples.data()}).ok());
}

}  // namespace nestrt::test
