// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/isolation/child.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "drivers/vendor/isolation/socket.h"

namespace nestrt::vendor {
namespace {

using std::chrono::milliseconds;

// Interval for checking that the process exists: after a fork, other processes may hold its sockets open.
constexpr milliseconds kSlice{100};
// The first descriptor after those of the lanes in the new process.
constexpr int kFirstFreeDescriptor = kFirstLaneDescriptor + static_cast<int>(kNumLanes);

template <typename Message>
std::span<std::byte> bytes_of(Message& message) {
  return std::as_writable_bytes(std::span(&message, 1));
}

// The actions and attributes that posix_spawn applies in the new process before the program starts.
class Spawn {
 public:
  Spawn() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    // Creates a separate process group, so that the process and its children can be killed together.
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  void give(int descriptor, int as) { posix_spawn_file_actions_adddup2(&actions_, descriptor, as); }
  // Returns 0 or the error number.
  int run(const std::vector<std::string>& command, pid_t* process) const {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    return posix_spawn(process, arguments[0], &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

Status cannot_start(const std::string& program, int error) {
  return Status(Code::kUnavailable, fmt::format("cannot start '{}': {}", program, std::strerror(error)));
}

// Returns nullopt if other code has already waited for the process.
std::optional<int> wait_for(pid_t process) {
  while (true) {
    int state = 0;
    if (::waitpid(process, &state, 0) == process) return state;
    if (errno != EINTR) return std::nullopt;
  }
}

}  // namespace

Result<std::shared_ptr<Child>> Child::start(const std::vector<std::string>& command) {
  std::shared_ptr<Child> child(new Child);
  std::array<FileDescriptor, kNumLanes> others;
  Spawn spawn;
  for (size_t lane = 0; lane < kNumLanes; ++lane) {
    NESTRT_ASSIGN_OR_RETURN(auto ends, make_lane());
    child->lanes_[lane] = std::move(ends.first);
    others[lane] = FileDescriptor(::fcntl(ends.second.value(), F_DUPFD_CLOEXEC, kFirstFreeDescriptor));
    if (!others[lane].is_open()) return cannot_start(command[0], errno);
    spawn.give(others[lane].value(), kFirstLaneDescriptor + static_cast<int>(lane));
  }
  pid_t process = 0;
  if (const int error = spawn.run(command, &process); error != 0) return cannot_start(command[0], error);
  child->process_ = process;
  return child;
}

Child::~Child() {
  if (process_ != 0) end();
}

Status Child::send(Lane lane, Request* request, int descriptor) {
  const auto index = static_cast<size_t>(lane);
  request->number = ++last_numbers_[index];
  const bool is_sent = !origin_.in_child() && send_to(lanes_[index].value(), bytes_of(*request), descriptor);
  return is_sent ? Status() : ended();
}

Result<std::optional<Reply>> Child::receive(Lane lane, Deadline until) {
  const auto index = static_cast<size_t>(lane);
  Reply reply;
  while (true) {
    const SteadyClock::time_point now = SteadyClock::now();
    const auto left = std::chrono::ceil<milliseconds>(std::max(until, now) - now);
    switch (receive_from(lanes_[index].value(), std::min(left, kSlice), bytes_of(reply))) {
      case Received::kMessage:
        if (reply.number == last_numbers_[index]) return std::optional(reply);
        end();
        return Status(Code::kDeviceFault, "its process sent a reply without a request");
      case Received::kOther:
        end();
        return Status(Code::kDeviceFault, "its process sent an invalid reply");
      case Received::kEnd:
        return ended();
      case Received::kNothing:
        if (!is_running()) return ended();
        if (SteadyClock::now() >= until) return std::optional<Reply>();
    }
  }
}

// Asks the process to cancel the run. A lost message is harmless, because a waiting caller kills a process that accepts
// no messages.
void Child::cancel(uint64_t run) {
  Request request = {};
  request.call = Call::kCancel;
  request.number = run;
  send_to(lanes_[static_cast<size_t>(Lane::kCancel)].value(), bytes_of(request));
}

bool Child::is_running() const {
  const MutexLock lock(mutex_);
  if (has_ended()) return false;
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

// Kills the children of the process, and the process itself if it has not exited yet after closing its socket.
Status Child::ended() {
  end();
  return Status(Code::kDeviceFault, how_it_ended());
}

void Child::close(milliseconds limit) {
  Request request = {};
  request.call = Call::kClose;
  const Deadline until = SteadyClock::now() + limit;
  const bool is_closed = send(Lane::kLoad, &request).ok() && receive(Lane::kLoad, until).has_value();
  if (is_closed) static_cast<void>(receive(Lane::kLoad, until));  // its last reply
  end();
}

// Kills the process. A process that is already exiting keeps its exit status.
void Child::end() {
  const MutexLock lock(mutex_);
  if (has_ended_.load()) return;
  if (!origin_.in_child()) {
    ::kill(-process_, SIGKILL);
    state_ = wait_for(process_);
  }
  has_ended_.store(true);
}

std::string Child::how_it_ended() const {
  const MutexLock lock(mutex_);
  if (!state_) return "its process has ended";
  if (WIFEXITED(*state_)) return fmt::format("its process ended with exit code {}", WEXITSTATUS(*state_));
  const char* const name = ::sigdescr_np(WTERMSIG(*state_));
  return fmt::format("its process was terminated by signal {} ({})", WTERMSIG(*state_), name != nullptr ? name : "?");
}

}  // namespace nestrt::vendor
