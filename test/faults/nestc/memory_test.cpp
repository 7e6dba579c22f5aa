// SPDX-License-Identifier: Apache-2.0
// Fails every allocation of the compiler once, alone and with all later ones.
#include <catch2/catch.hpp>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/compile.h"
#include "test/compiler-lite/tuning/small_classifier.h"
#include "test/faults/failing_memory.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/test_level.h"

namespace nestrt::compiler {
namespace {

// Blocks that protobuf leaks if memory runs out while it parses a message.
constexpr int64_t kMaxLeakedBlocks = 4;

int max_compiler_failures() { return test::by_level(30, 150, 100000); }

TEST_CASE("Compiling a model succeeds or returns kOutOfMemory") {
  const test::TemporaryFolder folder;
  test::write_small_classifier(folder.path());
  const std::string model = folder.path() + "/model.onnx";
  test::fail_every_allocation(
      max_compiler_failures(), [&] { return compile(model, {}).error(); }, kMaxLeakedBlocks);
}

TEST_CASE("Compiling a model in 8 bits succeeds or returns kOutOfMemory") {
  const test::TemporaryFolder folder;
  test::write_small_classifier(folder.path());
  const std::string model = folder.path() + "/model.onnx";
  CalibrationOptions calibration;
  calibration.samples.npy = folder.path() + "/samples.npy";
  auto calibrated = calibrate(model, calibration);
  REQUIRE(calibrated);
  CompileOptions options;
  options.quantization.emplace().profile = calibrated->profile;
  test::fail_every_allocation(
      max_compiler_failures(), [&] { return compile(model, options).error(); }, kMaxLeakedBlocks);
}

}  // namespace
}  // namespace nestrt::compiler
