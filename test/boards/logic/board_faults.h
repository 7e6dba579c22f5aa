// SPDX-License-Identifier: Apache-2.0
// Fault injection for an emulated board.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "nestrt/driver/mutex.h"

namespace nestrt::boards {

// Requests to the kernel driver.
enum class Call : uint8_t { kOpen, kLoadXclbin, kCreateBuffer, kMapBuffer, kSync, kExecute, kOpenContext };

enum class RunFault : uint8_t {
  kNone,
  kHang,   // does not end until it is aborted
  kError,  // ends with a hardware error, with results partly written
  kLate,   // ends some milliseconds late
};

// Threads: all members are safe from any thread.
class BoardFaults {
 public:
  // Makes the next `count` calls of this kind fail with errno `error`.
  void fail(Call call, int error, int count = 1) {
    const MutexLock lock(mutex_);
    calls_[call] = {error, count};
  }
  // Sets the fault of one run. Several calls set the faults of consecutive runs.
  void next_run(RunFault fault) {
    const MutexLock lock(mutex_);
    runs_.push_back(fault);
  }
  // Sets whether an aborted compute unit works again. If not, the scheduler then rejects everything with EDEADLK.
  void set_resettable(bool resettable) {
    const MutexLock lock(mutex_);
    resettable_ = resettable;
  }
  // Allocates buffers in the bank after the requested one.
  void set_wrong_bank(bool wrong) {
    const MutexLock lock(mutex_);
    wrong_bank_ = wrong;
  }
  // Delays the answers to aborts until Board::answer_aborts().
  void set_deaf(bool deaf) {
    const MutexLock lock(mutex_);
    deaf_ = deaf;
  }
  // Discards the faults of runs that have not started.
  void forget() {
    const MutexLock lock(mutex_);
    calls_.clear();
    runs_.clear();
    resettable_ = true;
    wrong_bank_ = deaf_ = false;
  }
  bool all_begun() {
    const MutexLock lock(mutex_);
    return runs_.empty();
  }

  // --- For the board.
  int take_error(Call call) {  // 0 if the call succeeds
    const MutexLock lock(mutex_);
    const auto found = calls_.find(call);
    if (found == calls_.end() || found->second.second == 0) return 0;
    --found->second.second;
    return found->second.first;
  }
  RunFault take_run() {
    const MutexLock lock(mutex_);
    if (runs_.empty()) return RunFault::kNone;
    const RunFault fault = runs_.front();
    runs_.pop_front();
    return fault;
  }
  bool is_resettable() {
    const MutexLock lock(mutex_);
    return resettable_;
  }
  bool is_wrong_bank() {
    const MutexLock lock(mutex_);
    return wrong_bank_;
  }
  bool is_deaf() {
    const MutexLock lock(mutex_);
    return deaf_;
  }

 private:
  Mutex mutex_;
  std::map<Call, std::pair<int, int>> calls_ NESTRT_GUARDED_BY(mutex_);  // errno and number of calls
  std::deque<RunFault> runs_ NESTRT_GUARDED_BY(mutex_);
  bool resettable_ NESTRT_GUARDED_BY(mutex_) = true;
  bool wrong_bank_ NESTRT_GUARDED_BY(mutex_) = false;
  bool deaf_ NESTRT_GUARDED_BY(mutex_) = false;
};

}  // namespace nestrt::boards
