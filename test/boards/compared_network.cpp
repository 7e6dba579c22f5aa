// SPDX-License-Identifier: Apache-2.0
#include "test/boards/compared_network.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <vector>

#include "nestrt/open_units.h"
#include "test/support/plan/flat_costs.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/npy.h"

namespace nestrt::boards {
namespace {

std::vector<float> image(int64_t elements, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(elements));
  for (float& value : values) value = static_cast<float>(random() % 256) - 128;
  return values;
}

std::vector<float> run(Session& session, uint32_t seed) {
  const TensorInfo& in = session.inputs()[0];
  const TensorInfo& out = session.outputs()[0];
  const std::vector<float> x = image(in.shape.num_elements(), seed);
  std::vector<float> y(static_cast<size_t>(out.shape.num_elements()), -1.0f);
  const ConstTensorView input{DataType::kF32, in.shape, x.data()};
  const TensorView output{DataType::kF32, out.shape, y.data()};
  const Status status = session.run({&input, 1}, {&output, 1});
  CAPTURE(status.to_string());
  CHECK(status.ok());
  return y;
}

std::unique_ptr<Session> open_session(const std::shared_ptr<const Plan>& plan, const UnitList& units) {
  SessionOptions options;
  options.costs.measure = Measuring::kNever;
  options.adaptation.drift = 0;
  options.fault_tolerance.unit_timeout =
      std::chrono::hours(1);  // an emulated accelerator may run in an emulated processor
  options.fault_tolerance.timeout_factor = 0;
  options.costs.table = test::flat_costs(*plan, units, [](const UnitInfo& unit) { return unit.is_host ? 100 : 10; });
  auto session = Session::create(plan, units, options);
  if (!session) FAIL(session.error().to_string());
  return std::move(*session);
}

}  // namespace

SessionMemory check_same_as_host(const std::shared_ptr<const Plan>& plan, const UnitList& accelerators, uint32_t runs) {
  const UnitList host = *open_units("cpu", {.num_threads = 2});
  UnitList both = host;
  both.insert(both.end(), accelerators.begin(), accelerators.end());
  const auto alone = open_session(plan, host), together = open_session(plan, both);
  for (uint32_t seed = 0; seed < runs; ++seed) CHECK(run(*together, seed) == run(*alone, seed));
  CHECK(together->num_host_fallbacks() == 0);
  return together->memory();
}

std::shared_ptr<const Plan> compile_quantized(const std::string& model, int64_t extent) {
  const test::TemporaryFolder folder;
  const std::string samples = folder.path() + "/samples.npy", plan = folder.path() + "/model.nest";
  const int64_t elements = 2 * 3 * extent * extent;
  const std::vector<float> values = image(elements, 1);
  REQUIRE(tools::write_npy(samples, {DataType::kF32, {2, 3, extent, extent}, values.data()}).ok());
  const test::ProgramResult result =
      test::run_program("nestc", {"compile", model, "-o", plan, "--quantize", "s8", "--calibrate", samples, "--target",
                                  "zcu102", "--tuning-cache", "none"});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  auto mapped = Plan::map(plan, Verification::kComplete);
  if (!mapped) FAIL(mapped.error().to_string());
  return *mapped;
}

}  // namespace nestrt::boards
