// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/plugin.h"

#include <catch2/catch.hpp>

#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "test/drivers/vendor/skeleton_programs.h"
#include "test/support/example_files.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::vendor::test {
namespace {

std::string refusal(nestrt_vendor_functions functions) {
  const auto plugin = make_plugin("npu.so", &functions);
  REQUIRE_FALSE(plugin);
  CHECK(plugin.error().code() == Code::kIncompatible);
  return std::string(plugin.error().message());
}

TEST_CASE("A plug-in for a different version of the interface is rejected") {
  CHECK(make_plugin("npu.so", nullptr).error().message() ==
        "plug-in 'npu.so' does not support version 1 of the interface; install the plug-in built for this version of "
        "nestrt");
  nestrt_vendor_functions functions = skeleton();
  functions.abi = 2;
  CHECK(refusal(functions) == "plug-in 'npu.so' returns version 2 of the interface instead of 1");
  functions = skeleton();
  functions.struct_bytes = 16;
  CHECK(refusal(functions).find("plug-in 'npu.so' has a table of 16 bytes") == 0);
}

TEST_CASE("A plug-in that lacks a function is rejected with the function's name") {
  nestrt_vendor_functions functions = skeleton();
  functions.wait = nullptr;
  CHECK(refusal(functions) == "plug-in 'npu.so' has no function wait()");
  functions = skeleton();
  functions.free_shared = nullptr;
  CHECK(refusal(functions) == "plug-in 'npu.so' has no function free_shared()");
  functions = skeleton();
  functions.allocate_shared = nullptr;
  CHECK(refusal(functions) == "plug-in 'npu.so' has no function allocate_shared()");
}

TEST_CASE("A file that is not a plug-in is rejected with the reason") {
  const nestrt::test::TemporaryFolder folder;
  CHECK(load_plugin(folder.path() + "/none.so").error().code() == Code::kNotFound);
  CHECK(load_plugin(folder.path()).error().code() == Code::kNotFound);
  CHECK(load_plugin("").error().code() == Code::kNotFound);
  const std::string text = folder.path() + "/text.so";
  folder.write("text.so", std::as_bytes(std::span("no library")));
  CHECK(load_plugin(text).error().code() == Code::kUnavailable);
  const auto component = load_plugin(NESTRT_BINARY_DIR "/test/components/libnestrt_blank.so");
  REQUIRE_FALSE(component);
  CHECK(component.error().code() == Code::kIncompatible);
  CHECK(component.error().message().find("is not a plug-in: it has no function nestrt_vendor_plugin()") !=
        std::string_view::npos);
}

TEST_CASE("A plug-in name without a folder is not searched for in system folders") {
  CHECK(load_plugin("libm.so.6").error().code() == Code::kNotFound);
}

TEST_CASE("A plug-in's unit is opened by its kind from the given file") {
  UnitOptions options;
  options.plugin = nestrt::test::kSkeletonPlugin;
  const auto units = open_units("skeleton,cpu", options);
  INFO((units ? "" : std::string(units.error().message())));
  REQUIRE(units);
  CHECK(units->front()->info().name == "skeleton0");
  CHECK(units->front()->info().configuration == "copies-1");
  CHECK(open_units("other", options).error().message() ==
        "plug-in '" + std::string(options.plugin) + "' is for unit 'skeleton', not 'other'");
  CHECK(open_units("skeleton:2", options).error().code() == Code::kInvalidArgument);
  CHECK(open_units("skeleton,skeleton", options).error().code() == Code::kUnavailable);
  CHECK(open_units("skeleton").error().message().find("unknown unit 'skeleton'") == 0);
}

}  // namespace
}  // namespace nestrt::vendor::test
