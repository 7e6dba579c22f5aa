// SPDX-License-Identifier: Apache-2.0
// Tests the conformance suite of plug-ins: the skeleton passes, and each case detects its fault.
#include "drivers/vendor/conformance/conformance.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "test/drivers/vendor/skeleton_programs.h"
#include "test/drivers/vendor/wrong_plugins.h"

namespace nestrt::vendor::test {
namespace {

struct alignas(64) AlignedBlob {
  explicit AlignedBlob(uint32_t inputs, uint32_t outputs, uint32_t bytes) {
    std::ranges::copy(skeleton_blob(inputs, outputs, bytes), words);
  }
  uint32_t words[4];
};

std::vector<ConformanceResult> results_of(const nestrt_vendor_functions& functions) {
  static const AlignedBlob kBlob(1, 1, 100);
  const auto plugin = make_plugin("tested", &functions);
  REQUIRE(plugin);
  return run_conformance(*plugin, {std::as_bytes(std::span(kBlob.words)), {{100}}, {{100}}});
}

TEST_CASE("The skeleton of a plug-in passes every case of the conformance suite in both versions") {
  for (const nestrt_vendor_functions* const functions : {&skeleton(), &described_skeleton()}) {
    for (const ConformanceResult& result : results_of(*functions)) {
      INFO(result.name << ", version " << functions->abi);
      CHECK(result.status.to_string() == "ok");
    }
  }
}

TEST_CASE("A plug-in without shared memory is tested in host memory") {
  nestrt_vendor_functions functions = skeleton();
  functions.allocate_shared = nullptr;
  functions.free_shared = nullptr;
  for (const ConformanceResult& result : results_of(functions)) {
    INFO(result.name);
    CHECK(result.status.to_string() == "ok");
  }
}

TEST_CASE("A program of several inputs and outputs is tested on all of them") {
  static const AlignedBlob kBlob(2, 3, 33);
  const auto plugin = make_plugin("tested", &skeleton());
  REQUIRE(plugin);
  const ConformanceProgram program{std::as_bytes(std::span(kBlob.words)), {{33}, {33}}, {{33}, {33}, {33}}};
  for (const ConformanceResult& result : run_conformance(*plugin, program)) {
    INFO(result.name);
    CHECK(result.status.to_string() == "ok");
  }
}

TEST_CASE("Each incorrect plug-in is detected by its case with the reason") {
  for (const WrongPlugin& wrong : wrong_plugins()) {
    INFO(wrong.what);
    const std::vector<ConformanceResult> results = results_of(wrong.functions);
    const auto result = std::ranges::find(results, wrong.caught_by, &ConformanceResult::name);
    REQUIRE(result != results.end());
    CHECK_THAT(std::string(result->status.message()), Catch::Contains(std::string(wrong.message)));
  }
}

TEST_CASE("A plug-in that ignores its options is detected") {
  nestrt_vendor_functions functions = described_skeleton();
  functions.open_with = [](uint32_t instance, const nestrt_vendor_option*, uint32_t, nestrt_vendor_device** device,
                           nestrt_vendor_message* why) { return skeleton().open(instance, device, why); };
  const std::vector<ConformanceResult> results = results_of(functions);
  const auto result = std::ranges::find(results, "an unknown option is rejected", &ConformanceResult::name);
  REQUIRE(result != results.end());
  CHECK(result->status.message().find("open_with() accepts the unknown option") != std::string_view::npos);
}

TEST_CASE("The cases of the conformance suite have unique names") {
  std::set<std::string_view> names;
  for (const ConformanceCase& tested : conformance_cases()) CHECK(names.insert(tested.name).second);
}

}  // namespace
}  // namespace nestrt::vendor::test
