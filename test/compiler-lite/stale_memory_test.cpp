// SPDX-License-Identifier: Apache-2.0
// Runs compiled networks, in f32 and s8, on memory with arbitrary previous contents.
#include <catch2/catch.hpp>
#include <random>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/codegen/make_backends.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/target/target_description.h"
#include "nestrt/open_units.h"
#include "test/support/example_files.h"
#include "test/support/kernel/guarded_run.h"
#include "test/support/plan/flat_costs.h"
#include "test/support/process/quiet.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/shared_data.h"
#include "test/support/test_level.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

compiler::PlanBytes compiled_by(const std::string& model, const compiler::CompileOptions& options) {
  auto bytes = compiler::compile(model, options);
  if (!bytes) FAIL(bytes.error().to_string());
  return std::move(*bytes);
}

std::shared_ptr<const Plan> plan_in(const compiler::PlanBytes& bytes) {
  auto plan = Plan::from_memory(bytes.span(), Verification::kComplete);
  if (!plan) FAIL(plan.error().to_string());
  return *plan;
}

// Calibrates the model with two noise inputs.
compiler::Quantization calibrated(const std::string& model, const TensorInfo& input) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> noise(-2, 2);
  std::vector<float> elements(2 * static_cast<size_t>(input.shape.num_elements()));
  for (float& element : elements) element = noise(random);
  Shape shape = input.shape;
  shape[0] *= 2;
  const TemporaryFolder folder;
  compiler::CalibrationOptions options;
  options.samples.npy = folder.path() + "/samples.npy";
  REQUIRE(tools::write_npy(options.samples.npy, {DataType::kF32, shape, elements.data()}).ok());
  auto calibration = compiler::calibrate(model, options);
  if (!calibration) FAIL(calibration.error().to_string());
  return {std::move(calibration->profile), {}, {}};
}

// Checks the plan on one thread, on two threads, and on two threads with an accelerator if the plan contains programs
// for one.
void check_steady(const compiler::PlanBytes& bytes, const std::string& units) {
  const auto plan = plan_in(bytes);
  const GuardedRun expected = run_guarded(plan, *open_units("cpu", {.num_threads = 1}), {}, Stale::kZeros);
  REQUIRE(expected.ran);
  for (const int threads : {1, 2}) {
    CAPTURE(units, threads);
    const UnitList opened = *open_units(units, {.num_threads = threads});
    SessionOptions options;
    options.costs.table = flat_costs(*plan, opened, [](const UnitInfo&) { return 100; });
    for (const Stale stale : {Stale::kZeros, Stale::kNans}) {
      const bool is_same = run_guarded(plan, opened, options, stale).outputs == expected.outputs;
      CHECK(is_same);
    }
  }
}

void check_network(const std::string& model) {
  INFO(model);
  compiler::CompileOptions options;
  const compiler::PlanBytes f32 = compiled_by(model, options);
  check_steady(f32, "cpu");
  options.quantization = calibrated(model, plan_in(f32)->inputs()[0]);
  check_steady(compiled_by(model, options), "cpu");
  const auto target = compiler::read_target("host,evta:1x16_15_15_18_17");
  REQUIRE(target);
  const auto backends = compiler::make_backends(*target);
  REQUIRE(backends);
  options.backends = *backends;
  check_steady(compiled_by(model, options), "cpu,evta:sim");
}

TEST_CASE("No result of a compiled network depends on previous memory contents") {
  const Quiet quiet;
  check_network(kDemoModel);
  if (test_level() == TestLevel::kQuick) return;
  for (const char* name : {"resnet8_cifar10", "dscnn_kws", "ad01_autoencoder", "resnet20"}) {
    const auto model = shared_data("models/" + std::string(name) + ".onnx");
    if (model) check_network(*model);
  }
}

}  // namespace
}  // namespace nestrt::test
