// SPDX-License-Identifier: Apache-2.0
// Tests the costs of one network with different calibrations. Exponents and NPU instructions may differ.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <set>
#include <string>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/plan_tables.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/example_files.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

constexpr uint32_t kCpuProgram = 0;
const UnitKey kNpu{"evta", "1x16_15_15_18_17", 1};

// Writes a model of two convolutions. The biases of the first determine the exponent of its results even for small
// inputs.
std::string write_biased_model(const TemporaryFolder& folder) {
  std::mt19937 random(5);
  std::vector<float> weights(32 * 16);
  for (float& weight : weights) weight = static_cast<float>(random() % 64) / 64.0f - 0.5f;
  ModelBuilder model;
  model.input("x", {1, 16, 16, 16}).output("y");
  model.constant("w", {32, 16, 1, 1}, weights).constant("b", {32}, std::vector<float>(32, 4.0f));
  model.constant("v", {16, 32, 1, 1}, weights);
  model.node("Conv", {"x", "w", "b"}, {"biased"});
  model.node("Conv", {"biased", "v"}, {"y"});
  const std::string path = folder.path() + "/biased.onnx";
  std::ofstream(path, std::ios::binary) << model.bytes();
  return path;
}

// Calibrates with noise of the given amplitude.
std::shared_ptr<const Plan> compile(const TemporaryFolder& folder, const std::string& model, const Shape& input,
                                    float amplitude) {
  static int count = 0;
  const std::string name = folder.path() + "/" + std::to_string(++count);
  std::vector<float> samples(static_cast<size_t>(input.num_elements()));
  std::mt19937 random(1);
  for (float& value : samples) value = amplitude * (static_cast<float>(random() % 256) / 128 - 1);
  const std::string npy = name + ".npy", plan = name + ".nest";
  REQUIRE(tools::write_npy(npy, {DataType::kF32, input, samples.data()}).ok());
  const ProgramResult result = run_program("nestc", {"compile", model, "-o", plan, "--quantize", "s8", "--calibrate",
                                                     npy, "--target", "zcu102", "--tuning-cache", "none"});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  return *Plan::map(plan);
}

std::set<std::string> works_of(const Plan& plan) {
  std::set<std::string> works;
  for (uint32_t op = 0; op < plan.tables().operators.size(); ++op) works.insert(work_name(plan, op, UnitKey()));
  return works;
}

// Returns the first NPU program of a plan.
struct NpuProgram {
  explicit NpuProgram(const Plan& plan) {
    const auto& branches = plan.tables().branches;
    const auto is_its = [](const plan::Program& program) { return program.unit == kNpu.kind; };
    while (std::ranges::none_of(branches.at(branch).programs, is_its)) ++branch;
    program = static_cast<uint32_t>(std::ranges::find_if(branches[branch].programs, is_its) -
                                    branches[branch].programs.begin());
    stated_us = branches[branch].programs[program].costs.at(0).microseconds;
  }
  uint32_t branch = 0, program = 0;
  double stated_us = 0;
};

TEST_CASE("Plans of different calibrations share CPU costs, and NPU costs of programs with equal times") {
  const TemporaryFolder folder;
  const std::string model = write_biased_model(folder);
  const auto compiled = [&](float amplitude) { return compile(folder, model, {1, 16, 16, 16}, amplitude); };
  const auto loud = compiled(128), louder = compiled(512), quiet = compiled(1.0f / 64);
  CHECK(works_of(*loud) == works_of(*quiet));
  const NpuProgram on_loud(*loud), on_louder(*louder), on_quiet(*quiet);
  REQUIRE(on_loud.stated_us == on_louder.stated_us);
  REQUIRE(on_loud.stated_us != on_quiet.stated_us);
  CostTable costs;  // costs on one board, measured by sessions of the two plans
  costs.set(kNpu, program_work_name(*loud, on_loud.branch, on_loud.program), {70, CostSource::kMeasured});
  CHECK(branch_cost(costs, *louder, on_louder.branch, on_louder.program, kNpu)->microseconds == 70);
  CHECK(branch_cost(costs, *quiet, on_quiet.branch, on_quiet.program, kNpu)->microseconds == on_quiet.stated_us);
  costs.set(kNpu, program_work_name(*quiet, on_quiet.branch, on_quiet.program), {90, CostSource::kMeasured});
  CHECK(branch_cost(costs, *loud, on_loud.branch, on_loud.program, kNpu)->microseconds == 70);
  CHECK(branch_cost(costs, *quiet, on_quiet.branch, on_quiet.program, kNpu)->microseconds == 90);
}

TEST_CASE("The ZCU102's profile contains every operator of nest_squeeze for any calibration") {
  const TemporaryFolder folder;
  const auto costs = read_costs(NESTRT_SOURCE_DIR "/boards/profiles/zcu102.costs");
  REQUIRE(costs);
  for (const float amplitude : {1.0f / 64, 1.0f, 128.0f}) {
    const auto plan = compile(folder, kDemoModel, {2, 3, 32, 32}, amplitude);
    for (uint32_t branch = 0; branch < plan->tables().branches.size(); ++branch) {
      const auto cost = branch_cost(*costs, *plan, branch, kCpuProgram, {"cpu", "neon", 4});
      INFO((cost ? "" : cost.error().to_string()));
      CHECK(cost);
    }
  }
}

}  // namespace
}  // namespace nestrt::test
