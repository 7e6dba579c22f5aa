// SPDX-License-Identifier: Apache-2.0
// ScheduleInUse: the schedule that a session runs. It is replaced between two runs.
//
// Threads: update() from the running thread, one at a time; the other members from any thread.
#pragma once

#include <memory>
#include <utility>

#include "nestrt/driver/mutex.h"
#include "runtime/adaptation/adaptation.h"
#include "runtime/execution/prepared_schedule.h"

namespace nestrt {

class ScheduleInUse {
 public:
  void set(std::shared_ptr<PreparedSchedule> schedule) {
    const MutexLock lock(mutex_);
    current_ = std::move(schedule);
  }
  std::shared_ptr<const PreparedSchedule> get() const {
    const MutexLock lock(mutex_);
    return current_;
  }

  // Offers a schedule for the next run. Also frees the one that the previous offer replaced, so that no run needs to.
  void offer(std::shared_ptr<PreparedSchedule> schedule) {
    std::shared_ptr<PreparedSchedule> retired;  // freed without the lock
    const MutexLock lock(mutex_);
    retired = std::exchange(retired_, nullptr);
    offered_ = std::move(schedule);
  }
  // Switches to the schedule of `adaptation`, which may be null, or to the offered one. The result is valid until the
  // next call. Does not free memory.
  PreparedSchedule& update(Adaptation* adaptation) {
    const MutexLock lock(mutex_);
    if (adaptation != nullptr) adaptation->swap(current_);
    if (offered_ != nullptr) retired_ = std::exchange(current_, std::move(offered_));
    return *current_;
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<PreparedSchedule> current_ NESTRT_GUARDED_BY(mutex_);
  std::shared_ptr<PreparedSchedule> offered_ NESTRT_GUARDED_BY(mutex_);
  std::shared_ptr<PreparedSchedule> retired_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace nestrt
