// SPDX-License-Identifier: Apache-2.0
// A compute unit of an emulated board. Like the kernel driver, it runs commands one after the other, on a thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "test/boards/logic/accelerator.h"
#include "test/boards/logic/board_faults.h"

namespace nestrt::boards {

// The state of a command packet, stored in its header.
enum class CommandState : uint32_t { kNew = 1, kQueued = 2, kRunning = 3, kCompleted = 4, kError = 5, kAbort = 6 };

void set_state(uint32_t* header, CommandState state);
CommandState state_of(const uint32_t* header);

struct Command {
  int file = -1;        // the client's file descriptor
  uint32_t handle = 0;  // handle of the buffer with the packet
  uint32_t* header = nullptr;
  uint32_t count = 0;
  uint64_t address = 0;
};

class ComputeUnit {
 public:
  // Calls `completed` without locks after each command.
  ComputeUnit(std::string name, uint64_t address, Accelerator accelerator, BoardFaults& faults,
              std::function<void(const Command&)> completed);
  ~ComputeUnit();
  ComputeUnit(const ComputeUnit&) = delete;

  const std::string& name() const { return name_; }
  uint64_t address() const { return address_; }
  int runs_started();

  void submit(const Command& command);
  // Ends one or all commands of a client. Waits for a running command. Returns whether a command had to be stopped by
  // force.
  bool abort(int file, const uint32_t* header);

 private:
  void work();
  CommandState hang(std::unique_lock<std::mutex>& lock);
  CommandState run(const Command& command, std::unique_lock<std::mutex>& lock);

  const std::string name_;
  const uint64_t address_;
  Accelerator accelerator_;
  BoardFaults& faults_;
  const std::function<void(const Command&)> completed_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Command> waiting_;
  bool is_running_ = false;
  Command running_;
  bool hangs_ = false;
  bool abort_ = false;
  bool shut_down_ = false;
  int runs_started_ = 0;
  std::thread thread_;
};

}  // namespace nestrt::boards
