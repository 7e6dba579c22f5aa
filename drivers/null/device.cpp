// SPDX-License-Identifier: Apache-2.0
#include "drivers/null/device.h"

#include <cstring>

namespace nestrt::null {

Status Device::run(std::span<const Copy> program, std::span<std::byte* const> buffers, Deadline deadline,
                   const std::atomic<bool>& stop) {
  switch (take_fault()) {
    case Fault::kNone:
      break;
    case Fault::kError:
      return Status(Code::kDeviceFault, "the device reports an error");
    case Fault::kHang:
      return hang(deadline, stop);
  }
  for (const Copy& copy : program)  // a branch of views copies bytes onto themselves
    std::memmove(buffers[copy.to.buffer] + copy.to.offset, buffers[copy.from.buffer] + copy.from.offset, copy.size);
  return {};
}

void Device::interrupt() {
  const MutexLock lock(mutex_);
  interrupted_.notify_all();
}

void Device::next_run(Fault fault) {
  const MutexLock lock(mutex_);
  faults_.push_back(fault);
}

void Device::forget_faults() {
  const MutexLock lock(mutex_);
  faults_.clear();
}

bool Device::all_begun() {
  const MutexLock lock(mutex_);
  return faults_.empty();
}

Fault Device::take_fault() {
  const MutexLock lock(mutex_);
  if (faults_.empty()) return Fault::kNone;
  const Fault fault = faults_.front();
  faults_.pop_front();
  return fault;
}

Status Device::hang(Deadline deadline, const std::atomic<bool>& stop) {
  const MutexLock lock(mutex_);
  while (!stop.load()) {
    if (deadline == kNoDeadline)
      interrupted_.wait(mutex_);
    else if (interrupted_.wait_until(mutex_, deadline) == std::cv_status::timeout && !stop.load())
      return Status(Code::kDeadlineExceeded, "the device did not complete before the deadline");
  }
  return Status(Code::kCancelled, "the run was stopped");
}

}  // namespace nestrt::null
