// SPDX-License-Identifier: Apache-2.0
// BoardProcess: a child process that uses the emulated board of this process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <thread>

#include "test/uio/emulation/uio_board.h"

namespace nestrt::boards {

class BoardProcess {
 public:
  // Runs `work` in a child of fork(); its result is the exit code. `work` sends bytes to this process through `notify`.
  BoardProcess(UioBoard& board, const std::function<int(const std::function<void()>& notify)>& work);
  // Kills the child if it is still running.
  ~BoardProcess();
  BoardProcess(const BoardProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Waits until the child has called notify().
  void await_notification() const;
  // Sends SIGKILL and waits for the end.
  void kill();
  // Waits for the end. Returns the exit code, or -1 after a signal.
  int wait();

 private:
  void serve() const;

  UioBoard& board_;
  int accesses_ = -1, notifications_ = -1;  // sockets
  pid_t pid_ = -1;
  int exit_code_ = -1;
  std::thread server_;
};

}  // namespace nestrt::boards
