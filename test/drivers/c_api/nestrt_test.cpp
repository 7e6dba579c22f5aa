#include "nestrt/nestrt.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "test/drivers/c_api/use_c_api.h"
#include "test/support/sample_plans.h"
#include "test/support/temporary_folder.h"

namespace nestrt::test {
namespace {

TEST_CASE("A C program loads and runs a plan") {
  const TemporaryFolder folder;
  const std::string path = folder.write("relu.nest", relu_plan().build().bytes());
  const float x[6] = {-1, 2, -3, 4, -5, 6};
  float y[6] = {};
  REQUIRE(use_c_api(path.c_str(), x, y) == 0);
  for (int i = 0; i < 6; ++i) CHECK(y[i] == std::max(x[i], 0.0f));
}

TEST_CASE("The C API answers misuse with codes and messages") {
  const TemporaryFolder folder;
  CHECK(misuse_c_api(folder.write("relu.nest", relu_plan().build().bytes()).c_str()) == 0);
}

TEST_CASE("A C program takes over the log") {
  const TemporaryFolder folder;
  CHECK(log_c_api(folder.write("conv.nest", unpacked_conv_plan().build().bytes()).c_str()) == 0);
}

}  // namespace
}  // namespace nestrt::test
