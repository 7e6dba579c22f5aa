// SPDX-License-Identifier: Apache-2.0
// Tests nestrt profile and nestrt simulate.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "nestrt/plan.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/flat_costs.h"
#include "test/support/plan/plan_builder.h"
#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

class SimulateWorkshop {
 public:
  SimulateWorkshop() {
    write("plan.nest", branches_plan().build().bytes());
    write("board.yaml", "board: test\nunits:\n  - {unit: cpu, threads: 2, instruction_set: " + isa() + "}\n");
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) const { write(name, std::as_bytes(std::span(text))); }
  void write(const std::string& name, std::span<const std::byte> bytes) const { folder_.write(name, bytes); }

  nlohmann::json json(const std::string& name) const {
    std::ifstream file(path(name));
    return nlohmann::json::parse(file);
  }
  // Returns a board with a CPU whose operators all take a millisecond.
  static std::string estimating_board() {
    return "board: test\nunits:\n  - {unit: cpu, threads: 2, instruction_set: " + isa() +
           ", estimates: {kinds: {other: {begin_us: 1000}}}}\n";
  }
  static std::string isa() { return (*open_units("cpu", {.num_threads = 1}))[0]->info().configuration; }

 private:
  TemporaryFolder folder_;
};

void check_ok(const ProgramResult& result) {
  INFO(result.text);
  CHECK(result.exit_code == 0);
}

}  // namespace

TEST_CASE("nestrt simulate schedules with the costs that nestrt profile measured") {
  const SimulateWorkshop workshop;
  check_ok(run_program("nestrt", {"profile", workshop.path("plan.nest"), "-o", workshop.path("costs"), "--threads", "2",
                                  "--max-runs", "3", "--json", workshop.path("costs.json")}));
  const nlohmann::json measured = workshop.json("costs.json");
  CHECK(measured["works"].size() > 0);
  CHECK(measured["works"].size() % 2 == 0);  // with one thread and with two
  CHECK(measured["overheads"].size() == 2);
  check_ok(run_program("nestrt",
                       {"simulate", workshop.path("plan.nest"), "--board", workshop.path("board.yaml"), "--profile",
                        workshop.path("costs"), "--cpu-scale", "1", "2", "--json", workshop.path("times.json")}));
  const nlohmann::json times = workshop.json("times.json");
  for (const char* key : {"cpu_only_ms", "sequential_ms", "group_enumeration_ms", "optimum_ms", "split_ms",
                          "lower_bound_ms", "additive_bound_ms", "load_bound_ms"})
    CHECK(times[key] > 0);
  REQUIRE(times["steps"].size() > 0);
  CHECK(times["steps"].back()["end_ms"] == times["split_ms"]);
  CHECK(times["steps"].back()["unit"] == "cpu");
  CHECK(times["sequential_ms"] == times["cpu_only_ms"]);
  CHECK(times["optimum_ms"] <= times["sequential_ms"]);
  CHECK(times["lower_bound_ms"].get<double>() <= times["split_ms"].get<double>() * (1 + 1e-9));
  CHECK(times["groups_found"] == 1);
  REQUIRE(times["sensitivity"].size() == 2);
  CHECK(times["sensitivity"][1]["cpu_only_ms"].get<double>() == Approx(2 * times["cpu_only_ms"].get<double>()));
}

TEST_CASE("Concurrent sessions share the units of the board, and their placements can be run") {
  const SimulateWorkshop workshop;
  workshop.write("estimates.yaml", workshop.estimating_board());
  const ProgramResult result =
      run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("estimates.yaml"),
                             "--concurrent", workshop.path("plan.nest"), workshop.path("plan.nest"), "--urgent",
                             "--placements", workshop.path(""), "--json", workshop.path("times.json")});
  check_ok(result);
  CHECK_THAT(result.text, Contains("3 concurrent sessions") && Contains("(urgent)"));
  const nlohmann::json sorts = workshop.json("times.json")["concurrent"];
  REQUIRE(sorts.size() == 4);
  const nlohmann::json& balanced = sorts.back();
  CHECK(balanced["schedules"] == "balanced together");
  CHECK(balanced["of_bound"].get<double>() == Approx(1).epsilon(0.02));
  REQUIRE(balanced["sessions"].size() == 3);
  for (const nlohmann::json& session : balanced["sessions"]) CHECK_FALSE(session["estimated"].empty());
  CHECK(balanced["sessions"][0]["median_ms"].get<double>() <= 3 * 1.02);
  CHECK(balanced["sessions"][0]["alone_ms"].get<double>() == Approx(3));
  for (const char* file : {"0.yaml", "2.yaml"})
    check_ok(run_program("nestrt", {"bench", workshop.path("plan.nest"), "--partition", workshop.path(file), "--runs",
                                    "1", "--warmup", "0"}));
  const ProgramResult overwritten = run_program(
      "nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("estimates.yaml"), "--concurrent",
                 workshop.path("plan.nest"), "--placements", workshop.path(""), "--json", workshop.path("1.yaml")});
  CHECK(overwritten.exit_code == 2);
  for (const char* option : {"--npu-clock", "--cpu-scale"}) {  // do not apply to concurrent sessions
    const ProgramResult refused =
        run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("estimates.yaml"),
                               "--concurrent", workshop.path("plan.nest"), option, "2"});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.text, Contains(option) && Contains("--concurrent"));
  }
}

TEST_CASE("A simulation without costs is rejected with an error that names the missing costs") {
  const SimulateWorkshop workshop;
  const auto refused = [&](const std::string& board, const std::string& part) {
    const ProgramResult result = run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", board});
    INFO(result.text);
    CHECK(result.exit_code == 2);
    CHECK(result.text.find(part) != std::string::npos);
  };
  refused(workshop.path("board.yaml"), "nestrt profile");
  refused(workshop.path("none.yaml"), "none.yaml");
  refused("no-such-board", "unknown board 'no-such-board'; available: ");
  refused("u280", "board 'u280' has no costs of its CPU; measure them with nestrt profile");
  workshop.write("estimates.yaml",
                 "board: test\nunits:\n  - {unit: cpu, estimates: {kinds: {other: {begin_us: 1}}}}\n");
  refused(workshop.path("estimates.yaml"), "does not specify the instruction_set of its CPU, such as neon");
  workshop.write("cpu-less.yaml", "board: test\nunits: []\n");
  refused(workshop.path("cpu-less.yaml"), "'cpu'");
}

TEST_CASE("Simulation options without effect and missing plans are rejected before the simulation starts") {
  const SimulateWorkshop workshop;
  workshop.write("estimates.yaml", workshop.estimating_board());
  const auto refused = [&](const std::vector<std::string>& more, const std::string& part) {
    std::vector<std::string> arguments = {"simulate", workshop.path("plan.nest"), "--board",
                                          workshop.path("estimates.yaml")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_program("nestrt", arguments);
    INFO(result.text);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.text, Contains(part) && !Contains("Latency in ms"));
  };
  refused({"--urgent"}, "--concurrent");
  refused({"--placements", workshop.path("")}, "--concurrent");
  refused({"--npu-clock", "200"}, "--npu-clock: expected a board with an NPU");
  refused({"--instances", "2"}, "--instances: expected a board with an NPU");
  refused({"--memory", "0.5"}, "--memory: expected 0, or 1 to 1000000 MB/s");
  refused({"--concurrent", workshop.path("absent.nest")}, "absent.nest");
}

TEST_CASE("Operators without a cost in the profile are estimated with the rates of the board and reported") {
  const SimulateWorkshop workshop;
  workshop.write("estimates.yaml", workshop.estimating_board());
  const ProgramResult result =
      run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("estimates.yaml"),
                             "--steps", "--json", workshop.path("times.json")});
  check_ok(result);
  CHECK(result.text.find("3 of 3 operators are not in a profile") != std::string::npos);
  CHECK(result.text.find(" estimated\n") != std::string::npos);  // printed after the time of a step
  const nlohmann::json times = workshop.json("times.json");
  CHECK(times["estimated"] == nlohmann::json{"left", "right", "join"});
  CHECK(times["cpu_only_ms"].get<double>() == Approx(3));
}

TEST_CASE("nestrt simulate warns about a profile of a different processor than the board's") {
  const SimulateWorkshop workshop;
  CostTable costs;
  costs.set({"cpu", "another", 2}, "anything", {1, CostSource::kMeasured});
  REQUIRE(write_costs(workshop.path("costs"), costs).ok());
  workshop.write("estimates.yaml", workshop.estimating_board());
  const ProgramResult result =
      run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("estimates.yaml"),
                             "--profile", workshop.path("costs")});
  check_ok(result);
  CHECK_THAT(result.text, Contains("costs of 'cpu' for another but not for the board's " + workshop.isa()));
}

TEST_CASE("nestrt simulate reports why a unit of the board computes nothing") {
  const SimulateWorkshop workshop;
  workshop.write("npu.yaml", workshop.estimating_board() + "  - {unit: evta, configuration: 1x32_15_15_18_17}\n");
  workshop.write("other.nest", evta::test::random_network(evta::kConfigurations[0], 6, 1).build().bytes());
  const auto simulated = [&](const std::string& plan, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"simulate", workshop.path(plan), "--board", workshop.path("npu.yaml")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_program("nestrt", arguments);
    check_ok(result);
    return result.text;
  };
  CHECK_THAT(simulated("plan.nest"), Contains("the plan has no program for 'evta'"));
  CHECK_THAT(simulated("plan.nest", {"--concurrent", workshop.path("other.nest")}),
             Contains("plan.nest: the plan has no") &&
                 Contains("other.nest: the plan has programs for 'evta' with configuration 1x16"));
  CHECK_THAT(
      simulated("other.nest"),
      Contains("has programs for 'evta' with configuration 1x16_15_15_18_17, but the board has 1x32_15_15_18_17"));
}

TEST_CASE("nestrt simulate warns if a plan's kernels were selected for a different processor than the board's") {
  const SimulateWorkshop workshop;
  workshop.write("board.yaml", workshop.estimating_board());
  const auto simulated = [&](const std::string& instruction_set) {
    PlanBuilder builder = branches_plan();
    for (plan::Branch& branch : builder.tables().branches) {
      const size_t operators = branch.operators.size();
      branch.programs[0].selections.push_back({instruction_set, std::vector<uint32_t>(operators), {}});
    }
    builder.tables().kernel_names = {""};
    workshop.write("chosen.nest", builder.build().bytes());
    const ProgramResult result =
        run_program("nestrt", {"simulate", workshop.path("chosen.nest"), "--board", workshop.path("board.yaml")});
    check_ok(result);
    return result.text;
  };
  CHECK_THAT(simulated("another"), Contains("kernels were selected for another"));
  CHECK_THAT(simulated(SimulateWorkshop::isa()), !Contains("kernels were selected for"));
}

TEST_CASE("nestrt simulate proposes a remedy if the times of the NPU's programs are unknown") {
  const SimulateWorkshop workshop;
  PlanBuilder builder = evta::test::random_network(evta::kConfigurations[0], 6, 1);
  for (plan::Branch& branch : builder.tables().branches)
    for (plan::Program& program : branch.programs) program.costs.clear();
  workshop.write("plan.nest", builder.build().bytes());
  workshop.write("npu.yaml", workshop.estimating_board() + "  - {unit: evta, configuration: " +
                                 std::string(evta::kConfigurations[0].name) + "}\n");
  const ProgramResult result =
      run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("npu.yaml")});
  INFO(result.text);
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.text,
             Contains("does not contain the times of its programs for 'evta'; compile the model with --target"));
}

TEST_CASE("A board with a different clock than the plan's needs the same number of cycles per program") {
  const SimulateWorkshop workshop;
  PlanBuilder builder = evta::test::random_network(evta::kConfigurations[0], 6, 1);
  const std::string configuration(evta::kConfigurations[0].name);
  builder.tables().targets = {{"evta", configuration, 100}};
  for (plan::Branch& branch : builder.tables().branches)
    for (plan::Program& program : branch.programs)
      if (program.unit == "evta") program.costs = {{1e-3F, plan::CostOrigin::kModelled}};
  workshop.write("plan.nest", builder.build().bytes());
  builder.tables().targets[0].clock_mhz = 0;
  workshop.write("old.nest", builder.build().bytes());
  const auto board_at = [&](const std::string& clock) {
    workshop.write("npu.yaml",
                   workshop.estimating_board() + "  - {unit: evta, configuration: " + configuration + clock + "}\n");
  };
  const auto simulated = [&](const std::string& plan, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"simulate", workshop.path(plan),        "--board", workshop.path("npu.yaml"),
                                          "--json",   workshop.path("times.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_program("nestrt", arguments);
    check_ok(result);
    return std::pair(workshop.json("times.json")["split_ms"].get<double>(), result.text);
  };
  const auto unknown = Contains("does not specify the clock for the times of its programs for 'evta'");
  board_at("");
  const double of_plan = simulated("plan.nest", {}).first;
  CHECK(simulated("plan.nest", {"--npu-clock", "100"}).first == Approx(of_plan));
  board_at(", clock_mhz: 100");
  CHECK(simulated("plan.nest", {}).first == Approx(of_plan));
  const double asked = simulated("plan.nest", {"--npu-clock", "50"}).first;
  CHECK(asked > of_plan);
  board_at(", clock_mhz: 50");
  const auto [stated, text] = simulated("plan.nest", {});
  CHECK(stated == Approx(asked));
  CHECK_THAT(text, !unknown);
  CHECK(simulated("plan.nest", {"--npu-clock", "100"}).first == Approx(of_plan));
  const auto [old, warned] = simulated("old.nest", {});
  CHECK(old == Approx(of_plan));  // assumed to be at the clock of the board
  CHECK_THAT(warned, unknown);
  CostTable measured;
  measured.set({"evta", configuration, 1}, "of another plan", {1, CostSource::kMeasured});
  measured.set({"cpu", workshop.isa(), 1}, "of another plan", {1, CostSource::kMeasured});
  const auto with_profile = [&] {
    REQUIRE(write_costs(workshop.path("costs"), measured).ok());
    return simulated("plan.nest", {"--profile", workshop.path("costs")}).second;
  };
  const auto unstated = Contains("does not specify the clock for the costs of 'evta'; assuming the board's 50 MHz");
  CHECK_THAT(with_profile(), unstated);
  measured.set_clock({"evta", configuration, 1}, 50);
  CHECK_THAT(with_profile(), !unstated);
}

TEST_CASE("The host's time for widening accumulators does not depend on the unit's clock") {
  const SimulateWorkshop workshop;
  PlanBuilder builder = wide_plan(64);
  const int stream = builder.constant("stream", {16}, std::vector<int8_t>(16), DataType::kS8);
  plan::Program made;
  made.unit = "evta";
  made.configuration = evta::kConfigurations[0].name;
  made.kind = plan::ProgramKind::kInstructions;
  made.segments = {builder.tables().tensors[static_cast<size_t>(stream)].buffer};
  constexpr uint64_t kBytes = 64 * 30 * sizeof(float);
  made.ranges = {{0, kBytes, plan::RangeAccess::kWrite, 4, 0, plan::RangeLayout::kBytes16}};
  made.costs = {{96 + 4, plan::CostOrigin::kModelled}};  // at 80 bytes a microsecond
  builder.tables().branches[1].programs.push_back(made);
  builder.tables().targets = {{"evta", made.configuration, 100, 80}};
  workshop.write("plan.nest", builder.build().bytes());
  const auto milliseconds = [&](const std::string& unit) {
    workshop.write("npu.yaml", workshop.estimating_board() + "  - {unit: evta, configuration: " + made.configuration +
                                   ", clock_mhz: 100" + unit + "}\n");
    check_ok(run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("npu.yaml"),
                                    "--json", workshop.path("times.json"), "--npu-clock", "10"}));
    return workshop.json("times.json")["sequential_ms"].get<double>();
  };
  const double in_no_time = milliseconds("");
  CHECK(milliseconds(", widen_mb_per_s: 80") == Approx(in_no_time + 0.096));
  CHECK(milliseconds(", widen_mb_per_s: 20") == Approx(in_no_time + 0.384));
}

TEST_CASE("A modified copy of a bundled board file keeps the costs of the original") {
  const SimulateWorkshop workshop;
  workshop.write("mine.yaml",
                 "board: mine\nunits:\n  - {unit: cpu, threads: 4, instruction_set: neon, clock_mhz: "
                 "600, estimates: {kinds: {other: {begin_us: 1}}}}\nprofiles: [profiles/zcu102.costs]\n");
  const ProgramResult result =
      run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("mine.yaml")});
  check_ok(result);
  CHECK_THAT(result.text, Contains("costs of 'cpu' at 1200 MHz, scaled to the board's 600 MHz"));
}

TEST_CASE("Measured costs have the clock given by --clock") {
  const SimulateWorkshop workshop;
  const auto profile = [&](const std::string& clock) {
    return run_program("nestrt", {"profile", workshop.path("plan.nest"), "-o", workshop.path("costs"), "--threads", "1",
                                  "--max-runs", "3", "--clock", clock});
  };
  check_ok(profile("cpu=1234.5"));
  const auto costs = read_costs(workshop.path("costs"));
  REQUIRE(costs);
  CHECK(costs->clock_mhz({"cpu", SimulateWorkshop::isa(), 1}) == 1234.5);
  for (const auto& [clock, part] : std::map<std::string, std::string>{{"evta=100", "no unit 'evta' is measured"},
                                                                      {"cpu=0", "UNIT=MHZ"},
                                                                      {"cpu", "UNIT=MHZ"},
                                                                      {"=100", "UNIT=MHZ"},
                                                                      {"cpu=fast", "UNIT=MHZ"}}) {
    CAPTURE(clock);
    const ProgramResult refused = profile(clock);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.text, Contains(part));
  }
}

TEST_CASE("Steps are named after the largest operator of their branch") {
  const SimulateWorkshop workshop;
  workshop.write("one.nest", classifier_plan().build().bytes());  // Pool, Reshape, Dense, Softmax
  workshop.write("estimates.yaml", workshop.estimating_board());
  const ProgramResult result = run_program(
      "nestrt", {"simulate", workshop.path("one.nest"), "--board", workshop.path("estimates.yaml"), "--steps"});
  check_ok(result);
  CHECK_THAT(result.text, Contains("dense and 3 more"));
}

TEST_CASE("A board that names the same cost file twice is rejected") {
  const SimulateWorkshop workshop;
  workshop.write("a.costs", "");
  workshop.write("board2.yaml", "board: test\nunits:\n  - {unit: cpu}\nprofiles: [a.costs, ./a.costs]\n");
  const ProgramResult result =
      run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("board2.yaml")});
  INFO(result.text);
  CHECK(result.exit_code == 2);
  CHECK(result.text.find("is the same file as") != std::string::npos);
}

TEST_CASE("nestrt simulate does not overwrite the cost files of a board") {
  const SimulateWorkshop workshop;
  workshop.write("a.costs", "nestrt costs 3\n");
  workshop.write("costly.yaml", SimulateWorkshop::estimating_board() + "profiles: [a.costs]\n");
  for (const std::string option : {"--json", "--trace", "--html"}) {
    const ProgramResult result =
        run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("costly.yaml"), option,
                               workshop.path("./a.costs")});
    INFO(result.text);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.text, Contains("would overwrite the input"));
  }
}

TEST_CASE("A board with an unknown unit or instruction set is rejected") {
  const SimulateWorkshop workshop;
  const auto refused = [&](const std::string& unit, const std::string& part) {
    workshop.write("wrong.yaml", "board: wrong\nunits:\n  - {unit: cpu}\n  - {" + unit + "}\n");
    const ProgramResult result =
        run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("wrong.yaml")});
    INFO(result.text);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.text, Contains(part) && Contains("line 4"));
  };
  refused("unit: vta", "unknown unit 'vta'");
  workshop.write("wrong.yaml", "board: wrong\nunits:\n  - {unit: cpu, instruction_set: neno}\n");
  const ProgramResult result =
      run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("wrong.yaml")});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.text, Contains("unknown instruction set 'neno'; available:"));
}

TEST_CASE("A simulation with negligible costs terminates") {
  const SimulateWorkshop workshop;
  const auto plan = Plan::map(workshop.path("plan.nest"), Verification::kComplete);
  REQUIRE(plan);
  const auto host = *open_units("cpu", {.num_threads = 1});
  CostTable costs = *flat_costs(**plan, host, [](const UnitInfo&) { return 1e-10; });
  REQUIRE(write_costs(workshop.path("costs"), costs).ok());
  check_ok(run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("board.yaml"),
                                  "--profile", workshop.path("costs"), "--threads", "1", "--budget-ms", "1"}));
}

TEST_CASE("A board without an instruction set uses the profile of a single CPU and rejects one of several") {
  const SimulateWorkshop workshop;
  const auto plan = Plan::map(workshop.path("plan.nest"), Verification::kComplete);
  REQUIRE(plan);
  workshop.write("any.yaml", "board: any\nunits:\n  - {unit: cpu, threads: 1}\n");
  const auto simulate = [&](const CostTable& costs) {
    REQUIRE(write_costs(workshop.path("costs"), costs).ok());
    return run_program("nestrt", {"simulate", workshop.path("plan.nest"), "--board", workshop.path("any.yaml"),
                                  "--profile", workshop.path("costs")});
  };
  CostTable costs = *flat_costs(**plan, *open_units("cpu", {.num_threads = 1}), [](const UnitInfo&) { return 50; });
  check_ok(simulate(costs));
  costs.set({"cpu", "another", 1}, "Conv", {1, CostSource::kMeasured});
  const ProgramResult refused = simulate(costs);
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.text, Contains("instruction_set") && Contains("another") && Contains(SimulateWorkshop::isa()));
}

}  // namespace nestrt::test
