#include "compiler-lite/check/process.h"

#include <fmt/core.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

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
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

Result<int> wait_for(pid_t child) {
  int state = 0;
  while (waitpid(child, &state, 0) < 0) {
    if (errno != EINTR) return Status(Code::kIo, fmt::format("waiting for a program: {}", std::strerror(errno)));
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : kSignalled + WTERMSIG(state);
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& command, const std::string& folder) {
  const std::string output = folder + "/stdout.txt", error = folder + "/stderr.txt";
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  FileActions actions;
  actions.redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  actions.redirect(STDOUT_FILENO, output, kWrite);
  actions.redirect(STDERR_FILENO, error, kWrite);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int code = posix_spawnp(&child, arguments[0], actions.get(), nullptr, arguments.data(), environ);
      code != 0) {
    return Status(Code::kNotFound, fmt::format("cannot start {}: {}", command[0], std::strerror(code)));
  }
  NESTRT_ASSIGN_OR_RETURN(const int exit_code, wait_for(child));
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
  return TemporaryFolder(path);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace nestrt::compiler
