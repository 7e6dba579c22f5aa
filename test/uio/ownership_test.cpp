// SPDX-License-Identifier: Apache-2.0
// Tests that a board belongs to one process: others are refused with the holder's process id, and a run that a killed
// process left behind is detected.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "drivers/evta/driver/evta_unit.h"
#include "test/boards/emulation/probe_run.h"
#include "test/boards/logic/board_process.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/test_level.h"
#include "test/uio/emulation/uio_unit.h"

namespace nestrt::boards {
namespace {

constexpr int kRight = 0, kWrong = 2;

// Asks a child process to end.
class EndRequest {
 public:
  EndRequest() { REQUIRE(pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) == 0); }
  ~EndRequest() {
    for (const int end : ends_) close(end);
  }
  EndRequest(const EndRequest&) = delete;

  void send() const { REQUIRE(write(ends_[1], "x", 1) == 1); }
  // Returns true once.
  bool take() const {
    char received = 0;
    return read(ends_[0], &received, 1) == 1;
  }

 private:
  std::array<int, 2> ends_{};
};

// Runs the probe program while is_needed(number of runs so far); results and errors become the exit code of a child
// process.
int compute_while(const std::function<bool(int)>& is_needed, const std::function<void()>& notify) {
  auto transport = evta::make_uio_transport(uio_options());
  if (!transport) return kWrong;
  auto probe = evta::ProbeRun::create(**transport, evta::test::stock_configuration());
  if (!probe) return kWrong;
  for (int i = 0; is_needed(i); ++i) {
    probe->write_inputs();
    probe->clear_results();
    const bool has_run = probe->transfer_inputs().ok() && probe->start().ok();
    if (i == 0) notify();
    if (!has_run || !probe->wait(std::chrono::seconds(10)).ok() || !probe->take_results().ok() || !probe->is_right())
      return kWrong;
  }
  return kRight;
}

int compute(int runs, const std::function<void()>& notify) {
  return compute_while([runs](int i) { return i < runs; }, notify);
}

Status open_status(std::chrono::milliseconds wait = {}) {
  evta::UioOptions options = uio_options();
  options.wait = wait;
  const auto transport = evta::make_uio_transport(options);
  return transport ? Status() : transport.error();
}

TEST_CASE("A process that probes does not disturb one that computes, and is refused with the holder's id") {
  UioBoard board;
  const int rounds = test::by_level(20, 50, 1000);
  const EndRequest end;
  BoardProcess computing(board, [&](const auto& notify) {
    return compute_while([&](int runs) { return runs < rounds || !end.take(); }, notify);
  });
  computing.await_notification();
  for (int i = 0; i < rounds; ++i) {
    const Status status = open_status();
    CAPTURE(i, status.to_string());
    REQUIRE(status.code() == Code::kUnavailable);
    CHECK(status.message().find("in use by process " + std::to_string(computing.pid())) != std::string_view::npos);
  }
  end.send();
  CHECK(computing.wait() == kRight);
  CHECK(board.stages().runs_started() > rounds);  // and the coherence test
  CHECK(open_status().ok());
}

TEST_CASE("A process waits for the board for the requested time") {
  UioBoard board;
  BoardProcess computing(board, [](const auto& notify) { return compute(100, notify); });
  computing.await_notification();
  const Status status = open_status(std::chrono::seconds(30));
  CAPTURE(status.to_string());
  CHECK(status.ok());
  CHECK(computing.wait() == kRight);
}

TEST_CASE("After a process is killed during a run, the next one waits for the run's end and computes correctly") {
  UioBoard board;
  const int rounds = test::by_level(3, 10, 1000);
  for (int i = 0; i < rounds; ++i) {
    board.faults().next_run(RunFault::kNone);  // the coherence test
    board.faults().next_run(RunFault::kLate);
    BoardProcess killed(board, [](const auto& notify) { return compute(1, notify); });
    killed.await_notification();
    killed.kill();
    board.faults().forget();
    ProbeRun probe(open_uio_transport());
    const Status status = probe.run();
    CAPTURE(status.to_string());
    CHECK(status.ok());
    CHECK(probe.is_right());
  }
}

TEST_CASE("After a process is killed during a run that hangs, the board is refused with the remedy until it is reset") {
  UioBoard board;
  board.faults().next_run(RunFault::kNone);  // the coherence test
  board.faults().next_run(RunFault::kHang);
  BoardProcess killed(board, [](const auto& notify) { return compute(1, notify); });
  killed.await_notification();
  killed.kill();
  const Status status = open_status();
  CAPTURE(status.to_string());
  CHECK(status.code() == Code::kUnavailable);
  CHECK(status.message().find("still runs a program") != std::string_view::npos);
  CHECK(status.message().find("load the bitstream again") != std::string_view::npos);
  board.stages().reset();
  CHECK(open_status().ok());
}

TEST_CASE("Memory is not used while another accelerator still runs a dead process's program in it") {
  UioBoard board({.accelerators = 2});
  board.faults().next_run(RunFault::kNone);
  board.faults().next_run(RunFault::kLate);
  BoardProcess killed(board, [](const auto& notify) { return compute(1, notify); });
  killed.await_notification();
  killed.kill();
  const int before = board.stages(0).runs_started();
  ProbeRun probe(open_uio_transport(uio_options(1)));
  CHECK(probe.run().ok());
  CHECK(probe.is_right());
  CHECK(board.stages(0).runs_started() == before);
}

TEST_CASE("A second unit of the same process on the same accelerator is refused") {
  const UioBoard board;
  const auto first = open_uio_unit();
  CHECK(open_status().message().find("in use by this process (" + std::to_string(getpid()) + ")") !=
        std::string_view::npos);
  CHECK(first->probe().ok());
}

}  // namespace
}  // namespace nestrt::boards
