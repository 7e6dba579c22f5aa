// SPDX-License-Identifier: Apache-2.0
// Tests that an accelerator reached through XRT belongs to one process at a time, on Zynq too, where XRT does not see
// to it. Other processes run a hidden test of this program, with the same root for locks.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "test/boards/emulation/evta_board.h"
#include "test/boards/emulation/probe_run.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/test_level.h"

namespace nestrt::boards {
namespace {

constexpr char kRefused[] = "Inner: opening the accelerator is refused", kHolds[] = "Inner: holds the accelerator";

const std::filesystem::path& root() {
  static const std::filesystem::path kRoot = Board::instance().root();
  return kRoot;
}

evta::XrtOptions options() {
  Board& board = Board::instance();
  board.faults().forget();
  board.set_configuration(evta::test::stock_configuration());
  return options_for(stages_xclbin());
}

// A process that runs a hidden test, until wait() or kill().
class OtherProcess {
 public:
  OtherProcess(const char* test, int rounds) {
    setenv("NESTRT_OWNER_ROOT", root().c_str(), 1);
    setenv("NESTRT_OWNER_ROUNDS", std::to_string(rounds).c_str(), 1);
    setenv("NESTRT_OWNER_PID", std::to_string(getpid()).c_str(), 1);
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    process_ = fork();
    if (process_ != 0) return;
    execl(self.c_str(), self.c_str(), test, "-o", "/dev/null", static_cast<char*>(nullptr));
    _exit(127);
  }
  ~OtherProcess() { kill(); }
  OtherProcess(const OtherProcess&) = delete;

  pid_t id() const { return process_; }
  // Returns whether its test passed.
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
  pid_t process_ = 0;
};

// In the other process: shares the first process's root.
int rounds_from_environment() {
  setenv("NESTRT_SYSTEM_ROOT", std::getenv("NESTRT_OWNER_ROOT"), 1);
  return std::atoi(std::getenv("NESTRT_OWNER_ROUNDS"));
}

TEST_CASE(kRefused, "[.]") {
  const std::string holder = std::string("process ") + std::getenv("NESTRT_OWNER_PID") + " (";
  const int rounds = rounds_from_environment();
  const evta::XrtOptions own = options();
  for (int i = 0; i < rounds; ++i) {
    const auto transport = evta::make_xrt_transport(own);
    REQUIRE_FALSE(transport);
    CHECK(transport.error().code() == Code::kUnavailable);
    CHECK(transport.error().message().find(holder) != std::string_view::npos);
  }
}

TEST_CASE(kHolds, "[.]") {
  static_cast<void>(rounds_from_environment());
  const std::filesystem::path ready = std::filesystem::path(std::getenv("NESTRT_OWNER_ROOT")) / "ready";
  const auto transport = evta::make_xrt_transport(options());
  REQUIRE(transport);
  std::filesystem::create_directory(ready);
  while (true) pause();
}

TEST_CASE("A process that opens an accelerator in use is refused with the holder's id and disturbs no run") {
  auto transport = evta::make_xrt_transport(options());
  if (!transport) FAIL(transport.error().to_string());
  ProbeRun probe(std::move(*transport));
  const int rounds = nestrt::test::by_level(3, 10, 1000);
  OtherProcess other(kRefused, rounds);
  for (int i = 0; i < rounds; ++i) {
    CHECK(probe.run().ok());
    CHECK(probe.is_right());
  }
  CHECK(other.wait());
}

TEST_CASE("An accelerator is refused while another process holds it, and free once that is killed") {
  const int rounds = nestrt::test::by_level(1, 3, 1000);
  const std::filesystem::path ready = root() / "ready";
  for (int i = 0; i < rounds; ++i) {
    std::filesystem::remove(ready);
    OtherProcess holder(kHolds, 1);
    while (!std::filesystem::exists(ready)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto refused = evta::make_xrt_transport(options());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message().find("process " + std::to_string(holder.id()) + " (") != std::string_view::npos);
    holder.kill();
    auto transport = evta::make_xrt_transport(options());
    if (!transport) FAIL(transport.error().to_string());
    ProbeRun probe(std::move(*transport));
    CHECK(probe.run().ok());
    CHECK(probe.is_right());
  }
}

}  // namespace
}  // namespace nestrt::boards
