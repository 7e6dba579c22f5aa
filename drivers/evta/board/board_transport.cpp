// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/board/board_transport.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "drivers/evta/board/abandoned_runs.h"

namespace nestrt::evta {
namespace {

// Orders memory accesses: a device started later sees earlier writes, and reads after the detected end of a run see the
// device's writes. Without buffer synchronisation, no call to a kernel driver ensures this, and register accesses do
// not order memory.
void order_memory() {
#ifdef __aarch64__
  __asm__ volatile("dsb sy" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

timespec to_timespec(SteadyClock::duration duration) {
  const auto ns = std::max<int64_t>(0, std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  return {static_cast<time_t>(ns / kNsPerSecond), static_cast<long>(ns % kNsPerSecond)};
}

}  // namespace

Status BoardTransport::prepare() {
  interruption_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (interruption_.is_open()) return {};
  return Status(Code::kUnavailable,
                fmt::format("an event cannot be created: {}", std::generic_category().message(errno)));
}

BoardTransport::~BoardTransport() {
  if (reset().ok()) return;
  leak_until_exit(std::move(running_));
  leak_until_exit(std::move(unit_));
  leak_until_exit(std::move(lock_));
}

Result<std::shared_ptr<DeviceProgram>> BoardTransport::load(const Program& program,
                                                            std::vector<std::shared_ptr<DeviceBuffer>> memory) {
  auto loaded = std::make_shared<BoardProgram>();
  const std::span<const std::byte> words = std::as_bytes(program.instructions);
  NESTRT_ASSIGN_OR_RETURN(loaded->instructions, allocate_instructions(words.size()));
  std::copy(words.begin(), words.end(), loaded->instructions->bytes().begin());
  NESTRT_RETURN_IF_ERROR(loaded->instructions->to_device(0, words.size()));
  loaded->count = static_cast<uint32_t>(program.instructions.size());
  loaded->memory = std::move(memory);
  return std::shared_ptr<DeviceProgram>(std::move(loaded));
}

Status BoardTransport::start(std::shared_ptr<DeviceProgram> program) {
  if (running_ != nullptr) return Status(Code::kUnavailable, "the accelerator is running another program");
  auto starting = std::static_pointer_cast<BoardProgram>(std::move(program));
  const auto address = static_cast<uint32_t>(starting->instructions->address());
  order_memory();
  NESTRT_RETURN_IF_ERROR(advised(unit_->start(starting->count, address)));
  running_ = std::move(starting);
  started_ = SteadyClock::now();
  return {};
}

Status BoardTransport::wait(Deadline deadline) {
  while (true) {
    const Result<bool> ended = unit_->poll();
    if (!ended) return advised(ended.error());
    if (*ended) {
      order_memory();
      forget_ended_run();
      return {};
    }
    if (SteadyClock::now() >= deadline)
      return Status(Code::kDeadlineExceeded, "the accelerator did not complete before the deadline");
    if (pause_until(deadline)) return Status(Code::kCancelled, "the wait was interrupted");
  }
}

void BoardTransport::interrupt() {
  const uint64_t one = 1;
  static_cast<void>(::write(interruption_.value(), &one, sizeof(one)));  // fails only if it is already set
}

Status BoardTransport::reset() {
  if (running_ != nullptr) {
    NESTRT_RETURN_IF_ERROR(advised(unit_->abort()));
    running_.reset();
  }
  uint64_t interruptions = 0;
  static_cast<void>(::read(interruption_.value(), &interruptions, sizeof(interruptions)));
  return {};
}

void BoardTransport::forget_ended_run() {
  if (running_ != nullptr) running_->poller.ended_after(SteadyClock::now() - started_);
  running_.reset();
}

// Waits until the next poll is due, an interrupt of the device occurs, or interrupt() is called. Returns whether it was
// interrupted.
bool BoardTransport::pause_until(Deadline deadline) {
  const Deadline now = SteadyClock::now();
  const Deadline next = std::min(deadline, now + running_->poller.pause(now - started_));
  std::array<pollfd, 2> files = {pollfd{interruption_.value(), POLLIN, 0}, pollfd{unit_->interrupt_file(), POLLIN, 0}};
  const timespec limit = to_timespec(next - now);
  if (::ppoll(files.data(), files.size(), &limit, nullptr) <= 0) return false;
  if (files[1].revents != 0) unit_->acknowledge_interrupt();
  uint64_t interruptions = 0;
  return files[0].revents != 0 &&
         ::read(interruption_.value(), &interruptions, sizeof(interruptions)) == sizeof(interruptions);
}

// Adds advice on recovering a failed accelerator.
Status BoardTransport::advised(const Status& status) const {
  if (status.code() != Code::kDeviceFault) return status;
  return Status(Code::kDeviceFault, fmt::format("{}; if a probe fails, {}", status.message(), recovery_));
}

}  // namespace nestrt::evta
