// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/calibrate/input_samples.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>

#include "test/support/process/temporary_folder.h"
#include "tools/support/text/npy.h"

using namespace nestrt;
using namespace nestrt::compiler;

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

TensorInfo input_of(const Shape& shape) {
  TensorInfo info;
  info.name = "x";
  info.type = DataType::kF32;
  info.shape = shape;
  return info;
}

const TensorInfo kImage = input_of({1, 3, 32, 32});

// Writes a file of the given shape with elements 0, 1, 2, ...
std::string write_array(const test::TemporaryFolder& folder, const Shape& shape) {
  std::vector<float> elements(static_cast<size_t>(shape.num_elements()));
  std::iota(elements.begin(), elements.end(), 0.0f);
  const std::string path = folder.path() + "/array.npy";
  REQUIRE(tools::write_npy(path, {DataType::kF32, shape, elements.data()}).ok());
  return path;
}

float first_element(const tools::Array& array) {
  float result;
  std::memcpy(&result, array.bytes.data(), sizeof result);
  return result;
}

std::string complaint(const SampleOptions& options, const TensorInfo& input = kImage) {
  const auto samples = InputSamples::open(options, input, nullptr);
  REQUIRE_FALSE(samples);
  return samples.error().to_string();
}

// Writes images 1.png to 4.PNG and a text file.
void write_images(const test::TemporaryFolder& folder) {
  const fs::path image = fs::path(NESTRT_SOURCE_DIR) / "examples/images/cat.png";
  for (const char* file : {"1.png", "2.png", "3.png", "4.PNG"}) fs::copy_file(image, fs::path(folder.path()) / file);
  folder.write_text("labels.txt", "cat");
}

}  // namespace

TEST_CASE("Images in a folder are samples in the order of their names") {
  const test::TemporaryFolder folder;
  write_images(folder);
  Preprocessing preprocessing;
  preprocessing.mean = {1000};
  const auto samples = InputSamples::open({folder.path(), "", 0, false}, kImage, &preprocessing);
  REQUIRE(samples);
  REQUIRE(samples->size() == 4);
  CHECK_THAT(samples->name(0), Contains("1.png"));
  CHECK_THAT(samples->name(3), Contains("4.PNG"));
  const auto sample = samples->read(2);
  REQUIRE(sample);
  CHECK(sample->shape == kImage.shape);
  CHECK(first_element(*sample) >= -1000);
  CHECK(first_element(*sample) <= -745);
}

TEST_CASE("A limit selects samples evenly") {
  const test::TemporaryFolder folder;
  const std::string npy = write_array(folder, {10, 2});
  for (const auto& [limit, expected] : std::vector<std::pair<size_t, std::vector<float>>>{
           {3, {0, 6, 12}}, {1, {0}}, {5, {0, 4, 8, 12, 16}}, {100, {0, 2, 4, 6, 8, 10, 12, 14, 16, 18}}}) {
    const auto samples = InputSamples::open({"", npy, limit, false}, input_of({1, 2}), nullptr);
    REQUIRE(samples);
    REQUIRE(samples->size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) CHECK(first_element(*samples->read(i)) == expected[i]);
  }
}

TEST_CASE("Arrays contain N inputs, with or without the input's batch axis") {
  const test::TemporaryFolder folder;
  const auto count = [&](const Shape& array, const Shape& input) -> size_t {
    const std::string npy = write_array(folder, array);
    const auto samples = InputSamples::open({"", npy, 0, false}, input_of(input), nullptr);
    return samples ? samples->size() : 0;
  };
  CHECK(count({6, 4}, {1, 4}) == 6);
  CHECK(count({6, 1, 4}, {1, 4}) == 6);
  CHECK(count({6, 4}, {2, 4}) == 3);
  CHECK(count({6, 4}, {4}) == 6);
  CHECK(count({4}, {4}) == 1);
  CHECK(count({5, 4}, {2, 4}) == 0);
  CHECK(count({6, 5}, {1, 4}) == 0);
  CHECK(count({6, 2, 2}, {1, 4}) == 0);
  CHECK(count({0, 4}, {1, 4}) == 0);
}

TEST_CASE("A file in a folder is one input, with or without a batch axis of one") {
  const Shape input{1, 3, 2, 2};
  const auto read = [&](const Shape& shape) {
    const test::TemporaryFolder folder;
    write_array(folder, shape);
    const auto samples = InputSamples::open({folder.path(), "", 0, false}, input_of(input), nullptr);
    REQUIRE(samples);
    return samples->read(0);
  };
  for (const Shape& shape : {Shape{1, 3, 2, 2}, Shape{3, 2, 2}, Shape{1, 1, 3, 2, 2}}) {
    const auto array = read(shape);
    INFO(array.error().to_string());
    REQUIRE(array);
    CHECK(array->shape == input);
  }
  for (const Shape& shape : {Shape{2, 3, 2, 2}, Shape{2, 2}, Shape{3, 2, 1}}) CHECK_FALSE(read(shape));
}

TEST_CASE("A sample with non-finite elements is rejected by name") {
  const test::TemporaryFolder folder;
  std::vector<float> elements = {1, 2, 3, std::numeric_limits<float>::quiet_NaN()};
  const std::string npy = folder.path() + "/nan.npy";
  REQUIRE(tools::write_npy(npy, {DataType::kF32, {2, 2}, elements.data()}).ok());
  const auto samples = InputSamples::open({"", npy, 0, false}, input_of({1, 2}), nullptr);
  REQUIRE(samples);
  CHECK(samples->read(0));
  CHECK_THAT(samples->read(1).error().to_string(), Contains("nan.npy[1]") && Contains("not finite"));
}

TEST_CASE("Missing calibration data is reported") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path();
  CHECK_THAT(complaint({}), Contains("--images DIR") && Contains("--npy FILE.npy"));
  CHECK_THAT(complaint({path, "also.npy", 0, false}), Contains("either --images DIR"));
  CHECK_THAT(complaint({path, "", 0, false}), Contains("no .jpg") && Contains(path));
  CHECK_THAT(complaint({path + "/absent", "", 0, false}), Contains("absent"));
  CHECK_THAT(complaint({folder.write_text("file", ""), "", 0, false}), Contains("expected a folder of images"));
  CHECK_THAT(complaint({"", path + "/absent.npy", 0, false}), Contains("absent.npy"));
  const std::string npy = write_array(folder, {2, 3, 32, 31});
  CHECK_THAT(complaint({"", npy, 0, false}), Contains("2x3x32x31") && Contains("N x 1x3x32x32"));
  CHECK_THAT(complaint({npy, "", 0, false}), Contains("expected a folder") && Contains("--npy " + npy));
  CHECK_THAT(complaint({path + "/absent.npy", "", 0, false}), Contains("No such file"));
}

TEST_CASE("Unreadable and small images are reported by name") {
  const test::TemporaryFolder folder;
  write_images(folder);
  folder.write_text("2.png", "no image");
  const SampleOptions options{folder.path(), "", 0, true};
  const auto samples = InputSamples::open(options, kImage, nullptr);
  REQUIRE(samples);
  CHECK(samples->read(0).has_value());
  CHECK_THAT(samples->read(1).error().to_string(), Contains("2.png"));

  Preprocessing small;
  small.resize = 16;
  const auto cropped = InputSamples::open(options, kImage, &small);
  REQUIRE(cropped);
  CHECK_THAT(cropped->read(0).error().to_string(), Contains("1.png") && Contains("smaller than the input"));
}
