// Every allocation of the compiler fails once, and from there on.
#include <catch2/catch.hpp>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/compile.h"
#include "test/compiler-lite/tuning/small_classifier.h"
#include "test/faults/failing_memory.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/test_level.h"

namespace nestrt::compiler {
namespace {

// What protobuf loses of a message that it is parsing when memory runs out.
constexpr int64_t kLost = 4;

int most_of_compiler() { return test::by_level(30, 150, 100000); }

TEST_CASE("A model is compiled, or there is no memory for it") {
  const test::TemporaryFolder folder;
  test::write_small_classifier(folder.path());
  const std::string model = folder.path() + "/model.onnx";
  test::fail_every_allocation(
      most_of_compiler(), [&] { return compile(model, {}).error(); }, kLost);
}

TEST_CASE("A model is compiled in 8 bits, or there is no memory for it") {
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
      most_of_compiler(), [&] { return compile(model, options).error(); }, kLost);
}

}  // namespace
}  // namespace nestrt::compiler
