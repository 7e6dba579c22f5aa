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
  for (const Copy& copy : program)  // a branch of views copies bytes to where they are
    std::memmove(buffers[copy.to.buffer] + copy.to.offset, buffers[copy.from.buffer] + copy.from.offset, copy.size);
  return {};
}

void Device::interrupt() {
  const std::lock_guard lock(mutex_);
  interrupted_.notify_all();
}

void Device::next_run(Fault fault) {
  const std::lock_guard lock(mutex_);
  faults_.push_back(fault);
}

void Device::forget_faults() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
}

bool Device::all_begun() {
  const std::lock_guard lock(mutex_);
  return faults_.empty();
}

Fault Device::take_fault() {
  const std::lock_guard lock(mutex_);
  if (faults_.empty()) return Fault::kNone;
  const Fault fault = faults_.front();
  faults_.pop_front();
  return fault;
}

Status Device::hang(Deadline deadline, const std::atomic<bool>& stop) {
  std::unique_lock lock(mutex_);
  const auto is_stopped = [&] { return stop.load(); };
  if (deadline == kNoDeadline)
    interrupted_.wait(lock, is_stopped);
  else if (!interrupted_.wait_until(lock, deadline, is_stopped))
    return Status(Code::kDeadlineExceeded, "the device did not complete before the deadline");
  return Status(Code::kCancelled, "the run was stopped");
}

}  // namespace nestrt::null
