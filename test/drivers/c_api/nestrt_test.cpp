// SPDX-License-Identifier: Apache-2.0
#include "nestrt/nestrt.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "nestrt/log.h"
#include "test/drivers/c_api/use_c_api.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

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

TEST_CASE("A C program receives the log messages") {
  const TemporaryFolder folder;
  CHECK(log_c_api(folder.write("conv.nest", unpacked_conv_plan().build().bytes()).c_str()) == 0);
}

TEST_CASE("The C API escapes control characters of file names in messages") {
  nestrt_plan* plan = nullptr;
  REQUIRE(nestrt_plan_load("/no\x1b[2J\nfile.nest", &plan) == NESTRT_NOT_FOUND);
  CHECK_THAT(nestrt_last_error(), Catch::Matchers::Contains("/no\\x1b[2J\\nfile.nest"));
  std::string logged;
  const auto keep = [](void* context, nestrt_log_level, const char* message) {
    *static_cast<std::string*>(context) = message;
  };
  REQUIRE(nestrt_log_set_hook(+keep, &logged) == NESTRT_OK);
  log(LogLevel::kWarning, "unit '\x1b]0;'");
  REQUIRE(nestrt_log_set_hook(nullptr, nullptr) == NESTRT_OK);
  CHECK(logged == "unit '\\x1b]0;'");
}

TEST_CASE("Escaping truncates to the buffer and returns the full length") {
  char buffer[8] = "";
  CHECK(nestrt_text_escape("x\ny", buffer, sizeof buffer) == 4);
  CHECK(std::string(buffer) == "x\\ny");
  CHECK(nestrt_text_escape("abcd\x1b", buffer, sizeof buffer) == 8);  // an escape is not cut
  CHECK(std::string(buffer) == "abcd");
  CHECK(nestrt_text_escape("abcdefgh", buffer, 1) == 8);
  CHECK(std::string(buffer).empty());
  CHECK(nestrt_text_escape("abc", nullptr, 0) == 3);
  CHECK(nestrt_text_escape(nullptr, buffer, sizeof buffer) == 0);
}

}  // namespace
}  // namespace nestrt::test
