// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/evta_unit.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "drivers/evta/cycles/cycle_model.h"
#include "drivers/evta/driver/bound_program.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "nestrt/open_units.h"
#include "test/drivers/evta/driver/prepared_copy.h"
#include "test/support/process/allocation_counter.h"

namespace nestrt::evta::test {
namespace {

using std::chrono::milliseconds;

// A unit on a simulator that fails on request.
struct FaultyUnit {
  explicit FaultyUnit(SimulatorOptions options = {}, milliseconds late_by = milliseconds(20))
      : faults(std::make_shared<FaultInjector>(late_by)) {
    options.faults = faults;
    auto opened = open_evta_unit({}, make_simulator_transport(options));
    if (!opened) FAIL(opened.error().to_string());
    unit = *opened;
  }

  // Waits until the accelerator hangs in the run.
  uint64_t submit_hanging(PreparedCopy* copy) {
    faults->next_run(Fault::kHang);
    const uint64_t generation = copy->submit();
    while (!faults->all_begun()) std::this_thread::yield();
    return generation;
  }

  // Lets the deadline pass during the run, however slow the machine is.
  Status miss_deadline(PreparedCopy* copy, Fault fault) {
    faults->next_run(fault);
    for (milliseconds time(10);; time *= 2) {
      Status status = copy->run(SteadyClock::now() + time);
      if (faults->all_begun()) return status;
    }
  }

  const std::shared_ptr<FaultInjector> faults;
  std::shared_ptr<Unit> unit;
};

void expect_quarantine(PreparedCopy* copy) {
  const Status status = copy->run();
  CHECK(status.code() == Code::kUnavailable);
  CHECK(status.message().find("evta0 is in quarantine after a failure: ") == 0);
}

void expect_return_to_service(Unit* unit, PreparedCopy* copy) {
  CHECK(unit->probe().ok());
  CHECK(copy->run().ok());
  CHECK(copy->y == copy->x);
}

TEST_CASE("EVTA runs a program in every configuration") {
  for (const Configuration& configuration : kConfigurations) {
    CAPTURE(configuration.name);
    const auto unit = open_evta_unit({&configuration, 2}, make_simulator_transport());
    REQUIRE(unit);
    CHECK((*unit)->info().name == "evta2");
    CHECK((*unit)->info().configuration == configuration.name);
    PreparedCopy copy(**unit, configuration);
    CHECK(copy.run().ok());
    CHECK(copy.y == copy.x);
  }
}

TEST_CASE("A hanging accelerator misses its deadline, is quarantined and works again after a probe") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  CHECK(faulty.miss_deadline(&copy, Fault::kHang).code() == Code::kDeadlineExceeded);
  CHECK(copy.is_unchanged());
  expect_quarantine(&copy);
  expect_return_to_service(faulty.unit.get(), &copy);
}

TEST_CASE("A late run misses its deadline and accesses nothing afterwards") {
  FaultyUnit faulty({}, std::chrono::hours(1));
  PreparedCopy copy(*faulty.unit);
  CHECK(faulty.miss_deadline(&copy, Fault::kLate).code() == Code::kDeadlineExceeded);
  copy.completion.arm();  // the next generation of the memory and the event
  CHECK(faulty.unit->probe().ok());
  CHECK_FALSE(copy.completion.done());
  CHECK(copy.is_unchanged());
}

TEST_CASE("A late run without a deadline completes") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  faulty.faults->next_run(Fault::kLate);
  CHECK(copy.run().ok());
  CHECK(copy.y == copy.x);
}

TEST_CASE("A memory access error of the accelerator is a failure without results") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  faulty.faults->next_run(Fault::kDmaError);
  CHECK(copy.run().code() == Code::kDeviceFault);
  CHECK(copy.is_unchanged());
  expect_quarantine(&copy);
  expect_return_to_service(faulty.unit.get(), &copy);
}

TEST_CASE("A lost interrupt only delays a run") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  faulty.faults->next_run(Fault::kLostInterrupt);
  CHECK(copy.run().ok());
  CHECK(copy.y == copy.x);
}

TEST_CASE("Wrong data and early completions reach the session, because a unit cannot detect them") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  faulty.faults->next_run(Fault::kWrongData);
  CHECK(copy.run().ok());
  CHECK(copy.y != copy.x);
  std::fill(copy.x.begin(), copy.x.end(), static_cast<int8_t>(3));
  CHECK(copy.run().ok());
  CHECK(copy.y == copy.x);
  const std::vector<int8_t> before = copy.y;
  std::fill(copy.x.begin(), copy.x.end(), static_cast<int8_t>(4));
  faulty.faults->next_run(Fault::kEarly);
  CHECK(copy.run().ok());
  CHECK(copy.y == before);
  CHECK(copy.run().ok());  // waits for the end of the early run
  CHECK(copy.y == copy.x);
}

TEST_CASE("Result checks accept only what the accelerator has written in this run") {
  for (const HostView view : {HostView::kShared, HostView::kSeparate, HostView::kCached}) {
    FaultyUnit faulty({.host_view = view});
    PreparedCopy copy(*faulty.unit);
    CHECK(copy.run().ok());
    CHECK(copy.y == copy.x);
    faulty.faults->next_run(Fault::kEarly);
    CHECK(copy.run_checked().ok());  // with the same x
    CHECK(copy.is_unchanged());
    CHECK(copy.run_checked().ok());
    CHECK(copy.y == copy.x);
  }
}

TEST_CASE("An accelerator with wrong results fails its probe") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  faulty.faults->next_run(Fault::kDmaError);
  CHECK_FALSE(copy.run().ok());
  faulty.faults->next_run(Fault::kWrongData);
  const Status status = faulty.unit->probe();
  CHECK(status.code() == Code::kUnavailable);
  CHECK(status.message() == "the probe of evta0 failed: the accelerator computes wrong results");
  expect_quarantine(&copy);
  expect_return_to_service(faulty.unit.get(), &copy);
}

TEST_CASE("A unit whose accelerator cannot be reset stays in quarantine until a reset succeeds") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  faulty.faults->fail_resets(2);
  CHECK(faulty.miss_deadline(&copy, Fault::kHang).code() == Code::kDeadlineExceeded);
  CHECK(faulty.unit->probe().code() == Code::kUnavailable);
  expect_quarantine(&copy);
  expect_return_to_service(faulty.unit.get(), &copy);
}

TEST_CASE("A reset that fails is reported and puts the unit into quarantine") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  faulty.faults->fail_resets(1);
  CHECK(faulty.unit->reset().code() == Code::kDeviceFault);
  expect_quarantine(&copy);
  expect_return_to_service(faulty.unit.get(), &copy);
}

TEST_CASE("A unit does not open on an accelerator that does not work") {
  SimulatorOptions options;
  options.faults = std::make_shared<FaultInjector>();
  options.faults->next_run(Fault::kWrongData);
  CHECK(open_evta_unit({}, make_simulator_transport(options)).error().code() == Code::kUnavailable);
}

TEST_CASE("Running and queued programs are cancelled and the unit continues") {
  FaultyUnit faulty;
  PreparedCopy running(*faulty.unit), waiting(*faulty.unit);
  const uint64_t first = faulty.submit_hanging(&running), second = waiting.submit();
  waiting.executable().cancel(second + 1);  // another generation
  CHECK_FALSE(waiting.completion.done());
  waiting.executable().cancel(second);
  CHECK(waiting.completion.wait().code() == Code::kCancelled);
  running.executable().cancel(first);
  CHECK(running.completion.wait().code() == Code::kCancelled);
  CHECK(running.is_unchanged());
  CHECK(waiting.is_unchanged());
  CHECK(running.run().ok());
  CHECK(running.y == running.x);
}

TEST_CASE("A reset cancels running and queued programs") {
  FaultyUnit faulty;
  PreparedCopy running(*faulty.unit), waiting(*faulty.unit);
  faulty.submit_hanging(&running);
  waiting.submit();
  CHECK(faulty.unit->reset().ok());
  CHECK(running.completion.wait().code() == Code::kCancelled);
  CHECK(waiting.completion.wait().code() == Code::kCancelled);
  CHECK(running.is_unchanged());
  CHECK(waiting.run().ok());
  CHECK(running.run().ok());
  CHECK(running.y == running.x);
}

TEST_CASE("A program runs on the thread of a waiting submitter") {
  struct Watcher final : RunObserver {
    void operator_done(uint32_t, Time, Time) override { thread = std::this_thread::get_id(); }
    std::thread::id thread;
  } watcher;
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  Submission submission;
  submission.observer = &watcher;
  submission.submitter_waits = true;
  copy.submit(submission);
  CHECK(copy.completion.done());
  CHECK(copy.completion.wait().ok());
  CHECK(copy.y == copy.x);
  CHECK(watcher.thread == std::this_thread::get_id());
}

TEST_CASE("A waiting submitter runs after the current program") {
  FaultyUnit faulty;
  PreparedCopy running(*faulty.unit), waiting(*faulty.unit);
  const uint64_t first = faulty.submit_hanging(&running);
  Submission submission;
  submission.submitter_waits = true;
  waiting.submit(submission);
  CHECK_FALSE(waiting.completion.done());
  running.executable().cancel(first);
  CHECK(running.completion.wait().code() == Code::kCancelled);
  CHECK(waiting.completion.wait().ok());
  CHECK(waiting.y == waiting.x);
}

TEST_CASE("A program on the thread of its submitter is cancelled from another thread") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  faulty.faults->next_run(Fault::kHang);
  const uint64_t generation = copy.completion.arm() + 1;  // the next one
  std::thread canceller([&] {
    while (!faulty.faults->all_begun()) std::this_thread::yield();
    copy.executable().cancel(generation);
  });
  Submission submission;
  submission.submitter_waits = true;
  CHECK(copy.submit(submission) == generation);
  canceller.join();
  CHECK(copy.completion.wait().code() == Code::kCancelled);
  CHECK(copy.run().ok());
}

TEST_CASE("A run that was cancelled before its submission does not start") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  const std::atomic<bool> cancelled{true};
  Submission submission;
  submission.cancelled = &cancelled;
  copy.submit(submission);
  CHECK(copy.completion.wait().code() == Code::kCancelled);
  CHECK(copy.is_unchanged());
}

TEST_CASE("A run that exceeds its deadline is not a failure of the unit") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  do {
    faulty.faults->forget();
    faulty.faults->next_run(Fault::kHang);
    Submission submission;
    submission.deadline = SteadyClock::now() + milliseconds(10);
    copy.submit(submission);
    CHECK(copy.completion.wait().code() == Code::kDeadlineExceeded);
  } while (!faulty.faults->all_begun());  // on a slow machine the deadline passes before the start
  CHECK(copy.run().ok());
  CHECK(copy.y == copy.x);
}

TEST_CASE("A running program is not started a second time") {
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  const uint64_t first = faulty.submit_hanging(&copy);
  Event completion;
  Submission again;
  again.completion = &completion;
  again.generation = completion.arm();
  copy.executable().submit(again);
  CHECK(completion.wait().code() == Code::kUnavailable);
  copy.executable().cancel(first);
  CHECK(copy.completion.wait().code() == Code::kCancelled);
}

TEST_CASE("A hanging program ends with its executable") {
  FaultyUnit faulty;
  {
    PreparedCopy hung(*faulty.unit);
    faulty.submit_hanging(&hung);
  }
  PreparedCopy copy(*faulty.unit);
  CHECK(copy.run().ok());
}

TEST_CASE("A paced unit takes at least the modelled time") {
  constexpr double kPace = 5000;  // some hundred cycles at 200 MHz become milliseconds
  const CycleProfile& profile = *find_cycle_profile("zcu102");
  const auto units = open_units("evta:sim", {.pace = kPace});
  REQUIRE(units);
  PreparedCopy copy(*(*units)[0]);
  const auto program = read_program(copy.plan(), 0, copy.program(), kConfigurations[0]);
  REQUIRE(program);
  const auto count = count_cycles(program->program(), profile);
  REQUIRE(count);
  const auto start = SteadyClock::now();
  CHECK(copy.run().ok());
  const double seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
  CHECK(seconds >= kPace * profile.seconds(static_cast<double>(count->cycles)));
  CHECK(copy.y == copy.x);
}

TEST_CASE("Observers are notified of the phases of a run in sequence") {
  struct Phases final : RunObserver {
    void operator_done(uint32_t, Time start, Time end) override {
      CHECK(start == times.front());
      CHECK(end == times.back());
    }
    void phase_done(uint32_t operator_index, Phase phase, Time start, Time end) override {
      CHECK(operator_index == 0);
      CHECK(static_cast<size_t>(phase) == times.size() / 2);
      times.insert(times.end(), {start, end});
    }
    std::vector<Time> times;
  } phases;
  FaultyUnit faulty;
  PreparedCopy copy(*faulty.unit);
  REQUIRE(copy.run(kNoDeadline, &phases).ok());
  REQUIRE(phases.times.size() == 6);
  CHECK(std::is_sorted(phases.times.begin(), phases.times.end()));
  CHECK(phases.times[1] == phases.times[2]);
  CHECK(phases.times[3] == phases.times[4]);
}

TEST_CASE("Programs on one simulated accelerator share its on-chip memory") {
  constexpr int kPrograms = 100;
  const nestrt::test::PlanFile file = copy_plan(kConfigurations[0]).build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE(plan);
  const auto unit = open_evta_unit({}, make_simulator_transport());
  REQUIRE(unit);
  const BranchSpec branch{*plan, 0, &(*plan)->tables().branches[0].programs[1]};
  std::vector<Result<std::unique_ptr<Executable>>> executables;
  executables.reserve(kPrograms);
  const auto bytes_of_next = [&] {
    const nestrt::test::AllocationCounter counter;
    executables.push_back((*unit)->prepare(branch));
    return counter.bytes();
  };
  const int64_t first = bytes_of_next();
  int64_t others = 0;
  while (executables.size() < kPrograms) others += bytes_of_next();
  for (const auto& executable : executables) REQUIRE(executable);
  INFO(first << " bytes for the first, " << others << " for the others");
  CHECK(others < kPrograms * 200'000);  // includes temporary memory of the checker; on-chip memories alone need 450 kB
}

// --- Programs that prepare() rejects.

Status prepare(const nestrt::test::PlanFile& file, std::string_view unit_configuration = "1x16_15_15_18_17") {
  const auto plan = Plan::from_memory(file.bytes());
  if (!plan) FAIL(plan.error().to_string());
  const auto unit = open_evta_unit({find_configuration(unit_configuration)}, make_simulator_transport());
  REQUIRE(unit);
  const auto executable = (*unit)->prepare({*plan, 0, &(*plan)->tables().branches[0].programs[1]});
  REQUIRE_FALSE(executable);
  return executable.error();
}

TEST_CASE("A program for another configuration is rejected with the differences and the remedy") {
  auto builder = copy_plan(*find_configuration("1x32_15_15_18_17"));
  const Status status = prepare(builder.build());
  CHECK(status.code() == Code::kIncompatible);
  CHECK(status.message() ==
        "the program is for configuration '1x32_15_15_18_17', but the unit has configuration '1x16_15_15_18_17' (block "
        "32 instead of "
        "16, input vectors 1024 instead of 2048, weight tiles 256 instead of 1024, accumulators 1024 instead of 2048); "
        "recompile it: nestc compile MODEL --target cpu,evta:1x16_15_15_18_17");
}

TEST_CASE("A program that is not an instruction stream, or leaves its memory, is rejected") {
  const auto damaged = [](void (*damage)(plan::Program&)) {
    auto builder = copy_plan(kConfigurations[0]);
    damage(builder.tables().branches[0].programs[1]);
    return prepare(builder.build());
  };
  const Status blob = damaged([](plan::Program& program) { program.kind = plan::ProgramKind::kBlob; });
  CHECK(blob.message().find("a program for unit 'evta' is of kind blob") != std::string_view::npos);
  const Status odd = damaged([](plan::Program& program) { program.segments[0] = program.segments[1]; });
  CHECK(odd.message().find("an instruction stream has 4 bytes, which is not a multiple of 16") !=
        std::string_view::npos);
  const Status outside = damaged([](plan::Program& program) { program.ranges[3].address += 64; });
  CHECK(outside.code() == Code::kInvalidPlan);
  const Status unreadable = damaged([](plan::Program& program) { program.ranges[2].address += 64; });
  CHECK(unreadable.code() == Code::kInvalidPlan);
}

}  // namespace
}  // namespace nestrt::evta::test
