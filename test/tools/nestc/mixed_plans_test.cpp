// SPDX-License-Identifier: Apache-2.0
// Tests plans with programs of the CPU, EVTA and a vendor for the same branches.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <regex>
#include <string>

#include "nestrt/driver/schedule.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "runtime/costs/estimated_costs.h"
#include "runtime/costs/unit_key.h"
#include "runtime/plan/queries/program_for.h"
#include "test/support/example_files.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/shared_data.h"
#include "test/support/test_level.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

constexpr double kRounding = 1e-6;

std::vector<float> numbers(size_t count) {
  std::vector<float> x(count);
  std::mt19937 random(3);
  for (float& value : x) value = static_cast<float>(random() % 256) / 64 - 2;
  return x;
}

// A model for an image of `pixels` by `pixels`.
struct ImageModel {
  std::string file = kDemoModel;
  int64_t pixels = 32;
};

class MixedPlan {
 public:
  explicit MixedPlan(const std::vector<std::string>& more = {}, const ImageModel& model = {}) {
    const std::string npy = path("samples.npy");
    const Shape shape{2, 3, model.pixels, model.pixels};
    const std::vector<float> samples = numbers(static_cast<size_t>(shape.num_elements()));
    REQUIRE(tools::write_npy(npy, {DataType::kF32, shape, samples.data()}).ok());
    std::vector<std::string> arguments{
        "compile", model.file,           "-o", path("mixed.nest"), "--quantize", "s8", "--calibrate", npy, "--target",
        "zcu102",  "--partial-programs", "0",  "--tuning-cache",   "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_program("nestc", arguments);
    INFO(result.text);
    REQUIRE(result.exit_code == 0);
    text = result.text;
    auto mapped = Plan::map(path("mixed.nest"), Verification::kComplete);
    REQUIRE(mapped);
    plan = *mapped;
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  std::string text;
  std::shared_ptr<const Plan> plan;

  std::string file() const { return path("mixed.nest"); }

 private:
  const TemporaryFolder folder_;
};

std::vector<std::string> with_vendor(const std::string& command = std::string(kReferenceCompiler) +
                                                                  " {input} -o {output}") {
  return {"--vendor", "reference=" + command, "--vendor-optional"};
}

const UnitInfo kHost{.kind = "cpu", .name = "cpu", .configuration = "neon", .num_threads = 4, .is_host = true};
const UnitInfo kEvta{.kind = "evta", .name = "evta0", .configuration = "1x16_15_15_18_17"};
const UnitInfo kReference{.kind = "reference", .name = "reference0", .configuration = "int8-2"};

// Returns the plan's costs and estimated ones; the vendor's programs take `vendor_by_host` times the host's time.
CostTable costs_of(const Plan& plan, double vendor_by_host) {
  CostTable costs;
  add_estimates(plan, std::vector{kHost, kEvta, kReference}, costs);
  for_each_program_for(plan.tables(), kReference, [&](uint32_t branch, uint32_t program, const plan::Program&) {
    const auto on_host = branch_cost(costs, plan, branch, 0, key_of(kHost));
    REQUIRE(on_host);
    costs.set(key_of(kReference), program_work_name(plan, branch, program),
              {on_host->microseconds * vendor_by_host, CostSource::kMeasured});
  });
  return costs;
}

Schedule schedule_for(const Plan& plan, const std::vector<UnitInfo>& units, const CostTable& costs) {
  ScheduleOptions options;
  options.method = ScheduleMethod::kGroupEnumeration;
  options.budget = std::chrono::hours(24);
  const auto schedule = make_schedule(plan, units, costs, options);
  INFO(schedule.error().to_string());
  REQUIRE(schedule);
  return *schedule;
}

size_t steps_on(const Schedule& schedule, uint32_t unit) {
  return static_cast<size_t>(
      std::ranges::count_if(schedule.steps, [&](const Step& step) { return schedule.lanes[step.lane].unit == unit; }));
}

std::vector<float> run_mixed(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                             const SessionOptions& options) {
  auto session = Session::create(plan, units, options);
  INFO(session.error().to_string());
  REQUIRE(session);
  const std::vector<float> x = numbers(3 * 32 * 32);
  std::vector<float> y(10, -1);
  const ConstTensorView input{DataType::kF32, {1, 3, 32, 32}, x.data()};
  const TensorView output{DataType::kF32, (*session)->outputs()[0].shape, y.data()};
  const Status status = (*session)->run({&input, 1}, {&output, 1});
  INFO(status.to_string());
  REQUIRE(status.ok());
  CHECK((*session)->num_host_fallbacks() == 0);
  return y;
}

}  // namespace

TEST_CASE("A plan has the CPU's, EVTA's and a vendor's programs for the same branches") {
  const MixedPlan mixed(with_vendor());
  bool has_all = false, has_blocks = false;
  for (const plan::Branch& branch : mixed.plan->tables().branches) {
    const auto has = [&](std::string_view unit) {
      return std::ranges::count(branch.programs, unit, &plan::Program::unit) > 0;
    };
    CHECK(has("cpu"));
    has_all |= has("evta") && has("reference");
    for (const plan::Program& program : branch.programs)
      for (const plan::ProgramRange& range : program.ranges)
        has_blocks |= program.kind == plan::ProgramKind::kBlob &&
                      mixed.plan->tables().tensors[static_cast<size_t>(range.tensor)].layout == Layout::kBlocked16;
  }
  CHECK(has_all);
  CHECK(has_blocks);  // the driver converts them to the plain layout
}

TEST_CASE("nestc explain counts each operator at most once per unit") {
  const MixedPlan mixed(with_vendor());
  const std::string text = run_program("nestc", {"explain", mixed.file()}).text;
  INFO(text);
  const std::regex line("([0-9]+) of ([0-9]+) operators that compute");
  int units = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), line), end; found != end; ++found, ++units)
    CHECK(std::stoi((*found)[1]) <= std::stoi((*found)[2]));
  CHECK(units == 2);
}

// Compares schedules with and without the vendor's programs for several vendor costs.
void check_never_longer(const ImageModel& model) {
  const MixedPlan mixed(with_vendor(), model);
  const MixedPlan alone({}, model);
  const CostTable none = costs_of(*alone.plan, 1);
  const double without = schedule_for(*alone.plan, {kHost, kEvta}, none).makespan_us;
  for (const double factor : {0.01, 0.3, 1.0, 3.0, 100.0}) {
    const CostTable costs = costs_of(*mixed.plan, factor);
    const Schedule schedule = schedule_for(*mixed.plan, {kHost, kEvta, kReference}, costs);
    INFO(factor);
    CHECK(schedule.makespan_us <= without * (1 + kRounding));
    if (factor < 0.1) CHECK(schedule.makespan_us < without);
    if (factor < 0.1) CHECK(steps_on(schedule, 2) > 0);
    if (factor > 10) CHECK(steps_on(schedule, 2) == 0);
  }
}

TEST_CASE("A vendor's programs are used only if they are fast and never make a schedule longer") {
  check_never_longer({});
}

TEST_CASE("A vendor's programs never make schedules of common networks longer") {
  for (const auto& [name, pixels] : {std::pair{"squeezenet1.1", 224}, std::pair{"bvlc_googlenet", 224},
                                     std::pair{"mobilenet_v2_1.0_224_qat_deq", 224}, std::pair{"resnet20", 32}}) {
    INFO(name);
    if (pixels > 32 && test_level() == TestLevel::kQuick) continue;
    const auto model = shared_data(fmt::format("models/{}.onnx", name));
    if (!model) return;
    check_never_longer({model->string(), pixels});
  }
}

TEST_CASE("A capability file for half of a network respects its fragment limit and makes no schedule longer") {
  const TemporaryFolder folder;
  const MixedPlan alone;
  const size_t operators = alone.plan->tables().operators.size();
  const double without = schedule_for(*alone.plan, {kHost, kEvta}, costs_of(*alone.plan, 1)).makespan_us;
  for (const size_t least : {1, 2, 3}) {
    const std::string file = folder.write_text(
        "npu.yaml",
        "name: NPU\ntypes: [f32, s8, s32]\noperators:\n  Conv:\n    attributes: {kernel_shape: {max: 1}}\n  Relu:\n"
        "  QuantizeLinear:\n  DequantizeLinear:\n  MaxPool:\nregion: {min_operators: " +
            std::to_string(least) + "}\n");
    std::vector<std::string> options = with_vendor();
    options.insert(options.end(), {"--vendor-capability", file});
    const MixedPlan mixed(options);
    size_t fragments = 0;
    for (const plan::Branch& branch : mixed.plan->tables().branches)
      fragments += static_cast<size_t>(std::ranges::count(branch.programs, "reference", &plan::Program::unit));
    CHECK(fragments <= operators / least);
    if (least == 1) CHECK(fragments > operators / 4);
    for (const double factor : {0.1, 1.0, 10.0})
      CHECK(schedule_for(*mixed.plan, {kHost, kEvta, kReference}, costs_of(*mixed.plan, factor)).makespan_us <=
            without * (1 + kRounding));
  }
}

TEST_CASE("A vendor without known costs is not preferred, and a missing cost does not prevent scheduling") {
  const MixedPlan mixed(with_vendor());
  CostTable costs;
  add_estimates(*mixed.plan, std::vector{kHost, kEvta, kReference}, costs);
  CHECK(steps_on(schedule_for(*mixed.plan, {kHost, kReference}, costs), 1) == 0);
}

TEST_CASE("Branches without vendor programs equal the CPU bit for bit, and the others are close") {
  const MixedPlan mixed(with_vendor());
  const auto units = open_units("cpu,evta:sim,reference", {.num_threads = 4, .plugin = kReferencePlugin});
  INFO(units.error().to_string());
  REQUIRE(units);
  const std::vector<float> expected = run_mixed(mixed.plan, *open_units("cpu", {.num_threads = 1}), {});
  for (const double factor : {0.01, 1.0, 100.0}) {
    SessionOptions options;
    options.fixed_schedule = std::make_shared<const Schedule>(
        schedule_for(*mixed.plan, {kHost, kEvta, kReference}, costs_of(*mixed.plan, factor)));
    options.fault_tolerance.check_every = 1;  // not for the vendor, whose results differ
    const std::vector<float> results = run_mixed(mixed.plan, *units, options);
    CHECK(results == run_mixed(mixed.plan, *units, options));
    if (steps_on(*options.fixed_schedule, 2) == 0) CHECK(results == expected);
    for (size_t y = 0; y < expected.size(); ++y) CHECK(std::abs(results[y] - expected[y]) < 0.1f);
  }
}

TEST_CASE("A mixed plan runs and is profiled with and without the vendor's unit") {
  const MixedPlan mixed(with_vendor());
  const std::vector<std::string> units{"--units", "reference,evta,cpu", "--transport",
                                       "sim",     "--plugin",           kReferencePlugin};
  const auto nestrt = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), units.begin(), units.end());
    return run_program("nestrt", arguments);
  };
  const std::string plan = mixed.path("mixed.nest"), costs = mixed.path("costs");
  for (const ProgramResult& result : {nestrt({"bench", plan, "--runs", "5"}),
                                      nestrt({"profile", plan, "-o", costs, "--max-runs", "2", "--count", "1"}),
                                      nestrt({"bench", plan, "--runs", "3", "--cost-file", costs}),
                                      run_program("nestrt", {"bench", plan, "--runs", "2", "--units", "cpu"})}) {
    INFO(result.text);
    CHECK(result.exit_code == 0);
  }
  const auto measured = read_costs(costs);
  REQUIRE(measured);
  size_t of_vendor = 0;
  for (const auto& [unit, works] : measured->units())
    if (unit.kind == "reference") of_vendor += works.size();
  CHECK(of_vendor > 0);
}

TEST_CASE(
    "If an optional vendor's command fails, the plan equals the one without the vendor, and a note reports the "
    "reason") {
  const MixedPlan mixed(with_vendor("false {input} {output}"));
  CHECK_THAT(mixed.text, Contains("has no vendor program: its command ended with exit code 1"));
  for (const plan::Branch& branch : mixed.plan->tables().branches)
    CHECK(std::ranges::count(branch.programs, "reference", &plan::Program::unit) == 0);
}

}  // namespace nestrt::test
