// SPDX-License-Identifier: Apache-2.0
// Tests nestc compile --target and nestrt --units on the command line.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "nestrt/driver/costs.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "runtime/plan/queries/program_for.h"
#include "test/support/example_files.h"
#include "test/support/plan/flat_costs.h"
#include "test/support/plan/program.h"
#include "test/support/process/allocation_counter.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/board/board.h"
#include "tools/support/nest_c/partition_schedule.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

// The demo network in 8 bits, calibrated with random numbers.
class TargetWorkshop {
 public:
  TargetWorkshop() {
    std::vector<float> samples(2 * 3 * 32 * 32);
    for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<float>(i * 7919 % 257) / 64 - 2;
    REQUIRE(tools::write_npy(path("samples.npy"), {DataType::kF32, {2, 3, 32, 32}, samples.data()}).ok());
    REQUIRE(tools::write_npy(path("input.npy"), {DataType::kF32, {1, 3, 32, 32}, samples.data() + 1}).ok());
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string plan() const { return path("model.nest"); }
  ProgramResult on_target(const std::string& command, const std::string& target) const {
    std::vector<std::string> arguments{command,          kDemoModel,          "--quantize", "s8",
                                       "--calibrate",    path("samples.npy"), "--target",   target,
                                       "--tuning-cache", path("schedules")};
    if (command == "compile") arguments.insert(arguments.end(), {"-o", plan()});
    return run_program("nestc", arguments);
  }
  std::vector<std::byte> outputs(const std::string& units,
                                 const std::vector<std::string>& how = {"--schedule", "file-order"}) const {
    const std::string folder = path("out-" + units);
    std::vector<std::string> arguments{"run",      plan(), "--units", units, "--input", path("input.npy"),
                                       "--output", folder};
    arguments.insert(arguments.end(), how.begin(), how.end());
    const ProgramResult result = run_program("nestrt", arguments);
    INFO(result.text);
    REQUIRE(result.exit_code == 0);
    auto bytes = tools::read_file(folder + "/probabilities.npy");
    REQUIRE(bytes);
    return *bytes;
  }

 private:
  TemporaryFolder folder_;
};

void check_target(const ProgramResult& result, int exit_code, const std::string& part) {
  INFO(result.text);
  CHECK(result.exit_code == exit_code);
  CHECK_THAT(result.text, Contains(part));
}

TEST_CASE("A plan for EVTA equals the CPU bit for bit on all units and configurations") {
  const TargetWorkshop workshop;
  for (const char* target : {"zcu102", "cpu,evta:1x32_15_15_18_17", "cpu,evta:1x8_14_13_15_15"}) {
    check_target(workshop.on_target("compile", target), 0, "s8: 23 operators");
    check_target(run_program("nestrt", {"verify", workshop.plan(), "--units", "cpu,evta:sim"}), 0,
                 "that share a layer with the CPU compute the CPU's results bit for bit");
    CHECK(workshop.outputs("cpu") == workshop.outputs("cpu,evta:sim"));
  }
}

TEST_CASE("Work names do not depend on the number of CPU targets") {
  const TargetWorkshop workshop;
  const auto works = [&](const std::string& target) {
    check_target(workshop.on_target("compile", target), 0, "s8: 23 operators");
    const auto plan = Plan::map(workshop.plan());
    REQUIRE(plan);
    std::vector<std::string> names;
    for (uint32_t op = 0; op < (*plan)->tables().operators.size(); ++op)
      names.push_back(work_name(**plan, op, {"cpu", "neon", 4}));
    return names;
  };
  const std::vector<std::string> alone = works("aarch64");
  CHECK(works("aarch64,host") == alone);
  CHECK(works("zcu102,host") == works("zcu102"));
}

TEST_CASE("nestc prints a note if a unit of the target computes nothing") {
  const TemporaryFolder folder;
  check_target(run_program("nestc", {"compile", kDemoModel, "--target", "zcu102", "-o", folder.path() + "/f32.nest"}),
               0, "evta runs none of the operators: it requires s8");
}

TEST_CASE("nestrt bench stores costs and measures several inferences in flight") {
  const TargetWorkshop workshop;
  check_target(workshop.on_target("compile", "zcu102"), 0, "operators");
  const std::string costs = workshop.path("costs");
  std::vector<std::string> arguments = {
      "bench", workshop.plan(), "--units", "cpu,evta:sim", "--threads", "1",           "--runs",
      "4",     "--warmup",      "1",       "--pipeline",   "3",         "--cost-file", costs};
  check_target(run_program("nestrt", arguments), 0, "3 inferences in flight");
  const auto kept = tools::read_file(costs);
  REQUIRE(kept);
  for (const char* method : {"file-order", "sequential", "group-enumeration", "optimum"}) {
    std::vector<std::string> with_method = arguments;
    with_method.insert(with_method.end(), {"--schedule", method});
    check_target(run_program("nestrt", with_method), 0, "throughput");
  }
  CHECK(*tools::read_file(costs) == *kept);
  REQUIRE(tools::write_file(costs, std::as_bytes(std::span("nonsense"))).ok());
  check_target(run_program("nestrt", arguments), 2, "expected 'nestrt");
  arguments.insert(arguments.end(), {"--schedule", "guess"});
  CHECK(run_program("nestrt", arguments).exit_code == 2);
}

// Writes the board file of a ZCU102 with additional keys for EVTA.
std::string board_with(const TargetWorkshop& workshop, const std::string& name, const std::string& more) {
  const auto path = tools::find_board("zcu102");
  REQUIRE(path);
  const auto bytes = tools::read_file(*path);
  REQUIRE(bytes);
  std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const std::string place = "    instances: 1\n";
  REQUIRE(text.find(place) != std::string::npos);
  text.insert(text.find(place) + place.size(), more);
  const std::string board = workshop.path(name);
  REQUIRE(tools::write_text(board, text).ok());
  return board;
}

nlohmann::json json_of(const std::string& path) {
  std::ifstream stream(path);
  return nlohmann::json::parse(stream);
}

TEST_CASE("The launch cost of a program is part of the plan and counted once in simulation") {
  const TargetWorkshop workshop;
  const std::string plain = board_with(workshop, "plain.yaml", ""),
                    slow = board_with(workshop, "slow.yaml", "    launch_us: 50\n"),
                    json = workshop.path("report.json");
  const auto microseconds = [&] {
    check_target(run_program("nestc", {"explain", workshop.plan(), "--json", json}), 0, "operators that compute");
    const nlohmann::json explained = json_of(json);
    std::vector<double> times;
    for (const auto& op : explained[0]["operators"])
      if (op.contains("microseconds")) times.push_back(op["microseconds"]);
    return times;
  };
  // Search results within a time limit may differ, but the time of a step alone on the same unit and channels does not.
  // A slow CPU ensures work for the accelerator at any board costs.
  const auto simulated = [&] {
    check_target(run_program("nestrt", {"simulate", workshop.plan(), "--board", slow, "--npu-clock", "100",
                                        "--cpu-scale", "10", "--json", json}),
                 0, "Latency");
    const nlohmann::json figures = json_of(json);
    std::map<std::string, double> steps;
    for (const auto& step : figures["steps"])
      if (step["unit"] != "cpu")
        steps[step["name"].get<std::string>() + " " + step["channels"].get<std::string>()] = step["alone_ms"];
    return steps;
  };
  check_target(workshop.on_target("compile", plain), 0, "operators");
  const std::vector<double> without = microseconds();
  const std::map<std::string, double> launched_later = simulated();
  check_target(workshop.on_target("compile", slow), 0, "operators");
  const std::vector<double> with = microseconds();
  REQUIRE(!with.empty());
  REQUIRE(with.size() == without.size());
  for (size_t i = 0; i < with.size(); ++i) CHECK(with[i] == Approx(without[i] + 50).epsilon(1e-4));
  size_t compared = 0;
  for (const auto& [step, alone_ms] : simulated()) {
    const auto before = launched_later.find(step);
    if (before == launched_later.end()) continue;
    CAPTURE(step);
    CHECK(alone_ms == Approx(before->second).epsilon(0.01));
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("Transfers occupy their unit for any number of inferences in flight") {
  const TargetWorkshop workshop;
  check_target(workshop.on_target("compile", "zcu102"), 0, "operators");
  const auto max_per_second = [&](const std::string& rate) {
    const std::string board = board_with(workshop, "link.yaml", ""), json = workshop.path("link.json");
    const auto bytes = tools::read_file(board);
    std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    const size_t at = text.rfind("mb_per_s: 0");
    REQUIRE(at != std::string::npos);
    text.replace(at, std::string("mb_per_s: 0").size(), "mb_per_s: " + rate);
    REQUIRE(tools::write_text(board, text).ok());
    check_target(run_program("nestrt", {"simulate", workshop.plan(), "--board", board, "--json", json}), 0, "at most");
    return json_of(json)["max_per_second"].get<double>();
  };
  CHECK(max_per_second("20") < 0.9 * max_per_second("100000"));
}

TEST_CASE("Memory bandwidth limits the throughput of a simulated board") {
  const TargetWorkshop workshop;
  check_target(workshop.on_target("compile", "zcu102"), 0, "operators");
  const auto max_per_second = [&](const std::string& memory) {
    const std::string file = workshop.path("simulated.json");
    check_target(run_program("nestrt", {"simulate", workshop.plan(), "--memory", memory, "--json", file}), 0,
                 "at most");
    std::ifstream stream(file);
    const nlohmann::json figures = nlohmann::json::parse(stream);
    const auto most = figures["max_per_second"].get<double>();
    for (const char* schedule : {"cpu_only_ms", "sequential_ms", "optimum_ms", "split_ms"})
      CHECK(most >= 1e3 / figures[schedule].get<double>() * (1 - 1e-9));  // one inference at a time
    return most;
  };
  const double plenty = max_per_second("100000");
  CHECK(max_per_second("0") == Approx(plenty));
  for (const char* memory : {"1000", "500", "300", "100"}) CHECK(max_per_second(memory) <= plenty);
  CHECK(max_per_second("100") < 0.9 * plenty);
}

TEST_CASE("A trace has the runs and the steps of the units") {
  const TargetWorkshop workshop;
  check_target(workshop.on_target("compile", "cpu,evta:2_1x16_15_15_18_17"), 0, "operators");
  const std::string file = workshop.path("trace.json");
  check_target(run_program("nestrt", {"info", workshop.plan()}), 0, "evta 2_1x16_15_15_18_17");
  check_target(run_program("nestrt", {"run", workshop.plan(), "--units", "cpu,evta:sim", "--pace", "1", "--trace", file,
                                      "--input", workshop.path("input.npy")}),
               0, "probabilities");
  const auto bytes = tools::read_file(file);
  REQUIRE(bytes);
  const auto* text = reinterpret_cast<const char*>(bytes->data());
  const auto trace = nlohmann::json::parse(text, text + bytes->size());
  std::map<std::string, int> spans;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "X") ++spans[event["cat"]];
  CHECK(spans["run"] == 1);
  CHECK(spans["operator"] >= 20);  // operators that compute something
  CHECK(spans["step"] >= 1);
  CHECK(run_program("nestrt", {"bench", workshop.plan(), "--trace", workshop.plan()}).exit_code == 2);
}

TEST_CASE("A unit with a different configuration is rejected with the command that fixes this") {
  const TargetWorkshop workshop;
  check_target(workshop.on_target("compile", "cpu,evta:1x32_15_15_18_17"), 0, "operators");
  check_target(run_program("nestrt", {"info", workshop.plan(), "--units", "evta:sim:1x16_15_15_18_17"}), 2,
               "recompile");
  check_target(run_program("nestrt", {"info", workshop.plan(), "--units", "evta:3x3"}), 2, "1x16_15_15_18_17");
  check_target(run_program("nestrt", {"info", workshop.plan(), "--units", "toaster"}), 2, "unknown unit 'toaster'");
}

TEST_CASE("nestc shows where operators run and their programs") {
  const TargetWorkshop workshop;
  const ProgramResult explained = workshop.on_target("explain", "zcu102");
  check_target(explained, 0, "23 of 26 operators that compute");
  CHECK_THAT(explained.text, Contains("computes nothing: a view") && Contains("ms)"));
  check_target(workshop.on_target("compile", "zcu102"), 0, "operators");
  check_target(run_program("nestc", {"inspect", workshop.plan(), "--asm"}), 0, "gemm");
  check_target(run_program("nestc", {"inspect", kDemoModel, "--asm"}), 2, "--target zcu102");
}

TEST_CASE("nestc explain gives the same counts for a plan as for its model") {
  const TargetWorkshop workshop;
  const auto count_in = [](const std::string& text) {
    const size_t end = text.find(" operators that compute");
    REQUIRE(end != std::string::npos);
    return text.substr(text.rfind(": ", end), end - text.rfind(": ", end));
  };
  const ProgramResult of_model = workshop.on_target("explain", "zcu102");
  check_target(workshop.on_target("compile", "zcu102"), 0, "operators");
  const ProgramResult of_plan = run_program("nestc", {"explain", workshop.plan(), "--json", workshop.path("x.json")});
  check_target(of_plan, 0, "computes nothing: a view");
  CHECK(count_in(of_plan.text) == count_in(of_model.text));
  check_target(run_program("nestc", {"explain", workshop.plan(), "--target", "zcu102"}), 2, "is already a plan");
  check_target(workshop.on_target("compile", "host"), 0, "operators");
  check_target(run_program("nestc", {"explain", workshop.plan()}), 0, "conversions: ");
}

TEST_CASE("nestc shows concurrent branches and writes a NEST-C partition plan") {
  const TargetWorkshop workshop;
  check_target(workshop.on_target("compile", "zcu102"), 0, "operators");
  check_target(run_program("nestc", {"inspect", workshop.plan(), "--regions", "--json", workshop.path("plan.json")}), 0,
               "6 parallel groups");
  const std::string yaml = workshop.path("partition.yaml");
  check_target(run_program("nestc", {"partition", workshop.plan(), "-o", yaml}), 0, "");
  const auto text = tools::read_lines(yaml);
  REQUIRE(text);
  REQUIRE(text->lines().size() == 9);
  CHECK_THAT(std::string(text->lines()[2]), Contains("numOfPartitions: "));
  CHECK_THAT(std::string(text->lines()[3]), Contains("CPU:VTA-0:"));
  CHECK_THAT(std::string(text->lines()[7]), Contains("||"));
  check_target(run_program("nestc", {"partition", workshop.plan(), "--units", "toaster", "-o", yaml}), 2, "toaster");
}

const std::vector<UnitInfo> kBoard = {{"evta", "evta0", "1x16_15_15_18_17", 1}, {"cpu", "cpu", "", 2, true}};

TEST_CASE("A partition plan of nestc places branches as specified") {
  const TargetWorkshop workshop;
  check_target(workshop.on_target("compile", "zcu102"), 0, "operators");
  const std::string yaml = workshop.path("partition.yaml");
  check_target(run_program("nestc", {"partition", workshop.plan(), "-o", yaml}), 0, "");
  const auto partitions = tools::read_nest_c_partition(yaml);
  const auto plan = Plan::map(workshop.plan());
  REQUIRE(partitions);
  REQUIRE(plan);
  CHECK(partitions->groups.size() > 0);
  const auto schedule = tools::partition_schedule(*partitions, **plan, kBoard);
  if (!schedule) FAIL(schedule.error().to_string());
  int on_evta = 0;
  for (const Step& step : schedule->steps) {
    const plan::Branch& branch = (*plan)->tables().branches[step.branch];
    const bool for_evta = program_for(branch, kBoard[0]) != nullptr;
    CHECK(schedule->lanes[step.lane].unit == (for_evta ? 0 : 1));
    on_evta += for_evta ? 1 : 0;
  }
  CHECK(on_evta > 10);
}

TEST_CASE("nestrt runs a NEST-C partition plan and reports errors in it") {
  const TargetWorkshop workshop;
  check_target(workshop.on_target("compile", "zcu102"), 0, "operators");
  const std::string yaml = workshop.path("partition.yaml");
  const auto computed = workshop.outputs("cpu");
  for (const char* units : {"evta,cpu", "cpu"}) {
    check_target(run_program("nestc", {"partition", workshop.plan(), "--units", units, "-o", yaml}), 0, "");
    CHECK(workshop.outputs("cpu,evta:sim", {"--partition", yaml, "--threads", "2"}) == computed);
  }
  check_target(run_program("nestrt", {"bench", workshop.plan(), "--partition", yaml, "--runs", "2", "--pipeline", "2"}),
               0, "throughput");
  check_target(run_program("nestc", {"partition", workshop.plan(), "-o", yaml}), 0, "");
  check_target(run_program("nestrt", {"bench", workshop.plan(), "--partition", yaml}), 2,
               "is for VTA-0, but the units are CPU; choose them with --units");
  check_target(
      run_program("nestrt", {"bench", workshop.plan(), "--partition", yaml, "--schedule", "group-enumeration"}), 2,
      "excludes");
  check_target(run_program("nestrt", {"bench", workshop.plan(), "--partition", workshop.path("none.yaml")}), 2,
               "none.yaml");
  check_target(run_program("nestrt", {"bench", workshop.plan(), "--partition", yaml, "--json", yaml}), 2,
               "would overwrite the input");
  check_target(run_program("nestrt", {"bench", workshop.plan(), "--partition", workshop.plan()}), 2, "model.nest");
}

TEST_CASE("Concurrent runs of a network on EVTA and the CPU allocate nothing") {
  const TargetWorkshop workshop;
  check_target(workshop.on_target("compile", "zcu102"), 0, "operators");
  const auto plan = Plan::map(workshop.plan());
  const auto units = open_units("cpu,evta:sim", {.num_threads = 2});
  REQUIRE(plan);
  REQUIRE(units);
  SessionOptions options;
  // so that branches run concurrently
  options.costs.table = flat_costs(**plan, *units, [](const UnitInfo&) { return 10; });
  options.adaptation.drift = 0;  // a new schedule allocates memory outside the runs
  const auto session = Session::create(*plan, *units, options);
  if (!session) FAIL(session.error().to_string());
  CHECK((*session)->schedule().lanes.size() > 1);
  const Shape shape = (*session)->outputs()[0].shape;
  std::vector<float> x(3 * 32 * 32, 0.5F), y(static_cast<size_t>(shape.num_elements()));
  const ConstTensorView in{DataType::kF32, {1, 3, 32, 32}, x.data()};
  const TensorView out{DataType::kF32, shape, y.data()};
  const AllocationCounter counter;
  for (int run = 0; run < 3; ++run) {
    const Status status = (*session)->run({&in, 1}, {&out, 1});
    if (!status.ok()) FAIL(status.to_string());
  }
  CHECK(counter.count() == 0);
}

}  // namespace
}  // namespace nestrt::test
