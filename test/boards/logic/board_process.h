// SPDX-License-Identifier: Apache-2.0
// BoardProcess: a child process that uses the emulated logic of this process, which outlives it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "test/boards/logic/stages.h"

namespace nestrt::boards {

// An access that a child process forwards to the logic.
struct BoardRequest {
  enum class Kind : uint32_t { kRead, kWrite, kToDevice, kFromDevice } kind;
  uint32_t accelerator;
  Stage stage;
  uint32_t offset;  // of a register
  uint32_t value;
  uint64_t begin, size;  // of memory
};

// The logic of a board. Threads: all members are safe from any thread.
class BoardLogic {
 public:
  virtual ~BoardLogic() = default;
  // Performs an access in this process; returns the value that was read, or an errno.
  virtual uint32_t answer(const BoardRequest& request) = 0;
  // Performs an access in the process that owns the logic.
  uint32_t access(const BoardRequest& request);
  // Forwards all accesses of this process, a child, to the logic of its parent through the socket.
  void become_client(int socket) { parent_ = socket; }

 private:
  std::mutex forwarding_;
  int parent_ = -1;  // the socket of a child
};

class BoardProcess {
 public:
  // Runs `work` in a child of fork(); its result is the exit code. `work` sends bytes to this process through `notify`.
  BoardProcess(BoardLogic& logic, const std::function<int(const std::function<void()>& notify)>& work);
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

  BoardLogic& logic_;
  int accesses_ = -1, notifications_ = -1;  // sockets
  pid_t pid_ = -1;
  int exit_code_ = -1;
  std::thread server_;
};

}  // namespace nestrt::boards
