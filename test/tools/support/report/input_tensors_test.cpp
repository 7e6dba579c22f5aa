// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/input_tensors.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "test/support/process/temporary_folder.h"
#include "tools/support/report/tensor_files.h"

namespace nestrt::tools {
namespace {

const std::vector<TensorInfo> kPair{{"x", DataType::kF32, Shape{1, 2}}, {"n", DataType::kS64, Shape{1}}};

TEST_CASE("A measured inference uses the arrays of the given files") {
  const test::TemporaryFolder folder;
  const float x[2] = {2.5f, -7};
  const int64_t n = 99;
  const std::string first = folder.path() + "/x.npy", second = folder.path() + "/n.npy";
  REQUIRE(write_npy(first, {DataType::kF32, Shape{1, 2}, x}).ok());
  REQUIRE(write_npy(second, {DataType::kS64, Shape{1}, &n}).ok());
  const auto tensors = InputTensors::create(kPair, std::vector<std::string>{"n=" + second, "x=" + first});
  REQUIRE(tensors);
  const auto views = tensors->views();
  REQUIRE(views.size() == 2);
  CHECK(std::equal(x, x + 2, static_cast<const float*>(views[0].data)));
  CHECK(*static_cast<const int64_t*>(views[1].data) == n);
  CHECK_FALSE(InputTensors::create(kPair, std::vector<std::string>{"x=" + first}));  // the other input is missing
}

TEST_CASE("A measured inference uses random inputs if no file is given") {
  const auto tensors = InputTensors::create(kPair, {});
  REQUIRE(tensors);
  const auto views = tensors->views();
  REQUIRE(views.size() == 2);
  CHECK(views[0].shape == Shape{1, 2});
  const auto* const x = static_cast<const float*>(views[0].data);
  CHECK(std::all_of(x, x + 2, [](float value) { return value >= -1 && value <= 1; }));
}

}  // namespace
}  // namespace nestrt::tools
