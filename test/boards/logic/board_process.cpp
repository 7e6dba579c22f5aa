// SPDX-License-Identifier: Apache-2.0
#include "test/boards/logic/board_process.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <utility>

#include "test/support/process/thread_states.h"

namespace nestrt::boards {

uint32_t BoardLogic::access(const BoardRequest& request) {
  if (parent_ < 0) return answer(request);
  const std::lock_guard lock(forwarding_);
  uint32_t value = 0;
  if (::send(parent_, &request, sizeof(request), MSG_NOSIGNAL) != sizeof(request) ||
      ::recv(parent_, &value, sizeof(value), 0) != sizeof(value))
    _exit(1);  // the parent has ended
  return value;
}

BoardProcess::BoardProcess(BoardLogic& logic, const std::function<int(const std::function<void()>& notify)>& work)
    : logic_(logic) {
  int accesses[2], notifications[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, accesses) == 0);
  REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, notifications) == 0);
  pid_ = nestrt::test::fork_when_others_sleep();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    ::close(accesses[0]);
    ::close(notifications[0]);
    logic.become_client(accesses[1]);
    _exit(work([&] { static_cast<void>(::send(notifications[1], "x", 1, MSG_NOSIGNAL)); }));
  }
  ::close(accesses[1]);
  ::close(notifications[1]);
  accesses_ = accesses[0];
  notifications_ = notifications[0];
  server_ = std::thread([this] { serve(); });
}

BoardProcess::~BoardProcess() {
  kill();
  ::close(accesses_);
  ::close(notifications_);
}

void BoardProcess::await_notification() const {
  char byte = 0;
  REQUIRE(::recv(notifications_, &byte, 1, 0) == 1);
}

void BoardProcess::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
  wait();
}

int BoardProcess::wait() {
  const pid_t child = std::exchange(pid_, -1);
  if (child < 0) return exit_code_;
  int status = 0;
  if (waitpid(child, &status, 0) == child && WIFEXITED(status)) exit_code_ = WEXITSTATUS(status);
  server_.join();  // the child's end of the socket is closed
  return exit_code_;
}

void BoardProcess::serve() const {
  BoardRequest request;
  while (::recv(accesses_, &request, sizeof(request), 0) == sizeof(request)) {
    const uint32_t value = logic_.answer(request);
    static_cast<void>(::send(accesses_, &value, sizeof(value), MSG_NOSIGNAL));
  }
}

}  // namespace nestrt::boards
