// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/process/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "compiler-lite/process/ending_signals.h"
#include "compiler-lite/process/temporary_folder.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::compiler {

TEST_CASE("A process's exit code, output and error are returned") {
  const auto folder = TemporaryFolder::create();
  REQUIRE(folder);
  const auto result = run_process({"sh", "-c", "echo \"$1\"; echo down >&2; exit 7", "sh", "a  b"}, folder->path());
  REQUIRE(result);
  REQUIRE(result->exit_code == 7);
  REQUIRE(result->output == "a  b\n");
  REQUIRE(result->error == "down\n");
}

TEST_CASE("A process that was killed has the exit code of its signal") {
  const auto folder = TemporaryFolder::create();
  REQUIRE(run_process({"sh", "-c", "kill -9 $$"}, folder->path())->exit_code == 128 + 9);
}

TEST_CASE("The error for a program that does not exist names it") {
  const auto folder = TemporaryFolder::create();
  const auto result = run_process({"no-such-program-of-nestrt"}, folder->path());
  REQUIRE_FALSE(result);
  REQUIRE(result.error().code() == Code::kNotFound);
  REQUIRE(result.error().message().find("no-such-program-of-nestrt") != std::string_view::npos);
}

TEST_CASE("A process runs in the given folder") {
  const auto folder = TemporaryFolder::create();
  const auto other = TemporaryFolder::create();
  const auto result = run_process({"sh", "-c", "touch here"}, folder->path(), {other->path(), {}});
  REQUIRE(result);
  REQUIRE(result->exit_code == 0);
  REQUIRE(std::filesystem::exists(other->path() + "/here"));
}

TEST_CASE("A process that exceeds its time limit is killed with its children") {
  const auto folder = TemporaryFolder::create();
  const auto result =
      run_process({"sh", "-c", "sleep 1000 & echo $!; wait"}, folder->path(), {{}, std::chrono::milliseconds(300)});
  REQUIRE_FALSE(result);
  REQUIRE(result.error().code() == Code::kDeadlineExceeded);
}

// Returns a program that creates a file and then sleeps.
std::vector<std::string> slow_program(const std::string& folder) {
  return {"sh", "-c", "echo $$ > \"$1\".new; mv \"$1\".new \"$1\"; exec sleep 1000", "sh", folder + "/started"};
}

pid_t wait_for_start(const std::string& folder) {
  pid_t program = 0;
  while (!(std::ifstream(folder + "/started") >> program)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return program;
}

TEST_CASE("A signal that does not end this process ends a program with a time limit and is then reported") {
  static volatile sig_atomic_t heard;
  heard = 0;
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) { heard = heard + 1; };
  sigaction(SIGTERM, &action, &before);
  const auto folder = TemporaryFolder::create();
  std::thread other([&] {
    wait_for_start(folder->path());
    kill(getpid(), SIGTERM);
  });
  const auto result = run_process(slow_program(folder->path()), folder->path(), {{}, std::chrono::hours(1)});
  other.join();
  sigaction(SIGTERM, &before, nullptr);
  REQUIRE_FALSE(result);
  REQUIRE(result.error().code() == Code::kCancelled);
  REQUIRE(heard == 1);
  REQUIRE(kill(wait_for_start(folder->path()), 0) == -1);
  REQUIRE(std::filesystem::exists(folder->path()));
}

TEST_CASE("A signal that ends this process also ends a program and removes temporary folders") {
  const std::chrono::milliseconds limit = GENERATE(std::chrono::hours(0), std::chrono::hours(1));
  const test::TemporaryFolder folder;  // not registered as a temporary folder in the child
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGTERM, SIG_DFL);
    const auto own = TemporaryFolder::create();
    std::filesystem::create_symlink(own->path(), folder.path() + "/own");
    _exit(run_process(slow_program(folder.path()), own->path(), {{}, limit}).has_value() ? 0 : 1);
  }
  REQUIRE(child > 0);
  const pid_t program = wait_for_start(folder.path());
  kill(child, SIGTERM);
  int state = 0;
  REQUIRE(waitpid(child, &state, 0) == child);
  REQUIRE(WIFSIGNALED(state));
  REQUIRE(WTERMSIG(state) == SIGTERM);
  REQUIRE(kill(program, 0) == -1);
  REQUIRE(std::filesystem::is_symlink(folder.path() + "/own"));
  REQUIRE_FALSE(std::filesystem::exists(folder.path() + "/own"));  // the target of the link
}

TEST_CASE("A signal between the creation of a temporary folder and its program takes effect after both") {
  const test::TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGTERM, SIG_DFL);
    {
      const EndingSignals held;
      const auto own = TemporaryFolder::create();
      std::filesystem::create_symlink(own->path(), folder.path() + "/own");
      raise(SIGTERM);
      const auto result = run_process({"sleep", "1000"}, own->path());
      if (!result && result.error().code() == Code::kCancelled) std::ofstream(folder.path() + "/cancelled") << "yes";
    }
    _exit(0);
  }
  REQUIRE(child > 0);
  int state = 0;
  REQUIRE(waitpid(child, &state, 0) == child);
  REQUIRE(WIFSIGNALED(state));
  REQUIRE(WTERMSIG(state) == SIGTERM);
  REQUIRE(std::filesystem::exists(folder.path() + "/cancelled"));
  REQUIRE(std::filesystem::is_symlink(folder.path() + "/own"));
  REQUIRE_FALSE(std::filesystem::exists(folder.path() + "/own"));
}

}  // namespace nestrt::compiler
