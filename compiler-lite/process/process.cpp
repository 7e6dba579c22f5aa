#include "compiler-lite/process/process.h"

#include <fmt/core.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace nestrt::compiler {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// posix_spawn's list of what to do with the child's files.
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

// posix_spawn's attributes: where a program can be killed with what it has started, it leads a group.
class Attributes {
 public:
  explicit Attributes(bool leads_group) {
    posix_spawnattr_init(&attributes_);
    if (leads_group) posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  Attributes(const Attributes&) = delete;
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// 0: it runs on, which `flags` allow.
Result<pid_t> wait_once(pid_t child, int flags, int* state) {
  while (true) {
    const pid_t ended = waitpid(child, state, flags);
    if (ended >= 0) return ended;
    if (errno != EINTR) return Status(Code::kIo, fmt::format("waiting for a program: {}", std::strerror(errno)));
  }
}

std::mutex folders_mutex;
std::set<std::string> folders;  // temporary ones that there are

void remove_folders() {
  const std::lock_guard lock(folders_mutex);
  std::error_code ignored;
  for (const std::string& path : folders) std::filesystem::remove_all(path, ignored);
}

// Signals that end a process do not reach a program that leads a group of its own, so that they are held back while it
// runs: it has to be ended first, and temporary folders removed.
class EndingSignals {
 public:
  EndingSignals() {
    const std::lock_guard lock(mutex);
    if (waiting++ > 0) return;
    seen = 0;
    struct sigaction action = {};
    action.sa_handler = [](int signal) { seen = signal; };
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      sigaction(kSignals[i], nullptr, &before[i]);
      if (before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
  }
  EndingSignals(const EndingSignals&) = delete;
  // The last of them lets the signal that came do what it does without them.
  ~EndingSignals() {
    const std::lock_guard lock(mutex);
    if (--waiting > 0) return;
    const int signal = seen;
    const bool ends = signal != 0 && before_of(signal).sa_handler == SIG_DFL;
    if (ends) remove_folders();
    for (size_t i = 0; i < std::size(kSignals); ++i)
      if (before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &before[i], nullptr);
    if (signal != 0) raise(signal);
  }
  static bool came() { return seen != 0; }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  static struct sigaction& before_of(int signal) {
    return before[static_cast<size_t>(std::ranges::find(kSignals, signal) - std::begin(kSignals))];
  }

  static inline std::mutex mutex;
  static inline int waiting = 0;
  static inline std::atomic<int> seen = 0;
  static inline struct sigaction before[std::size(kSignals)] = {};
};

// How often it is looked whether a program that has a time limit is over.
constexpr std::chrono::milliseconds kPollInterval{5};

Result<int> wait_for(pid_t child, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const bool is_limited = limit.count() > 0;
  int state = 0;
  while (true) {
    NESTRT_ASSIGN_OR_RETURN(const pid_t ended, wait_once(child, is_limited ? WNOHANG : 0, &state));
    if (ended != 0) return WIFEXITED(state) ? WEXITSTATUS(state) : kSignalled + WTERMSIG(state);
    if (EndingSignals::came() || Clock::now() - begin >= limit) break;
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
  const bool is_limited = options.time_limit.count() > 0;
  const Attributes attributes(is_limited);
  std::optional<EndingSignals> signals;
  if (is_limited) signals.emplace();
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

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code failure;
  std::string path = std::filesystem::temp_directory_path(failure) / "nestc-XXXXXX";
  if (failure || mkdtemp(path.data()) == nullptr) {
    return Status(Code::kIo,
                  fmt::format("cannot make a temporary folder {}: {}; set TMPDIR to a folder that can be written", path,
                              std::strerror(errno)));
  }
  const std::lock_guard lock(folders_mutex);
  folders.insert(path);
  return TemporaryFolder(path);
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  const std::lock_guard lock(folders_mutex);
  folders.erase(path_);
}

}  // namespace nestrt::compiler
