// SPDX-License-Identifier: Apache-2.0
// Tests that an accelerator reached through XRT belongs to one process at a time, including on Zynq, where XRT does not
// protect registers (zocl_ownership_test.cpp). Other processes are forked before this one uses XRT, which does not
// survive a fork.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <deque>
#include <functional>
#include <utility>

#include "test/boards/emulation/evta_board.h"
#include "test/boards/emulation/probe_run.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/test_level.h"

namespace nestrt::boards {
namespace {

const evta::XrtOptions& options() {
  static const evta::XrtOptions kOptions = [] {
    Board::instance().set_configuration(evta::test::stock_configuration());
    return options_for(stages_xclbin());
  }();
  return kOptions;
}

// A forked process. It waits for start(), and ends with the result of `run`. Requires: options() was called.
class OtherProcess {
 public:
  // `run` calls its argument when start() should return.
  using Run = std::function<bool(const std::function<void()>& notify)>;

  explicit OtherProcess(const Run& run) {
    REQUIRE(pipe(go_.data()) == 0);
    REQUIRE(pipe(ready_.data()) == 0);
    process_ = fork();
    // Each process keeps only its own ends of the pipes, so that it notices when the other process ends.
    for (int* const file : process_ != 0 ? std::array{&go_[0], &ready_[1]} : std::array{&go_[1], &ready_[0]})
      close(std::exchange(*file, -1));
    if (process_ != 0) return;
    await(go_);
    _exit(run([&] { signal(ready_); }) ? 0 : 1);
  }
  ~OtherProcess() {
    kill();
    for (const int file : {go_[1], ready_[0]}) close(file);
  }
  OtherProcess(const OtherProcess&) = delete;

  pid_t id() const { return process_; }
  void start() { signal(go_); }
  void start_and_await() {
    start();
    await(ready_);
  }
  // Returns whether `run` returned true.
  bool wait() {
    int state = 0;
    const bool ended = waitpid(process_, &state, 0) == process_;
    process_ = 0;
    return ended && WIFEXITED(state) && WEXITSTATUS(state) == 0;
  }
  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    static_cast<void>(wait());
  }

 private:
  using Pipe = std::array<int, 2>;
  static void signal(const Pipe& pipe) { static_cast<void>(write(pipe[1], "x", 1) == 1); }
  static void await(const Pipe& pipe) {
    char received = 0;
    static_cast<void>(read(pipe[0], &received, 1) == 1);
  }

  Pipe go_{}, ready_{};
  pid_t process_ = 0;
};

bool is_refused_by(pid_t holder) {
  const auto transport = evta::make_xrt_transport(options());
  return !transport && transport.error().code() == Code::kUnavailable &&
         transport.error().message().find("process " + std::to_string(holder) + " (") != std::string_view::npos;
}

void check_run() {
  auto transport = evta::make_xrt_transport(options());
  if (!transport) FAIL(transport.error().to_string());
  ProbeRun probe(std::move(*transport));
  CHECK(probe.run().ok());
  CHECK(probe.is_right());
}

TEST_CASE("A process that opens an accelerator in use is refused with the holder's id and disturbs no run") {
  const int rounds = nestrt::test::by_level(3, 10, 1000);
  const pid_t holder = getpid();
  static_cast<void>(options());
  OtherProcess other([&](const auto&) {
    for (int i = 0; i < rounds; ++i)
      if (!is_refused_by(holder)) return false;
    return true;
  });
  auto transport = evta::make_xrt_transport(options());
  if (!transport) FAIL(transport.error().to_string());
  ProbeRun probe(std::move(*transport));
  other.start();
  for (int i = 0; i < rounds; ++i) {
    CHECK(probe.run().ok());
    CHECK(probe.is_right());
  }
  CHECK(other.wait());
}

TEST_CASE("An accelerator is refused while another process holds it, and free once that process is killed") {
  static_cast<void>(options());
  std::deque<OtherProcess> holders;
  for (int i = nestrt::test::by_level(1, 3, 500); i > 0; --i)
    holders.emplace_back([](const auto& notify) {
      const auto transport = evta::make_xrt_transport(options());
      if (!transport) return false;
      notify();
      while (true) pause();
    });
  for (OtherProcess& holder : holders) {
    holder.start_and_await();
    CHECK(is_refused_by(holder.id()));
    holder.kill();
    check_run();
  }
}

}  // namespace
}  // namespace nestrt::boards
