// SPDX-License-Identifier: Apache-2.0
#include "test/boards/emulation/compute_unit.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace nestrt::boards {
namespace {

constexpr uint32_t kStateBits = 0xf;
constexpr std::chrono::milliseconds kLateBy{20};

bool is_meant(const Command& command, int file, const uint32_t* header) {
  return command.file == file && (header == nullptr || command.header == header);
}

}  // namespace

void set_state(uint32_t* header, CommandState state) {
  const std::atomic_ref<uint32_t> word(*header);
  word.store((word.load() & ~kStateBits) | static_cast<uint32_t>(state));
}

CommandState state_of(const uint32_t* header) {
  return static_cast<CommandState>(std::atomic_ref<uint32_t>(*const_cast<uint32_t*>(header)).load() & kStateBits);
}

ComputeUnit::ComputeUnit(std::string name, uint64_t address, Accelerator accelerator, BoardFaults& faults,
                         std::function<void(const Command&)> completed)
    : name_(std::move(name)),
      address_(address),
      accelerator_(std::move(accelerator)),
      faults_(faults),
      completed_(std::move(completed)),
      thread_([this] { work(); }) {}

ComputeUnit::~ComputeUnit() {
  {
    const std::lock_guard lock(mutex_);
    shut_down_ = abort_ = true;
    waiting_.clear();
    changed_.notify_all();
  }
  thread_.join();
}

int ComputeUnit::runs_started() {
  const std::lock_guard lock(mutex_);
  return runs_started_;
}

void ComputeUnit::submit(const Command& command) {
  const std::lock_guard lock(mutex_);
  set_state(command.header, CommandState::kQueued);
  waiting_.push_back(command);
  changed_.notify_all();
}

bool ComputeUnit::abort(int file, const uint32_t* header) {
  std::deque<Command> ended;
  std::unique_lock lock(mutex_);
  for (const Command& command : waiting_)
    if (is_meant(command, file, header)) ended.push_back(command);
  std::erase_if(waiting_, [&](const Command& command) { return is_meant(command, file, header); });
  bool forced = false;
  if (is_running_ && is_meant(running_, file, header)) {
    abort_ = true;
    forced = hangs_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !is_running_ || !is_meant(running_, file, header); });
  }
  lock.unlock();
  for (const Command& command : ended) {
    set_state(command.header, CommandState::kAbort);
    completed_(command);
  }
  return forced;
}

void ComputeUnit::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return shut_down_ || !waiting_.empty(); });
    if (shut_down_) return;
    const Command command = running_ = waiting_.front();
    waiting_.pop_front();
    is_running_ = true;
    ++runs_started_;
    const CommandState state = run(command, lock);
    lock.unlock();
    set_state(command.header, state);
    completed_(command);
    lock.lock();
    is_running_ = false;
    changed_.notify_all();
  }
}

CommandState ComputeUnit::hang(std::unique_lock<std::mutex>& lock) {
  hangs_ = true;
  changed_.wait(lock, [&] { return abort_; });
  hangs_ = false;
  return CommandState::kAbort;
}

CommandState ComputeUnit::run(const Command& command, std::unique_lock<std::mutex>& lock) {
  set_state(command.header, CommandState::kRunning);
  abort_ = shut_down_;
  const RunFault fault = faults_.take_run();
  if (fault == RunFault::kHang) return hang(lock);
  lock.unlock();
  const Status status = accelerator_.run(command.count, command.address);
  if (fault == RunFault::kLate) std::this_thread::sleep_for(kLateBy);
  lock.lock();
  if (status.code() == Code::kDeadlineExceeded) return hang(lock);
  return status.ok() && fault != RunFault::kError ? CommandState::kCompleted : CommandState::kError;
}

}  // namespace nestrt::boards
