// SPDX-License-Identifier: Apache-2.0
#include "test/repository/style.h"

#include <catch2/catch.hpp>

#include "test/repository/require_none.h"

namespace nestrt::test {
namespace {

const std::string kHeader = "#pragma once\n";

}  // namespace

TEST_CASE("The repository follows its house rules") {
  require_none(style_violations(load_source_tree(NESTRT_SOURCE_DIR)));
}

TEST_CASE("Every test source is compiled into a test executable") {
  require_none(orphaned_tests(load_source_tree(NESTRT_SOURCE_DIR)));
}

TEST_CASE("Every operator of the CPU has a test") {
  require_none(untested_operators(load_source_tree(NESTRT_SOURCE_DIR)));
}

TEST_CASE("An operator without a test is found") {
  const std::string row = "const OperatorRules& rules<ops::Pad>() {\n";
  CHECK(untested_operators({{"kernels/pad/pad.cpp", row}}).size() == 1);
  CHECK(untested_operators({{"kernels/pad/pad.cpp", row}, {"test/kernels/pad/pad_test.cpp", ""}}).empty());
  CHECK(untested_operators({{"kernels/pad/pad_reference.cpp", "int x;\n"}}).empty());
}

TEST_CASE("Each violation of a house rule is found once") {
  auto [path, text] = GENERATE(table<std::string, std::string>({
      {"runtime/a.h", "int x;\n"},
      {"kernels/a.cpp", "\tint x;\n"},
      {"kernels/a.cpp", "int x; \n"},
      {"kernels/a.cpp", "// " + std::string(118, 'x') + "\n"},
      {"kernels/a.cpp", "// TODO: later\n"},
      {"script/a", "cd /home/somebody\n"},
      {"drivers/a.cpp", "if (bad) throw std::runtime_error(\"bad\");\n"},
      {"runtime/a.cpp", "throw;\n"},
      {"test/a_test.cpp", "TEST_CASE(\"One; two\") {\n"},
      {"runtime/a.cpp", "std::mutex mutex_;\n"},
      {"drivers/a.cpp", "const std::lock_guard lock(mutex_);\n"},
  }));
  INFO(path << ": " << text);
  REQUIRE(style_violations({{path, text}}).size() == 1);
}

TEST_CASE("Code that follows the house rules is not reported") {
  auto [path, text] = GENERATE(table<std::string, std::string>({
      {"runtime/a.h", kHeader},
      {"drivers/include/nestrt/nestrt.h", "#ifndef NESTRT_NESTRT_H_\n"},
      {"kernels/a.cpp", "// " + std::string(117, 'x') + "\n"},
      {"kernels/a.cpp", "int retry = 3;  // we try once more, never throw\n"},
      {"runtime/platform/guard.h", kHeader + "catch (const std::bad_alloc&) {\n"},
      {"tools/nestrt/a.cpp", "throw error;\n"},
      {"docs/a.md", "\tTODO\n"},
      {"runtime/include/nestrt/driver/mutex.h", kHeader + "std::mutex native_;\n"},
      {"test/runtime/a_test.cpp", "std::mutex mutex;\n"},
  }));
  INFO(path << ": " << text);
  require_none(style_violations({{path, text}}));
}

TEST_CASE("A file of more than 600 lines is found") {
  std::string text;
  for (int i = 0; i < 600; ++i) text += "int x;\n";
  REQUIRE(style_violations({{"kernels/a.cpp", text}}).empty());
  REQUIRE(style_violations({{"kernels/a.cpp", text + "int y;\n"}}).size() == 1);
}

TEST_CASE("A test source outside the test executables is found") {
  const std::string build = "nestrt_add_tests(kernels)\nnestrt_add_tests(compiler-lite nestrt_compiler)\n";
  const auto findings = [&](const std::string& path) {
    return orphaned_tests({{"test/CMakeLists.txt", build}, {path, ""}});
  };
  REQUIRE(findings("test/kernels/conv/conv_test.cpp").empty());
  REQUIRE(findings("test/compiler-lite/graph_test.cpp").empty());
  REQUIRE(findings("test/compiler/graph_test.cpp").size() == 1);
  REQUIRE(findings("test/other/graph_test.cpp").size() == 1);
}

}  // namespace nestrt::test
