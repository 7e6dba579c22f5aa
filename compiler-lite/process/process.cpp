// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/process/process.h"

#include <fmt/core.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "compiler-lite/process/ending_signals.h"

namespace nestrt::compiler {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// RAII wrapper of posix_spawn_file_actions_t.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  void redirect(int descriptor, const std::string& path, int flags) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, path.c_str(), flags, 0600);
  }
  void change_folder(const std::string& path) { posix_spawn_file_actions_addchdir_np(&actions_, path.c_str()); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// RAII wrapper of posix_spawnattr_t. The program leads a new process group, so that the program can be killed together
// with its children.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  Attributes(const Attributes&) = delete;
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// Returns 0 if the child is still running (only if `flags` contains WNOHANG).
Result<pid_t> wait_once(pid_t child, int flags, int* state) {
  while (true) {
    const pid_t ended = waitpid(child, state, flags);
    if (ended >= 0) return ended;
    if (errno != EINTR) return Status(Code::kIo, fmt::format("waiting for a program: {}", std::strerror(errno)));
  }
}

// Polling interval for the end of the program and for signals.
constexpr std::chrono::milliseconds kPollInterval{5};

Result<int> wait_for(pid_t child, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const bool is_limited = limit.count() > 0;
  int state = 0;
  while (true) {
    NESTRT_ASSIGN_OR_RETURN(const pid_t ended, wait_once(child, WNOHANG, &state));
    if (ended != 0) return WIFEXITED(state) ? WEXITSTATUS(state) : kSignalled + WTERMSIG(state);
    if (EndingSignals::came() || (is_limited && Clock::now() - begin >= limit)) break;
    std::this_thread::sleep_for(kPollInterval);
  }
  kill(-child, SIGKILL);
  NESTRT_RETURN_IF_ERROR(wait_once(child, 0, &state).error());
  if (EndingSignals::came()) return Status(Code::kCancelled, "was interrupted");
  return Status(Code::kDeadlineExceeded, fmt::format("took more than {} seconds", limit.count() / 1000.0));
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& command, const std::string& folder,
                                  const ProcessOptions& options) {
  const std::string output = folder + "/stdout.txt", error = folder + "/stderr.txt";
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  FileActions actions;
  actions.redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  actions.redirect(STDOUT_FILENO, output, kWrite);
  actions.redirect(STDERR_FILENO, error, kWrite);
  if (!options.working_folder.empty()) actions.change_folder(options.working_folder);
  const Attributes attributes;
  const EndingSignals signals;  // a terminal's signals do not reach a separate process group
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int code = posix_spawnp(&child, arguments[0], actions.get(), attributes.get(), arguments.data(), environ);
      code != 0) {
    return Status(Code::kNotFound, fmt::format("cannot start {}: {}", command[0], std::strerror(code)));
  }
  NESTRT_ASSIGN_OR_RETURN(const int exit_code, wait_for(child, options.time_limit));
  return ProcessResult{exit_code, content(output), content(error)};
}

}  // namespace nestrt::compiler
