// SPDX-License-Identifier: Apache-2.0
// Tests plug-ins in separate processes. The crashing one is test/drivers/plugins/crashing.cpp.
#include "drivers/vendor/isolation/isolated_device.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <thread>

#include "drivers/vendor/vendor_unit.h"
#include "nestrt/open_units.h"
#include "test/drivers/conformance/prepared_copy.h"
#include "test/drivers/conformance/tested_plan.h"
#include "test/drivers/vendor/isolation/crashing_plugin.h"
#include "test/drivers/vendor/skeleton_programs.h"
#include "test/support/example_files.h"
#include "test/support/process/quiet.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::vendor::test {
namespace {

// Returns the status of a run with this fault. Checks that the unit works again after a probe.
Status failure_by(Entry entry, Fault fault) {
  const nestrt::test::Quiet quiet;
  Orders& orders = new_orders();
  Isolation isolation;
  Submission submission;
  if (fault == Fault::kLoop) {
    isolation.stop_limit = std::chrono::milliseconds(20);
    submission.unit_limit = std::chrono::milliseconds(50);
    submission.unit_deadline = SteadyClock::now() + nestrt::test::kLongEnough;
  }
  const auto unit = open_crashing_unit(isolation);
  nestrt::test::PreparedCopy copy(*unit, skeleton_copy_file());
  orders.give(entry, fault);
  Status status = copy.run(submission);
  CHECK(copy.is_unchanged());
  CHECK(unit->probe().ok());
  check_runs(copy);
  return status;
}

std::string text_of(const Status& status) { return status.to_string(); }

TEST_CASE("A unit has the same description with and without isolation") {
  if (!needs_isolation()) return;
  const auto isolated = open_units("skeleton,cpu", {.plugin = nestrt::test::kSkeletonPlugin, .isolate = true});
  REQUIRE(isolated);
  const auto plain = open_units("skeleton,cpu", {.plugin = nestrt::test::kSkeletonPlugin});
  REQUIRE(plain);
  CHECK(isolated->front()->info().name == plain->front()->info().name);
  CHECK(isolated->front()->info().configuration == plain->front()->info().configuration);
  nestrt::test::PreparedCopy copy(*isolated->front(), skeleton_copy_file());
  REQUIRE(copy.run().ok());
  CHECK(copy.is_right());
}

TEST_CASE("An isolated plug-in computes on copies, whose memory is allocated once") {
  if (!needs_isolation()) return;
  const auto unit = open_units("skeleton", {.plugin = nestrt::test::kSkeletonPlugin, .isolate = true});
  REQUIRE(unit);
  const auto memory = unit->front()->allocate_shared(4096);
  REQUIRE(memory);
  CHECK(*memory == nullptr);
  nestrt::test::PreparedCopy copy(*unit->front(), skeleton_copy_file());
  REQUIRE(copy.run().ok());
  CHECK(copy.executable().traffic().copied_bytes == copy.x.size() + copy.y.size());
}

TEST_CASE("A plug-in that cannot be opened gives the same error in a separate process") {
  if (!needs_isolation()) return;
  CHECK(text_of(IsolatedDevice::open("none.so", 0).error()).find("plug-in '") != std::string::npos);
  const nestrt::test::TemporaryFolder folder;
  const std::string text = folder.write_text("text.so", "no library");
  CHECK(IsolatedDevice::open(text, 0).error().code() == Code::kUnavailable);
  CHECK(IsolatedDevice::open(nestrt::test::kSkeletonPlugin, 1).error().message() ==
        "plug-in '" + std::string(nestrt::test::kSkeletonPlugin) + "': open_with(): there is only one device");
  const auto units = open_units("other", {.plugin = nestrt::test::kSkeletonPlugin, .isolate = true});
  REQUIRE_FALSE(units);
  CHECK(units.error().message() ==
        "plug-in '" + std::string(nestrt::test::kSkeletonPlugin) + "' is for unit 'skeleton', not 'other'");
}

TEST_CASE("A plug-in process is rejected if its program does not start or is a different program") {
  if (!needs_isolation()) return;
  const auto refusal = [](const std::string& program) {
    Isolation isolation;
    isolation.program = program;
    const auto device = IsolatedDevice::open(nestrt::test::kSkeletonPlugin, 0, isolation);
    REQUIRE_FALSE(device);
    return device.error().to_string();
  };
  CHECK_THAT(refusal("/none/nestrt-plugin"), Catch::Contains("cannot start '/none/nestrt-plugin': No such file"));
  CHECK_THAT(refusal("/bin/false"), Catch::Contains("its process ended with exit code 1, in open()"));
  CHECK_THAT(refusal("/bin/true"), Catch::Contains("its process ended with exit code 0, in open()"));
}

TEST_CASE("A crash of an isolated plug-in is a failure of its unit that names the plug-in, the signal and the call") {
  if (!needs_isolation()) return;
  const std::string name = "skeleton0: plug-in '" + std::string(kCrashingPlugin) + "': ";
  CHECK(text_of(failure_by(Entry::kSubmit, Fault::kAbort)) ==
        "device fault: " + name + "its process was terminated by signal 6 (Aborted), in a run");
  CHECK(text_of(failure_by(Entry::kBind, Fault::kSegmentationFault)) ==
        "device fault: " + name + "its process was terminated by signal 11 (Segmentation fault), in a run");
  CHECK(text_of(failure_by(Entry::kWait, Fault::kExit)) ==
        "device fault: " + name + "its process ended with exit code 0, in a run");
}

TEST_CASE("An isolated plug-in that does not return is killed after its time limit") {
  if (!needs_isolation()) return;
  CHECK_THAT(text_of(failure_by(Entry::kSubmit, Fault::kLoop)),
             Catch::Contains("does not stop: its process was killed"));
  CHECK_THAT(text_of(failure_by(Entry::kWait, Fault::kLoop)), Catch::Contains("does not stop: its process was killed"));
}

TEST_CASE("Results of an isolated plug-in are checked in its process without killing it") {
  if (!needs_isolation()) return;
  CHECK_THAT(text_of(failure_by(Entry::kSubmit, Fault::kWrongStatus)),
             Catch::Contains("submit() returns the invalid status -77"));
  CHECK_THAT(text_of(failure_by(Entry::kWait, Fault::kError)), Catch::Contains("wait(): the device has failed"));
}

TEST_CASE("Forged replies and overwritten ports do not leave a plug-in's process") {
  if (!needs_isolation()) return;
  CHECK(failure_by(Entry::kSubmit, Fault::kForge).code() == Code::kDeviceFault);
  CHECK(failure_by(Entry::kWait, Fault::kScribble).code() == Code::kDeviceFault);
}

TEST_CASE("An isolated plug-in that crashes on restart fails that probe but not the next") {
  if (!needs_isolation()) return;
  for (const Entry entry :
       {Entry::kOpen, Entry::kDescribe, Entry::kLoad, Entry::kAllocateShared, Entry::kReset, Entry::kSelfTest}) {
    const nestrt::test::Quiet quiet;
    Orders& orders = new_orders();
    const auto unit = open_crashing_unit();
    nestrt::test::PreparedCopy copy(*unit, skeleton_copy_file());
    orders.give(Entry::kSubmit, Fault::kAbort);
    orders.give(entry, Fault::kAbort);
    CHECK_FALSE(copy.run().ok());
    const Status status = unit->probe();
    CHECK(status.code() == Code::kUnavailable);
    CHECK_THAT(text_of(status), Catch::Contains("its process was terminated by signal 6 (Aborted), in "));
    CHECK(unit->probe().ok());
    check_runs(copy);
  }
}

TEST_CASE("A plug-in that crashes too often without a successful run is not restarted") {
  if (!needs_isolation()) return;
  const nestrt::test::Quiet quiet;
  Orders& orders = new_orders();
  Isolation isolation;
  isolation.max_starts = 3;
  const auto unit = open_crashing_unit(isolation);
  nestrt::test::PreparedCopy copy(*unit, skeleton_copy_file());
  for (int start = 1; start < 3; ++start) {
    orders.give(Entry::kSubmit, Fault::kAbort);
    CHECK_FALSE(copy.run().ok());
    CHECK(unit->probe().ok());
  }
  check_runs(copy);  // restarts the count
  for (int start = 0; start < 3; ++start) {
    orders.give(Entry::kSubmit, Fault::kAbort);
    CHECK_FALSE(copy.run().ok());
    if (start < 2) CHECK(unit->probe().ok());
  }
  CHECK(unit->probe().ok());
  orders.give(Entry::kSubmit, Fault::kAbort);
  CHECK_FALSE(copy.run().ok());
  CHECK_THAT(text_of(unit->probe()), Catch::Contains("was started 3 times without a successful run"));
}

TEST_CASE("A plug-in that hangs repeatedly is not restarted") {
  if (!needs_isolation()) return;
  const nestrt::test::Quiet quiet;
  Orders& orders = new_orders();
  Isolation isolation;
  isolation.call_limit = std::chrono::seconds(2);  // opening takes a small part of it
  const auto unit = open_crashing_unit(isolation);
  const nestrt::test::ProgramInPlan program(skeleton_copy_file(), unit->info().kind);
  const auto load = [&] { return text_of(program.prepare(*unit).error()); };
  for (int hang = 0; hang < 2; ++hang) {
    orders.give(Entry::kLoad, Fault::kLoop);
    CHECK_THAT(load(), Catch::Contains("does not return within 2000 ms"));
  }
  CHECK_THAT(load(), Catch::Contains("did not return from 2 calls"));
}

TEST_CASE("A session falls back to the host if an isolated plug-in crashes") {
  if (!needs_isolation()) return;
  const nestrt::test::Quiet quiet;
  Orders& orders = new_orders();
  UnitList units = {open_crashing_unit()};
  units.push_back(open_units("cpu", {.num_threads = 1})->front());
  const nestrt::test::TestedPlan plan(skeleton_copy_file());
  const auto session = plan.open(units);
  CHECK(plan.is_right(*session, 1));
  CHECK(session->num_host_fallbacks() == 0);
  orders.give(Entry::kSubmit, Fault::kScribble);
  CHECK(plan.is_right(*session, 2));
  CHECK(session->num_host_fallbacks() == 1);
}

TEST_CASE("Closing the unit of an isolated plug-in always ends its process") {
  if (!needs_isolation()) return;
  const nestrt::test::Quiet quiet;
  for (const Fault fault : {Fault::kNone, Fault::kAbort, Fault::kLoop}) {
    Orders& orders = new_orders();
    Isolation isolation;
    if (fault == Fault::kLoop) isolation.stop_limit = std::chrono::milliseconds(20);
    open_crashing_unit(isolation);
    orders.give(Entry::kClose, fault);
    open_crashing_unit(isolation);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
  }
}

// Opens the plug-in in a separate process with `output` as standard output, and exits while a call to it hangs.
[[noreturn]] void open_and_end(int output, const Orders& orders) {
  ::dup2(output, STDOUT_FILENO);
  const auto device = IsolatedDevice::open(kCrashingPlugin, 0);
  if (!device) ::_exit(1);
  std::thread([&] { static_cast<void>((*device)->self_test()); }).detach();
  while (!orders.all_taken()) std::this_thread::yield();
  ::_exit(0);
}

// Returns whether all writers of a pipe close it within a time limit. Ignores the data.
bool pipe_reaches_end(int pipe) {
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(nestrt::test::kLongEnough);
  char written[256];
  pollfd waiting = {pipe, POLLIN, 0};
  while (::poll(&waiting, 1, static_cast<int>(limit.count())) == 1)
    if (::read(pipe, written, sizeof(written)) <= 0) return true;
  return false;
}

TEST_CASE("The process of an isolated plug-in always ends with the application") {
  if (!needs_isolation()) return;
  Orders& orders = new_orders();
  orders.give(Entry::kSelfTest, Fault::kLoop);
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const pid_t application = ::fork();
  if (application == 0) open_and_end(ends[1], orders);
  ::close(ends[1]);
  int state = 0;
  REQUIRE(::waitpid(application, &state, 0) == application);
  CHECK(WIFEXITED(state));
  CHECK(WEXITSTATUS(state) == 0);
  // The plug-in's process has the pipe as its standard output.
  CHECK(pipe_reaches_end(ends[0]));
  ::close(ends[0]);
}

}  // namespace
}  // namespace nestrt::vendor::test
