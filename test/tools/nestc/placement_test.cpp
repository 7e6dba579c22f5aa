// SPDX-License-Identifier: Apache-2.0
// Tests quantized networks under random schedules: branches on any unit, and layers split across units.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "runtime/core/unit_infos.h"
#include "runtime/execution/check_schedule.h"
#include "runtime/plan/queries/channel_order.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/runtime/support/random_schedule.h"
#include "test/support/example_files.h"
#include "test/support/kernel/accumulators.h"
#include "test/support/plan/flat_costs.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/test_level.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

// Adds a Conv with random weights of the given shape and no attributes.
onnx::NodeProto& add_conv(ModelBuilder& model, std::mt19937& random, const std::string& x, const std::string& y,
                          const std::vector<int64_t>& weights) {
  std::vector<float> values(static_cast<size_t>(Shape(weights).num_elements()));
  for (float& value : values) value = static_cast<float>(random() % 64) / 64.0f - 0.5f;
  model.constant(y + ".w", weights, values);
  return model.node("Conv", {x, y + ".w"}, {y});
}

std::string write(const ModelBuilder& model, const TemporaryFolder& folder) {
  const std::string path = folder.path() + "/model.onnx";
  std::ofstream(path, std::ios::binary) << model.bytes();
  return path;
}

// Writes a model with depthwise convolutions and a pool.
std::string write_channelwise_model(const TemporaryFolder& folder) {
  std::mt19937 random(5);
  ModelBuilder model;
  model.input("x", {1, 3, 32, 32}).output("y");
  const auto conv = [&](const std::string& x, const std::string& y, const std::vector<int64_t>& weights,
                        int64_t group) {
    onnx::NodeProto& node = add_conv(model, random, x, y, weights);
    set_attribute(node, "group", group);
    set_attribute(node, "pads", std::vector<int64_t>(4, weights[2] / 2));
  };
  conv("x", "stem", {112, 3, 3, 3}, 1);
  conv("stem", "depthwise", {112, 1, 3, 3}, 112);
  onnx::NodeProto& pool = model.node("MaxPool", {"depthwise"}, {"maxima"});
  set_attribute(pool, "kernel_shape", std::vector<int64_t>{4, 4});
  conv("maxima", "after", {112, 1, 5, 5}, 112);
  conv("after", "point", {10, 112, 1, 1}, 1);
  model.node("GlobalAveragePool", {"point"}, {"y"});
  return write(model, folder);
}

// Writes a model with a first convolution with the given kernel and stride, and a second convolution.
std::string write_stem_model(const TemporaryFolder& folder, int64_t kernel, int64_t stride) {
  std::mt19937 random(5);
  ModelBuilder model;
  model.input("x", {1, 3, 32, 32}).output("y");
  onnx::NodeProto& stem = add_conv(model, random, "x", "stem", {48, 3, kernel, kernel});
  set_attribute(stem, "strides", std::vector<int64_t>(2, stride));
  set_attribute(stem, "pads", std::vector<int64_t>(4, kernel / 2));
  add_conv(model, random, "stem", "point", {16, 48, 1, 1});
  model.node("GlobalAveragePool", {"point"}, {"y"});
  return write(model, folder);
}

std::shared_ptr<const Plan> compile(const TemporaryFolder& folder, const std::string& model,
                                    const std::string& target = "zcu102") {
  std::vector<float> samples(2 * 3 * 32 * 32);
  std::mt19937 random(1);
  for (float& value : samples) value = static_cast<float>(random() % 256) - 128;
  const std::string npy = folder.path() + "/samples.npy", plan = folder.path() + "/model.nest";
  REQUIRE(tools::write_npy(npy, {DataType::kF32, {2, 3, 32, 32}, samples.data()}).ok());
  const ProgramResult result =
      run_program("nestc", {"compile", model, "-o", plan, "--quantize", "s8", "--calibrate", npy, "--target", target,
                            "--partial-programs", "8", "--tuning-cache", "none"});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  auto mapped = Plan::map(plan, Verification::kComplete);
  REQUIRE(mapped);
  return *mapped;
}

std::vector<float> run(Session& session) {
  const Shape &in = session.inputs()[0].shape, &out = session.outputs()[0].shape;
  std::vector<float> x(3 * 32 * 32), y(static_cast<size_t>(out.num_elements()), -1.0f);
  std::mt19937 random(2);
  for (float& value : x) value = static_cast<float>(random() % 256) - 128;
  const ConstTensorView input{DataType::kF32, in, x.data()};
  const TensorView output{DataType::kF32, out, y.data()};
  const Status status = session.run({&input, 1}, {&output, 1});
  INFO(status.to_string());
  REQUIRE(status.ok());
  CHECK(session.num_host_fallbacks() == 0);
  return y;
}

std::vector<float> run(std::shared_ptr<const Plan> plan, const UnitList& units, const SessionOptions& options) {
  auto session = Session::create(plan, units, options);
  if (!session) FAIL(session.error().to_string());
  return run(**session);
}

void check_placements(const std::shared_ptr<const Plan>& plan) {
  const std::vector<float> expected = run(plan, *open_units("cpu", {.num_threads = 1}), {});
  for (int threads : {1, 2, 4}) {
    const auto units = open_units("cpu,evta:sim", {.num_threads = threads});
    REQUIRE(units);
    std::mt19937 random(7);
    for (int i = by_level(2, 10, 400); i > 0; --i) {
      RandomSchedule schedule(plan->tables(), {{0}, {0}, {1}}, 2, std::max(1, threads / 2), random);
      SessionOptions options;
      options.fixed_schedule = std::make_shared<const Schedule>(std::move(schedule).make());
      REQUIRE(run(plan, *units, options) == expected);
    }
  }
}

// Writes the compiler's description of a board with N EVTA instances.
std::string write_board(const TemporaryFolder& folder, int instances) {
  const std::string path = folder.path() + "/board.yaml";
  std::ofstream(path) << "board: several\nunits:\n  - {unit: cpu, threads: 2}\n  - {unit: evta, configuration: "
                         "1x16_15_15_18_17, instances: "
                      << instances << ", clock_mhz: 20, bus_bits: 128}\n";
  return path;
}

// Returns the maximum number of accelerator lanes that share a branch.
size_t most_units_of_a_branch(const Schedule& schedule, uint32_t cpu_unit) {
  std::map<uint32_t, std::set<uint32_t>> lanes;
  for (const Step& step : schedule.steps)
    if (schedule.lanes[step.lane].unit != cpu_unit) lanes[step.branch].insert(step.lane);
  size_t most = 0;
  for (const auto& [branch, of_branch] : lanes) most = std::max(most, of_branch.size());
  return most;
}

// Runs with a comparison of each unit with the CPU.
void check_on_several(const std::shared_ptr<const Plan>& plan) {
  const std::vector<float> expected = run(plan, *open_units("cpu", {.num_threads = 1}), {});
  const auto units = open_units("cpu,evta:sim:4_1x16_15_15_18_17", {.num_threads = 2});
  REQUIRE(units);
  REQUIRE(units->size() == 5);
  std::mt19937 random(11);
  size_t most = 0;
  for (int i = by_level(3, 20, 400); i > 0; --i) {
    RandomSchedule schedule(plan->tables(), {{0}, {0}, {1}, {2}, {3}, {4}}, 2, 1, random);
    SessionOptions options;
    options.fixed_schedule = std::make_shared<const Schedule>(std::move(schedule).make());
    options.fault_tolerance.check_every = i % 2;
    most = std::max(most, most_units_of_a_branch(*options.fixed_schedule, 0));
    REQUIRE(run(plan, *units, options) == expected);
  }
  CHECK(most > 1);
}

// Returns the layout of the image that the first operator, a Quantize, writes.
Layout layout_of_image(const Plan& plan) {
  const plan::Operator& op = plan.tables().operators[0];
  REQUIRE(op.kind() == ops::Kind::kQuantize);
  return plan.tables().tensors[static_cast<size_t>(op.outputs[0])].layout;
}

// Returns the copied bytes of an inference that uses EVTA wherever possible.
uint64_t copied_bytes(const std::shared_ptr<const Plan>& plan) {
  const auto units = open_units("cpu,evta:sim", {.num_threads = 1});
  REQUIRE(units);
  SessionOptions options;
  options.costs.measure = Measuring::kNever;
  options.adaptation.drift = 0;
  options.costs.table = flat_costs(*plan, *units, [](const UnitInfo& unit) { return unit.is_host ? 1000 : 1; });
  auto session = Session::create(plan, *units, options);
  REQUIRE(session);
  CHECK(run(**session) == run(plan, *open_units("cpu", {.num_threads = 1}), {}));
  const auto operators = (*session)->operators();
  CHECK(operators[1].unit == "evta0");  // the first convolution
  return (*session)->memory().copied_bytes;
}

// Returns CPU costs with which the other unit is useful but not sufficient.
std::shared_ptr<const CostTable> random_costs(const Plan& plan, const UnitInfo& cpu, std::mt19937& random) {
  auto costs = std::make_shared<CostTable>();
  for (uint32_t op = 0; op < plan.tables().operators.size(); ++op)
    costs->set({cpu.kind, cpu.configuration, 1}, work_name(plan, op, {cpu.kind, cpu.configuration, 1}),
               {static_cast<double>(20 + random() % 1000), CostSource::kMeasured});
  return costs;
}

// Returns whether a step starts before all channels of its input are complete.
bool overlaps(const Plan& plan, const Schedule& schedule) {
  const std::vector<uint32_t> before = channel_predecessors(plan.tables());
  return std::any_of(schedule.steps.begin(), schedule.steps.end(), [&](const Step& step) {
    return std::any_of(schedule.steps.begin(), schedule.steps.end(), [&](const Step& other) {
      const bool apart = step.channels.begin >= other.channels.end || other.channels.begin >= step.channels.end;
      const bool waits = std::any_of(step.waits.begin(), step.waits.end(),
                                     [&](uint32_t wait) { return &schedule.steps[wait] == &other; });
      return before[step.branch] == other.branch && apart && other.lane != step.lane && !waits;
    });
  });
}

// Returns the operators that have partial programs.
std::set<std::string> divided_operators(const Plan& plan) {
  std::set<std::string> names;
  for (const plan::Branch& branch : plan.tables().branches)
    for (const plan::Program& program : branch.programs)
      if (!program.channels.all()) names.insert(plan.tables().operators[branch.operators[0]].name);
  return names;
}

TEST_CASE("A quantized network has bit-identical results under random placements and splits") {
  const TemporaryFolder folder;
  check_placements(compile(folder, kDemoModel));
}

TEST_CASE("Channelwise layers have bit-identical results under random placements and splits") {
  const TemporaryFolder folder;
  const auto plan = compile(folder, write_channelwise_model(folder));
  CHECK(divided_operators(*plan) == std::set<std::string>{"Conv1", "Conv2", "MaxPool3", "Conv4"});
  check_placements(plan);
}

TEST_CASE("Layers split across four EVTA instances and the CPU have bit-identical results") {
  const TemporaryFolder folder;
  const std::string board = write_board(folder, 4);
  check_on_several(compile(folder, write_channelwise_model(folder), board));
  check_on_several(compile(folder, write_stem_model(folder, 7, 2), board));
  check_on_several(compile(folder, kDemoModel, board));
}

TEST_CASE("A layer is split over all EVTA instances that shorten it, with bit-identical results") {
  const TemporaryFolder folder;
  const auto plan = compile(folder, write_stem_model(folder, 7, 2), write_board(folder, 4));
  const std::vector<float> expected = run(plan, *open_units("cpu", {.num_threads = 1}), {});
  double before = std::numeric_limits<double>::infinity();
  for (const int instances : {1, 2, 4}) {
    const auto units = open_units(fmt::format("cpu,evta:sim:{}_1x16_15_15_18_17", instances), {.num_threads = 2});
    REQUIRE(units);
    std::vector<UnitInfo> infos;
    infos.reserve(units->size());
    for (const auto& unit : *units) infos.push_back(unit->info());
    const auto costs = flat_costs(*plan, *units, [](const UnitInfo& unit) { return unit.is_host ? 100'000 : 0; });
    const auto schedule = make_schedule(*plan, infos, *costs, {.budget = std::chrono::seconds(1)});
    REQUIRE(schedule);
    CHECK(most_units_of_a_branch(*schedule, 0) == static_cast<size_t>(instances));
    CHECK(schedule->makespan_us < before);
    before = schedule->makespan_us;
    SessionOptions options;
    options.fixed_schedule = std::make_shared<const Schedule>(*schedule);
    REQUIRE(run(plan, *units, options) == expected);
  }
}

TEST_CASE("Quantize writes the layout of the first convolution, and only accumulators are copied") {
  struct Case {
    int64_t kernel, stride;
    Layout layout;
  };
  for (const Case& c : {Case{3, 1, Layout::kBlocked16}, Case{7, 2, Layout::kFolded2}, Case{3, 2, Layout::kFolded2},
                        Case{11, 4, Layout::kFolded4}, Case{8, 8, Layout::kFolded8}}) {
    INFO("kernel " << c.kernel << " stride " << c.stride);
    const TemporaryFolder folder;
    const std::string model = write_stem_model(folder, c.kernel, c.stride);
    const auto plan = compile(folder, model);
    CHECK(layout_of_image(*plan) == c.layout);
    CHECK(layout_of_image(*compile(folder, model, "aarch64")) == Layout::kPlain);
    CHECK(copied_bytes(plan) == bytes_of_accumulators(*plan));
    check_placements(plan);
  }
}

TEST_CASE("Channelwise layers start when their channels are complete and have bit-identical results") {
  const TemporaryFolder folder;
  const auto plan = compile(folder, write_channelwise_model(folder));
  const std::vector<uint32_t> before = channel_predecessors(plan->tables());
  CHECK(std::count(before.begin(), before.end(), kNoBranch) == static_cast<int64_t>(before.size()) - 2);
  const std::vector<float> expected = run(plan, *open_units("cpu", {.num_threads = 1}), {});
  const auto units = open_units("cpu,evta:sim", {.num_threads = 2});
  REQUIRE(units);
  const std::vector<UnitInfo> infos{(*units)[0]->info(), (*units)[1]->info()};
  std::mt19937 random(3);
  int overlapping = 0;
  for (int i = by_level(4, 20, 400); i > 0; --i) {
    const auto schedule = make_schedule(*plan, infos, *random_costs(*plan, infos[0], random));
    REQUIRE(schedule);
    REQUIRE(check_schedule(*plan, unit_infos(*units), *schedule).ok());
    overlapping += overlaps(*plan, *schedule) ? 1 : 0;
    SessionOptions options;
    options.fixed_schedule = std::make_shared<const Schedule>(*schedule);
    REQUIRE(run(plan, *units, options) == expected);
  }
  CHECK(overlapping > 0);
}

TEST_CASE("Layers that may overwrite inputs of the previous layer wait for its completion") {
  const TemporaryFolder folder;
  const auto plan = compile(folder, write_channelwise_model(folder));
  const std::vector<uint32_t> before = channel_predecessors(plan->tables());
  const auto later = static_cast<uint32_t>(
      std::find_if(before.begin(), before.end(), [](uint32_t branch) { return branch != kNoBranch; }) - before.begin());
  REQUIRE(later < before.size());
  plan::Tables tables = plan->tables();
  const auto only_operator = [&](uint32_t branch) -> const plan::Operator& {
    return tables.operators[tables.branches[branch].operators[0]];
  };
  const auto buffer_of = [&](int32_t tensor) { return tables.tensors[static_cast<uint32_t>(tensor)].buffer; };
  const uint32_t written = buffer_of(only_operator(later).outputs[0]);
  std::vector<uint64_t>& offsets = tables.memory_plans[static_cast<size_t>(plan::MemoryPlanKind::kAnySchedule)].offsets;
  CHECK(offsets[written] != offsets[buffer_of(only_operator(before[later]).inputs[0])]);
  offsets[written] = offsets[buffer_of(only_operator(before[later]).inputs[0])];
  CHECK(channel_readers(tables)[later] == before[later]);
  CHECK(channel_predecessors(tables)[later] == kNoBranch);
}

TEST_CASE("A schedule is rejected if steps do not wait for the channels that they read") {
  const TemporaryFolder folder;
  const auto plan = compile(folder, write_channelwise_model(folder));
  const auto units = open_units("cpu,evta:sim", {.num_threads = 2});
  REQUIRE(units);
  std::mt19937 random(8);
  for (int i = by_level(4, 20, 100); i > 0; --i) {
    const Schedule schedule = RandomSchedule(plan->tables(), {{0}, {0}, {1}}, 2, 1, random).make();
    REQUIRE(check_schedule(*plan, unit_infos(*units), schedule).ok());
    Schedule hasty = schedule;
    for (Step& step : hasty.steps) step.waits.clear();
    const bool waits =
        std::any_of(schedule.steps.begin(), schedule.steps.end(), [](const Step& step) { return !step.waits.empty(); });
    CHECK(check_schedule(*plan, unit_infos(*units), hasty).ok() == !waits);
  }
}

}  // namespace
}  // namespace nestrt::test
