// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/debugging/debugged_program.h"

#include <catch2/catch.hpp>

#include "drivers/evta/simulator/replay.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "drivers/evta/simulator/vector_file.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"

namespace nestrt::command {
namespace {

using Catch::Matchers::Contains;

// A program that copies its input, on an accelerator whose first run produces a wrong bit.
struct WrongOnce {
  WrongOnce() {
    evta::SimulatorOptions options;
    options.faults = std::make_shared<evta::FaultInjector>();
    options.faults->next_run(evta::Fault::kWrongData);
    transport = evta::make_simulator_transport(options);
    debugger.emplace(*evta::ProgramDebugger::create(*transport, source, 1, std::chrono::seconds(60)));
    program.operators = "copy";
    program.ranges = names_of_ranges(plan->tables(), entry());
    program.instructions = debugger->instructions();
    program.whole = *debugger->run_all();
  }
  const plan::Program& entry() const { return plan->tables().branches[0].programs[1]; }

  const nestrt::test::PlanFile file = evta::test::copy_plan(evta::kConfigurations[0]).build();
  const std::shared_ptr<const Plan> plan = *Plan::from_memory(file.bytes());
  const evta::BoundProgram source = *evta::read_program(*plan, 0, entry(), evta::kConfigurations[0]);
  std::unique_ptr<evta::Transport> transport;
  std::optional<evta::ProgramDebugger> debugger;
  DebuggedProgram program;
};

TEST_CASE("A fault is described by its bytes, the remedy and the instructions around the wrong one") {
  WrongOnce wrong;
  REQUIRE_FALSE(wrong.program.is_right());
  CHECK_THAT(describe_fault(wrong.program), Contains("branch 0 (copy), 7 instructions") &&
                                                Contains("y: 1 bytes differ") && Contains("does not always occur"));
  wrong.program.registers = {{"fetch control", 0x4}};
  wrong.program.wrong = evta::WrongInstruction{4, wrong.program.whole, true, 0};
  CHECK_THAT(describe_fault(wrong.program), Contains("register fetch control") && Contains("0x00000004") &&
                                                Contains("first wrong instruction: 4 of 7") &&
                                                Contains(">      4  gemm") && Contains("       6  finish"));
  wrong.program.wrong.reset();
  wrong.program.search = Status(Code::kDeviceFault, "it cannot be stopped");
  CHECK_THAT(describe_fault(wrong.program), Contains("the search ended: it cannot be stopped"));
}

TEST_CASE("A run up to an instruction is described by its memory, its registers and its last instructions") {
  WrongOnce wrong;
  wrong.program.until = 3;
  wrong.program.registers = {{"fetch control", 0x4}};
  CHECK_THAT(describe_prefix(wrong.program), Contains("the first 3 of 7 instructions:") &&
                                                 Contains("y: 1 bytes differ") && Contains("register fetch control") &&
                                                 Contains("       2  ") && !Contains("       3  "));
}

TEST_CASE("The bundle of a wrong program contains its listing, a report and a vector that the simulator passes") {
  const test::TemporaryFolder folder;
  const WrongOnce wrong;
  const std::string bundle = folder.path() + "/new/bundle";
  REQUIRE(write_bundle(bundle, wrong.program, wrong.source, *wrong.debugger).ok());
  const auto vectors = evta::parse_vectors(*tools::read_file(bundle + "/program.vtav"));
  REQUIRE(vectors);
  REQUIRE(vectors->size() == 1);
  CHECK((*vectors)[0].name == "branch 0 (copy)");
  CHECK(evta::replay((*vectors)[0], evta::kConfigurations[0]).ok());
  const auto lines = tools::read_lines(bundle + "/program.txt");
  REQUIRE(lines);
  CHECK(lines->lines().size() >= 7);
  const auto report = tools::read_file(bundle + "/report.json");
  REQUIRE(report);
  const std::string text(reinterpret_cast<const char*>(report->data()), report->size());
  CHECK_THAT(text, Contains("\"right\": false") && Contains("\"range\": \"y\""));
  CHECK_FALSE(write_bundle("/dev/null/bundle", wrong.program, wrong.source, *wrong.debugger).ok());
}

}  // namespace
}  // namespace nestrt::command
