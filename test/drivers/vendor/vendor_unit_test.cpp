// SPDX-License-Identifier: Apache-2.0
// Tests how a unit handles the results of a plug-in. wrong_plugins.h provides incorrect plug-ins.
#include "drivers/vendor/vendor_unit.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "test/drivers/conformance/prepared_copy.h"
#include "test/drivers/vendor/skeleton_programs.h"
#include "test/drivers/vendor/wrong_plugins.h"
#include "test/support/process/quiet.h"

namespace nestrt::vendor::test {
namespace {

std::shared_ptr<const Plugin> plugin_of(const nestrt_vendor_functions& functions) {
  const auto plugin = make_plugin("npu.so", &functions);
  REQUIRE(plugin);
  return *plugin;
}

const nestrt_vendor_functions& wrong(std::string_view what) {
  const auto found = std::ranges::find(wrong_plugins(), what, &WrongPlugin::what);
  REQUIRE(found != wrong_plugins().end());
  return found->functions;
}

// Returns the status of a run on a unit of the plug-in, which must open.
Status run_on(const nestrt_vendor_functions& functions) {
  const nestrt::test::Quiet quiet;
  const auto unit = open_vendor_unit(plugin_of(functions), 0);
  REQUIRE(unit);
  nestrt::test::PreparedCopy copy(**unit, skeleton_copy_file());
  return copy.run();
}

TEST_CASE("A plug-in's unit is named by its kind and number") {
  const auto unit = open_vendor_unit(plugin_of(skeleton()), 0, "skeleton");
  REQUIRE(unit);
  CHECK((*unit)->info().kind == "skeleton");
  CHECK((*unit)->info().name == "skeleton0");
  CHECK((*unit)->info().is_steady);
  CHECK(open_vendor_unit(plugin_of(skeleton()), 0, "npu").error().message() ==
        "plug-in 'npu.so' is for unit 'skeleton', not 'npu'");
}

TEST_CASE("The number of a unit whose kind ends with a digit is separated from the kind") {
  nestrt_vendor_functions functions = skeleton();
  functions.describe = [](nestrt_vendor_device* device, nestrt_vendor_description* description,
                          nestrt_vendor_message* why) {
    const nestrt_vendor_status status = skeleton().describe(device, description, why);
    std::strcpy(description->kind, "k230");
    return status;
  };
  const auto unit = open_vendor_unit(plugin_of(functions), 0, "k230");
  INFO(unit.error().to_string());
  REQUIRE(unit);
  CHECK((*unit)->info().name == "k230:0");
}

TEST_CASE("A unit does not open if the plug-in's description is invalid or its self-test fails") {
  const nestrt::test::Quiet quiet;
  CHECK(open_vendor_unit(plugin_of(wrong("requires an invalid alignment")), 0).error().message() ==
        "plug-in 'npu.so': describe() returns the alignment 48: expected a power of two up to 4096");
  const auto failing = open_vendor_unit(plugin_of(wrong("fails its self-test")), 0);
  REQUIRE_FALSE(failing);
  CHECK(failing.error().code() == Code::kUnavailable);
  CHECK(failing.error().message() == "skeleton0: plug-in 'npu.so': self_test(): the device has failed, in a probe");
}

TEST_CASE("A plug-in that reports the end of the wrong run is named, and its unit fails") {
  const Status status = run_on(wrong("reports the end of a run that was never submitted"));
  CHECK(status.code() == Code::kDeviceFault);
  CHECK(status.message() ==
        "skeleton0: plug-in 'npu.so': wait() reports the end of run 42, which was never submitted; run 1 is active");
}

TEST_CASE("A plug-in that returns undefined statuses is named, and its unit fails") {
  CHECK(run_on(wrong("returns an undefined status for a run")).message() ==
        "skeleton0: plug-in 'npu.so': wait() returns status 77 for run 1, which is not valid for a run");
  CHECK(run_on(wrong("returns an undefined status")).message() ==
        "skeleton0: plug-in 'npu.so': wait() returns the invalid status -5");
}

TEST_CASE("A program whose ports differ from the plan's is rejected, and so is invalid shared memory") {
  const nestrt::test::ProgramInPlan program(skeleton_copy_file(), "skeleton");
  const auto refusal = [&](std::string_view what) {
    const auto unit = open_vendor_unit(plugin_of(wrong(what)), 0);
    REQUIRE(unit);
    const auto executable = program.prepare(**unit);
    REQUIRE_FALSE(executable);
    return std::string(executable.error().message());
  };
  CHECK_THAT(refusal("finds other ports in a program than it was compiled with"), Catch::Contains("for port 1 of its"));
  CHECK_THAT(refusal("returns no program"), Catch::Contains("load() returns OK without a program"));
  CHECK_THAT(refusal("allocates misaligned shared memory"), Catch::Contains("which is not aligned to 64"));
}

TEST_CASE("Control characters in a plug-in's message are escaped") {
  nestrt_vendor_functions functions = skeleton();
  functions.self_test = [](nestrt_vendor_device*, nestrt_vendor_message* why) -> nestrt_vendor_status {
    std::fill_n(why->text, sizeof why->text, '\x1b');  // without a terminating 0
    return NESTRT_VENDOR_FAULT;
  };
  const nestrt::test::Quiet quiet;
  const auto unit = open_vendor_unit(plugin_of(functions), 0);
  REQUIRE_FALSE(unit);
  CHECK_THAT(std::string(unit.error().message()), Catch::Contains("self_test(): \\x1b\\x1b"));
}

TEST_CASE("Only tensors outside shared memory are copied") {
  const auto unit = open_vendor_unit(plugin_of(skeleton()), 0);
  REQUIRE(unit);
  nestrt::test::PreparedCopy copy(**unit, skeleton_copy_file());
  REQUIRE(copy.run().ok());
  CHECK(copy.executable().traffic().copied_bytes == copy.x.size() + copy.y.size());
  const auto shared = (*unit)->allocate_shared(4096);
  REQUIRE(shared);
  Submission submission;
  submission.bindings = copy.bindings();
  std::vector<std::byte*> buffers(submission.bindings.buffers.begin(), submission.bindings.buffers.end());
  const auto& tensors = copy.plan().tables().tensors;
  buffers[tensors[0].buffer] = (*shared)->bytes().data();
  buffers[tensors[1].buffer] = (*shared)->bytes().data() + 1024;
  submission.bindings.buffers = buffers;
  REQUIRE(nestrt::run(copy.executable(), submission).ok());
  CHECK(copy.executable().traffic().copied_bytes == 0);
}

}  // namespace
}  // namespace nestrt::vendor::test
