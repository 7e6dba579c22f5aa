// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/plugin.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>

#include "drivers/vendor/plugin_device.h"
#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "test/drivers/vendor/isolation/crashing_plugin.h"
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
  CHECK(
      make_plugin("npu.so", nullptr).error().message() ==
      "plug-in 'npu.so' supports neither version 2 nor 1 of the interface; install the plug-in built for this version "
      "of nestrt");
  nestrt_vendor_functions functions = skeleton();
  functions.abi = 3;
  CHECK(refusal(functions) == "plug-in 'npu.so' returns version 3 of the interface instead of 2 or 1");
  functions = skeleton();
  functions.struct_bytes = 16;
  CHECK(refusal(functions).find("plug-in 'npu.so' has a table of 16 bytes") == 0);
}

TEST_CASE("A plug-in of version 1 with the function table of that version is accepted") {
  struct FirstTable {
    std::byte bytes[offsetof(nestrt_vendor_functions, open_with)];
  } table;
  std::memcpy(&table, &skeleton(), sizeof table);
  const uint32_t size = sizeof table;
  std::memcpy(table.bytes + offsetof(nestrt_vendor_functions, struct_bytes), &size, sizeof size);
  const auto plugin = make_plugin("npu.so", reinterpret_cast<const nestrt_vendor_functions*>(&table));
  REQUIRE(plugin);
  CHECK((*plugin)->functions.abi == NESTRT_VENDOR_ABI_1);
  CHECK((*plugin)->functions.load_part == nullptr);
  CHECK((*plugin)->functions.close == skeleton().close);
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
  functions = described_skeleton();
  functions.load_part = nullptr;
  CHECK(refusal(functions) == "plug-in 'npu.so' has no function load_part()");
  functions = described_skeleton();
  functions.open_with = nullptr;
  CHECK(refusal(functions) == "plug-in 'npu.so' has no function open_with()");
  functions.abi = NESTRT_VENDOR_ABI_1;
  functions.open = nullptr;
  CHECK(refusal(functions) == "plug-in 'npu.so' has no function open()");
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

void check_options_of_devices(bool isolate) {
  UnitOptions options;
  options.plugin = nestrt::test::kSkeletonPlugin;
  options.isolate = isolate;
  options.plugin_options = "devices=2";
  const auto units = open_units("skeleton,skeleton", options);
  INFO((units ? "" : std::string(units.error().message())));
  REQUIRE(units);
  CHECK((*units)[1]->info().name == "skeleton1");
  options.plugin_options = "1:devices=2";
  CHECK(open_units("skeleton,skeleton", options));
  options.plugin_options = "0:devices=2";
  CHECK(open_units("skeleton,skeleton", options).error().code() == Code::kUnavailable);
}

TEST_CASE("The options of a plug-in apply to all of its devices or to one") { check_options_of_devices(false); }

TEST_CASE("The options of a plug-in in a separate process apply to all of its devices or to one") {
  if (needs_isolation()) check_options_of_devices(true);
}

TEST_CASE("An option that a plug-in or its version does not accept is rejected with the reason") {
  UnitOptions options;
  options.plugin = nestrt::test::kSkeletonPlugin;
  const auto message = [&](std::string_view text) {
    options.plugin_options = text;
    const auto units = open_units("skeleton", options);
    REQUIRE_FALSE(units);
    CHECK(units.error().code() == Code::kInvalidArgument);
    return std::string(units.error().message());
  };
  CHECK_THAT(message("core=1"), Catch::EndsWith("open_with(): unknown option 'core'; available: devices"));
  CHECK_THAT(message("devices=many"), Catch::EndsWith("option 'devices' must be a number from 1 to 8"));
  CHECK_THAT(message("devices"), Catch::StartsWith("'devices' is not an option for a plug-in; expected NAME=VALUE"));
  CHECK_THAT(message("x:devices=1"), Catch::StartsWith("'x:devices=1' is not an option"));
  CHECK_THAT(message("=1"), Catch::StartsWith("'=1' is not an option"));
  const auto first = make_plugin("old.so", &skeleton(), {{"core", "1"}});
  REQUIRE(first);
  CHECK(PluginDevice::open(*first, 0).error().message() ==
        "plug-in 'old.so' accepts no options such as 'core': it uses version 1 of the interface");
}

}  // namespace
}  // namespace nestrt::vendor::test
