// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/tensor_files.h"

#include <catch2/catch.hpp>

#include "test/support/process/temporary_folder.h"

namespace nestrt::tools {
namespace {

const TensorInfo kImage{"image:0", DataType::kF32, Shape{1, 2}};
const TensorInfo kEquation{"a=b", DataType::kS64, Shape{1}};

// Files with arrays of zeros that are deleted with the object.
class ZeroFiles {
 public:
  std::string save(const std::string& name, DataType type, const Shape& shape) const {
    const std::vector<std::byte> zeros(64);
    const std::string path = folder_.path() + "/" + name;
    REQUIRE(write_npy(path, {type, shape, zeros.data()}).ok());
    return path;
  }

 private:
  test::TemporaryFolder folder_;
};

std::string refusal(const std::vector<TensorInfo>& inputs, const std::vector<std::string>& arguments) {
  const auto result = read_inputs(inputs, arguments);
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == Code::kInvalidArgument);
  return std::string(result.error().message());
}

TEST_CASE("Inputs are matched by name in any order, and names may contain an equals sign") {
  const ZeroFiles files;
  const std::string image = files.save("image.npy", DataType::kF32, {1, 2});
  const std::string number = files.save("number.npy", DataType::kS64, {1});
  const std::vector<TensorInfo> inputs{kImage, kEquation};
  const auto arrays = read_inputs(inputs, std::vector<std::string>{"a=b=" + number, "image:0=" + image});
  REQUIRE(arrays);
  CHECK(arrays->at(0).shape == Shape{1, 2});
  CHECK(arrays->at(1).type == DataType::kS64);
}

TEST_CASE("A single input needs no name") {
  const ZeroFiles files;
  const std::string image = files.save("image.npy", DataType::kF32, {1, 2});
  CHECK(read_inputs(std::vector{kImage}, std::vector<std::string>{image}));
}

TEST_CASE("Inputs that do not match are rejected with the expected ones") {
  const ZeroFiles files;
  const std::string image = files.save("image.npy", DataType::kF32, {1, 2});
  const std::string flat = files.save("flat.npy", DataType::kF32, {2});
  const std::string bytes = files.save("bytes.npy", DataType::kU8, {1, 2});
  const std::string expected = "--input image:0=FILE.npy  (f32 1x2)";
  CHECK(refusal({kImage}, {}).find(expected) != std::string::npos);
  CHECK(refusal({kImage}, {"data=" + image}).find("'data=" + image + "' does not name an input") == 0);
  CHECK(refusal({kImage}, {image, image}).find("given twice") != std::string::npos);
  CHECK(refusal({kImage}, {flat}).find("flat.npy' contains f32 2,") != std::string::npos);
  CHECK(refusal({kImage}, {bytes}).find(expected) != std::string::npos);
  CHECK(refusal({kImage, kEquation}, {"image:0=" + image}).find("input 'a=b' is missing") == 0);
}

TEST_CASE("Output files are named after their tensors, safely and uniquely") {
  std::vector<TensorInfo> outputs;
  for (const char* name : {"prob_1", "a/b:0", "a_b_0", "../x", "", "größe"})
    outputs.push_back({name, DataType::kF32, {}});
  outputs.push_back({std::string(300, 'n'), DataType::kF32, {}});
  const std::vector<std::string> names = file_names(outputs, ".npy");
  CHECK(names == std::vector<std::string>{"prob_1.npy", "a_b_0.npy", "a_b_0_2.npy", ".._x.npy", "output.npy",
                                          "gr____e.npy", std::string(200, 'n') + ".npy"});
}

TEST_CASE("Equal file names get numbers that are not in use") {
  std::vector<TensorInfo> outputs;
  for (const char* name : {"a", "a_3", "a", "a", "a_3"}) outputs.push_back({name, DataType::kF32, {}});
  CHECK(file_names(outputs, "") == std::vector<std::string>{"a", "a_3", "a_2", "a_4", "a_3_2"});
  constexpr size_t kMany = 60'000;  // minutes with a quadratic algorithm
  const std::vector<TensorInfo> many(kMany, TensorInfo{"?", DataType::kF32, {}});
  CHECK(file_names(many, "").back() == "__60000");
}

}  // namespace
}  // namespace nestrt::tools
