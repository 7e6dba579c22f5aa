// SPDX-License-Identifier: Apache-2.0
// Tests the state of the device after a process is killed during a run. The stages keep running, because they are
// started by register accesses and XRT waits only for commands. Meanwhile, Linux gives the memory to the next process.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <thread>

#include "test/boards/emulation/driver.h"
#include "test/boards/emulation/evta_board.h"
#include "test/boards/emulation/probe_run.h"
#include "test/boards/logic/board_process.h"
#include "test/boards/logic/outliving_logic.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/process/thread_states.h"
#include "test/support/skip.h"
#include "test/support/test_level.h"

namespace nestrt::boards {
namespace {

constexpr int kRight = 0, kWrong = 2, kRefused = 3;
constexpr std::byte kOfNextOwner{0x3c};

const evta::XrtOptions& stages_options() {
  static const evta::XrtOptions kOptions = [] {
    Board::instance().set_configuration(evta::test::stock_configuration());
    return options_for(stages_xclbin());
  }();
  return kOptions;
}

// qemu-user aborts a child that starts threads if its parent had several at fork().
bool child_can_start_threads() {
  std::promise<void> forked;
  std::thread other([done = forked.get_future()] { done.wait(); });
  const pid_t child = nestrt::test::fork_when_others_sleep();
  if (child == 0) {
    std::thread([] {}).join();
    _exit(0);
  }
  forked.set_value();
  other.join();
  int status = 1;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Prepares for child processes. ctest runs each case in its own process.
bool can_fork() {
  static_cast<void>(stages_options());
  if (!child_can_start_threads()) {
    nestrt::test::skip("child processes cannot start threads on this machine");
    return false;
  }
  if (Board::instance().has_been_opened())
    nestrt::test::skip("this process has used XRT, which does not survive fork()");
  return !Board::instance().has_been_opened();
}

// Runs the probe program in a child process, in memory that starts after `skipped_bytes`. `runs` of 0 means forever.
// Calls notify() after the first start.
int compute(OutlivingLogic& logic, int runs, uint64_t skipped_bytes, const std::function<void()>& notify) {
  Board::instance().use(logic);
  auto transport = evta::make_xrt_transport(stages_options());
  if (!transport) {
    const bool has_remedy = transport.error().message().find("load the bitstream again") != std::string_view::npos;
    return transport.error().code() == Code::kUnavailable && has_remedy ? kRefused : kWrong;
  }
  const auto skipped = (*transport)->allocate(skipped_bytes, 0);
  if (!skipped) return kWrong;
  ProbeRun probe(std::move(*transport));
  for (int i = 0; runs == 0 || i < runs; ++i) {
    const bool has_run = probe.transfer_inputs().ok() && probe.start().ok();
    if (i == 0) notify();
    if (!has_run || !probe.wait().ok() || !probe.take_results().ok() || !probe.is_right()) return kWrong;
  }
  return kRight;
}

// Starts a process whose buffers overlap different buffers of the next one, and kills it `delay` after the start of its
// first run.
void kill_during_run(OutlivingLogic& logic, std::chrono::microseconds delay) {
  BoardProcess killed(logic, [&](const auto& notify) { return compute(logic, 0, 3 * kPageBytes, notify); });
  killed.await_notification();
  std::this_thread::sleep_for(delay);
  killed.kill();
}

int result_of_restart(OutlivingLogic& logic) {
  BoardProcess restarted(logic, [&](const auto& notify) { return compute(logic, 2, kPageBytes, notify); });
  return restarted.wait();
}

bool contains_only(std::span<const std::byte> bytes, std::byte value) {
  return std::ranges::all_of(bytes, [&](std::byte byte) { return byte == value; });
}

TEST_CASE("After a process is killed, the next one waits for the stages, and its recycled memory stays correct") {
  if (!can_fork()) return;
  OutlivingLogic logic(driver_banks());
  logic.stages().set_late_by(std::chrono::milliseconds(100));                          // longer than a restart
  const std::span<std::byte> others = logic.memory().last(logic.memory().size() / 2);  // beyond all buffers
  const int rounds = nestrt::test::by_level(3, 10, 1000);
  for (int i = 0; i < rounds; ++i) {
    CAPTURE(i);
    std::ranges::fill(others, kOfNextOwner);
    logic.faults().next_run(RunFault::kLate);
    kill_during_run(logic, std::chrono::milliseconds(i % 4 == 3 ? i % 32 * 4 : 0));
    logic.faults().forget();
    REQUIRE(result_of_restart(logic) == kRight);
    REQUIRE(contains_only(others, kOfNextOwner));
  }
}

TEST_CASE("The stages of a killed process write to memory that XRT has released") {
  if (!can_fork()) return;
  OutlivingLogic logic(driver_banks());
  logic.faults().next_run(RunFault::kLate);
  logic.stages().set_late_by(std::chrono::seconds(1));
  kill_during_run(logic, std::chrono::milliseconds(100));  // after the fetch of the instructions
  std::ranges::fill(logic.memory(), kOfNextOwner);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (contains_only(logic.memory(), kOfNextOwner) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK_FALSE(contains_only(logic.memory(), kOfNextOwner));
  CHECK(result_of_restart(logic) == kRight);
}

TEST_CASE("After a process is killed during a run that hangs, XRT's next user is refused until the stages are reset") {
  if (!can_fork()) return;
  OutlivingLogic logic(driver_banks());
  logic.faults().next_run(RunFault::kHang);
  kill_during_run(logic, std::chrono::microseconds(0));
  CHECK(result_of_restart(logic) == kRefused);
  logic.stages().reset();
  CHECK(result_of_restart(logic) == kRight);
}

}  // namespace
}  // namespace nestrt::boards
