// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/calibrate/samples.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>

#include "compiler-lite/calibrate/calibrate.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/npy.h"

using namespace nestrt;
using namespace nestrt::compiler;

namespace {

using Catch::Matchers::Contains;

// Sample folders for the inputs x:0 (two floats) and id (a 64-bit integer).
class Folders {
 public:
  Folders() {
    std::filesystem::create_directory(path() + "/x_0");
    std::filesystem::create_directory(path() + "/id");
  }

  std::string path() const { return folder_.path(); }
  void write_x(const std::string& name, float first, float second) const {
    const float elements[] = {first, second};
    REQUIRE(tools::write_npy(path() + "/x_0/" + name, {DataType::kF32, {1, 2}, elements}).ok());
  }
  void write_id(const std::string& name, int64_t id) const {
    REQUIRE(tools::write_npy(path() + "/id/" + name, {DataType::kS64, {1}, &id}).ok());
  }
  Result<CalibrationSamples> open(size_t limit = 0) const {
    const Preprocessing* const none[] = {nullptr, nullptr};
    return CalibrationSamples::open({path(), "", limit, false}, inputs_, none);
  }
  std::string complaint() const {
    const auto samples = open();
    REQUIRE_FALSE(samples);
    return samples.error().to_string();
  }

 private:
  test::TemporaryFolder folder_;
  std::vector<TensorInfo> inputs_ = {{"x:0", DataType::kF32, {1, 2}}, {"id", DataType::kS64, {1}}};
};

template <typename T>
T first_element(const tools::Array& array) {
  T element;
  std::memcpy(&element, array.bytes.data(), sizeof element);
  return element;
}

}  // namespace

TEST_CASE("Samples of several inputs are files of the same name in one folder per input") {
  const Folders folders;
  for (int i = 0; i < 4; ++i) {
    folders.write_x(std::to_string(i) + ".npy", static_cast<float>(i), 0);
    folders.write_id(std::to_string(i) + ".npy", 10 * i);
  }
  const auto samples = folders.open(2);
  REQUIRE(samples);
  REQUIRE(samples->size() == 2);
  CHECK_THAT(samples->name(1), Contains("x_0/2.npy"));
  const auto arrays = samples->read(1);
  REQUIRE(arrays);
  REQUIRE(arrays->size() == 2);
  CHECK(first_element<float>((*arrays)[0]) == 2);
  CHECK(first_element<int64_t>((*arrays)[1]) == 20);
}

TEST_CASE("Missing or differing samples of an input are rejected with the expected files") {
  const Folders folders;
  folders.write_x("a.npy", 1, 2);
  CHECK_THAT(folders.complaint(), Contains("no .jpg") && Contains("/id'"));
  folders.write_id("b.npy", 1);
  CHECK_THAT(folders.complaint(), Contains("a.npy") && Contains("b.npy") && Contains("same name"));
  folders.write_id("a.npy", 1);
  CHECK_THAT(folders.complaint(), Contains("1 files") && Contains("but 2 in"));
  std::filesystem::remove_all(folders.path() + "/id");
  CHECK_THAT(folders.complaint(), Contains("the folder 'id' does not exist") && Contains("per input: x_0, id"));
}

TEST_CASE("One array is rejected for several inputs") {
  const std::vector<TensorInfo> inputs = {{"x", DataType::kF32, {1}}, {"y", DataType::kF32, {1}}};
  const Preprocessing* const none[] = {nullptr, nullptr};
  const auto samples = CalibrationSamples::open({"", "all.npy", 0, false}, inputs, none);
  REQUIRE_FALSE(samples);
  CHECK_THAT(samples.error().to_string(), Contains("2 inputs") && Contains("one folder of samples per input"));
}

TEST_CASE("A network with several inputs, including integers, is calibrated and quantized") {
  const Folders folders;
  folders.write_x("a.npy", -1, 3);
  folders.write_x("b.npy", 2, -5);
  folders.write_id("a.npy", 0);
  folders.write_id("b.npy", 1);
  test::ModelBuilder builder;
  builder.input("x:0", {1, 2}).input("id", {1}, test::onnx_type::kInt64).output("y");
  builder.constant("table", {2, 2}, {1, 2, 3, 8}).constant("w", {4, 2}, {1, 0, 0, 1, 1, 0, 0, 1});
  builder.node("Gather", {"table", "id"}, {"row"});
  test::set_attribute(builder.node("Concat", {"x:0", "row"}, {"both"}), "axis", int64_t{1});
  builder.node("MatMul", {"both", "w"}, {"y"});
  const test::TemporaryFolder folder;
  const std::string model = folder.write_text("model.onnx", builder.bytes());
  CalibrationOptions options;
  options.samples.images = folders.path();
  const auto calibration = calibrate(model, options);
  INFO(calibration.error().to_string());
  REQUIRE(calibration);
  CHECK(calibration->profile.samples == 2);
  CHECK(calibration->profile.find("x:0")->min == -5);
  CHECK(calibration->profile.find("row")->max == 8);
  CHECK(calibration->profile.find("y")->max == 5);
  CompileOptions quantized;
  quantized.quantization = Quantization{calibration->profile, {}, {}};
  CHECK(compile(model, quantized));
}
