// SPDX-License-Identifier: Apache-2.0
#include "test/boards/logic/stages.h"

#include <utility>

namespace nestrt::boards {
namespace {

// Offsets and bits: docs/reference/hardware.md.
constexpr uint32_t kControl = 0x00, kStart = 0x01, kIdle = 0x04, kArmed = 0x81;
constexpr uint32_t kFetchCount = 0x10, kFetchAddress = 0x18;
constexpr uint32_t kDone = 0x18, kDoneWritten = 0x1c;
// The first base is followed by a second one, if any: after 8 bytes, or after 12 if addresses have 64 bits.
constexpr std::pair<Stage, uint32_t> kFirstBases[] = {{Stage::kLoad, 0x10}, {Stage::kCompute, 0x20}};
constexpr std::pair<Stage, uint32_t> kOutputs = {Stage::kStore, 0x10};
// 63 cycles in hardware; long enough to be observable here.
constexpr std::chrono::milliseconds kStaleTime{1};

}  // namespace

Stages::Stages(Accelerator accelerator, BoardFaults& faults, bool has_wide_addresses)
    : accelerator_(std::move(accelerator)),
      faults_(faults),
      has_wide_addresses_(has_wide_addresses),
      thread_([this] { work(); }) {}

Stages::~Stages() {
  {
    const std::lock_guard lock(mutex_);
    shut_down_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

uint32_t Stages::read(Stage stage, uint32_t offset) {
  const std::lock_guard lock(mutex_);
  if (stage == Stage::kCompute && offset == kDone) return done_;
  if (stage == Stage::kCompute && offset == kDoneWritten) return std::exchange(done_written_, false) ? 1 : 0;
  if (stage == Stage::kFetch && offset == kControl) return is_fetching_ ? kStart : kIdle;
  return value_of(stage, offset);
}

void Stages::write(Stage stage, uint32_t offset, uint32_t value) {
  const std::lock_guard lock(mutex_);
  registers_[{stage, offset}] = value;
  if (stage != Stage::kFetch || offset != kControl || (value & kStart) == 0) return;
  is_started_ = is_fetching_ = true;
  ++runs_started_;
  changed_.notify_all();
}

void Stages::reset() {
  std::unique_lock lock(mutex_);
  is_reset_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return !is_started_; });
  is_reset_ = false;
  registers_.clear();
  done_ = 0;
  done_written_ = false;
}

int Stages::runs_started() {
  const std::lock_guard lock(mutex_);
  return runs_started_;
}

void Stages::end_hang() {
  const std::lock_guard lock(mutex_);
  hangs_ = false;
  changed_.notify_all();
}

void Stages::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return shut_down_ || is_started_; });
    if (shut_down_) return;
    run(lock);
    is_started_ = is_fetching_ = false;
    changed_.notify_all();
    lock.unlock();
    end_handler_();
    lock.lock();
  }
}

void Stages::run(std::unique_lock<std::mutex>& lock) {
  const uint32_t count = value_of(Stage::kFetch, kFetchCount);
  const uint64_t address = address_of(Stage::kFetch, kFetchAddress);
  const std::optional<uint64_t> base = common_base();
  const RunFault fault = faults_.take_run();
  changed_.wait_for(lock, kStaleTime, [&] { return shut_down_ || is_reset_; });
  hangs_ = fault == RunFault::kHang || !base;
  changed_.wait(lock, [&] { return shut_down_ || is_reset_ || !hangs_; });
  if (hangs_) return;
  write_done(0);
  is_fetching_ = false;
  lock.unlock();
  const Status status = accelerator_.run(count, address, *base, [&] {
    if (fault == RunFault::kLate) std::this_thread::sleep_for(late_by_.load());
  });
  lock.lock();
  if (!status.ok()) changed_.wait(lock, [&] { return shut_down_ || is_reset_; });  // hardware reports no error
  if (status.ok()) write_done(1);
}

void Stages::write_done(uint32_t value) {
  done_ = value;
  done_written_ = true;
}

std::optional<uint64_t> Stages::common_base() const {
  for (const Stage stage : {Stage::kLoad, Stage::kCompute, Stage::kStore})
    if (value_of(stage, kControl) != kArmed) return std::nullopt;
  const uint64_t base = address_of(kOutputs.first, kOutputs.second);
  for (const auto& [stage, offset] : kFirstBases)
    for (const uint32_t at : {offset, offset + (has_wide_addresses_ ? 12 : 8)})
      if (address_of(stage, at) != base) return std::nullopt;
  return base;
}

uint64_t Stages::address_of(Stage stage, uint32_t offset) const {
  const uint64_t high = has_wide_addresses_ ? value_of(stage, offset + sizeof(uint32_t)) : 0;
  return high << 32 | value_of(stage, offset);
}

uint32_t Stages::value_of(Stage stage, uint32_t offset) const {
  const auto found = registers_.find({stage, offset});
  return found == registers_.end() ? 0 : found->second;
}

}  // namespace nestrt::boards
