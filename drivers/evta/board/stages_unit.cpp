// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/board/stages_unit.h"

#include <fmt/core.h>

#include <thread>

namespace nestrt::evta {
namespace {

constexpr std::chrono::milliseconds kPollInterval{1};

}  // namespace

Status still_in_use_by_previous_owner(std::chrono::milliseconds limit) {
  return Status(
      Code::kUnavailable,
      fmt::format("the accelerator still runs a program that another process started, after a wait of {} ms; load "
                  "the bitstream again, or restart the board",
                  limit.count()));
}

// A program is running if fetch is busy, or if compute was started and has not executed FINISH. If fetch has just
// become idle, `done` may still be set from the previous program. The second check rules this out: it runs 1 ms later,
// and the first instruction reaches compute within tens of cycles.
bool StagesUnit::has_running_program() {
  for (int look = 0; look < 2; ++look) {
    if ((registers_->read(Stage::kFetch, kControl) & kIdle) == 0) return true;
    if (has_been_reset()) return false;
    if (registers_->read(Stage::kCompute, kComputeDone) != 1) return true;
    std::this_thread::sleep_for(kPollInterval);
  }
  return false;
}

// Counts intervals instead of reading a clock, so that time for which this process is stopped does not count.
Status StagesUnit::wait_for_previous_owner(std::chrono::milliseconds limit) {
  for (auto waited = std::chrono::milliseconds(0); has_running_program(); waited += kPollInterval) {
    if (waited >= limit) return still_in_use_by_previous_owner(limit);
    std::this_thread::sleep_for(kPollInterval);
  }
  return {};
}

Status StagesUnit::start(uint32_t count, uint32_t address) {
  if (is_running_) return Status(Code::kUnavailable, "the accelerator is running another program");
  if ((registers_->read(Stage::kFetch, kControl) & kIdle) == 0)
    return Status(Code::kDeviceFault, "stage fetch is not idle: it is stuck, or another process uses the accelerator");
  is_running_ = true;
  launch(count, address);
  return {};
}

void StagesUnit::launch(uint32_t count, uint32_t address) {
  registers_->write(Stage::kFetch, kFetchCount, count);
  write_address(Stage::kFetch, kFetchAddress, base_ + address);
  write_address(Stage::kLoad, kLoadInputs, base_);
  write_address(Stage::kLoad, addresses_.load_weights, base_);
  write_address(Stage::kCompute, kComputeMicroOps, base_);
  write_address(Stage::kCompute, addresses_.compute_biases, base_);
  write_address(Stage::kStore, kStoreOutputs, base_);
  is_done_written_ = false;
  static_cast<void>(registers_->read(Stage::kCompute, kComputeDoneWritten));  // clears it
  for (const Stage stage : {Stage::kLoad, Stage::kCompute, Stage::kStore})
    registers_->write(stage, kControl, kStart | kAutoRestart);
  registers_->write(Stage::kFetch, kControl, kStart);
}

void StagesUnit::write_address(Stage stage, uint32_t offset, uint64_t address) {
  registers_->write(stage, offset, static_cast<uint32_t>(address));
  if (addresses_.address_bytes == sizeof(uint64_t))
    registers_->write(stage, offset + sizeof(uint32_t), static_cast<uint32_t>(address >> 32));
}

Result<bool> StagesUnit::poll() {
  if (!is_running_) return true;
  if (!is_done_written_) is_done_written_ = (registers_->read(Stage::kCompute, kComputeDoneWritten) & 1) != 0;
  if (!is_done_written_ || registers_->read(Stage::kCompute, kComputeDone) != 1) return false;
  is_running_ = has_timed_out_ = false;
  return true;
}

Status StagesUnit::abort() {
  const Deadline end = has_timed_out_ ? SteadyClock::now() : SteadyClock::now() + kAbortLimit;
  while (true) {
    if (is_running_ && has_been_reset()) is_running_ = has_timed_out_ = false;
    NESTRT_ASSIGN_OR_RETURN(const bool ended, poll());
    if (ended) return {};
    if (SteadyClock::now() >= end) break;
    std::this_thread::sleep_for(kPollInterval);
  }
  has_timed_out_ = true;
  return Status(Code::kDeviceFault,
                fmt::format("the accelerator did not stop within {} s and cannot be reset", kAbortLimit.count()));
}

// Omits the bit that accompanies `done`, because a read clears that bit.
std::vector<DeviceRegister> StagesUnit::registers() {
  std::vector<DeviceRegister> result;
  const auto add = [&](Stage stage, std::string_view what, uint32_t offset) {
    const std::string_view name = kStageNames[static_cast<size_t>(stage)];
    result.push_back({fmt::format("{} {}", name, what), registers_->read(stage, offset)});
  };
  add(Stage::kFetch, "control", kControl);
  add(Stage::kFetch, "count", kFetchCount);
  add(Stage::kFetch, "address", kFetchAddress);
  add(Stage::kLoad, "control", kControl);
  add(Stage::kLoad, "base of inputs", kLoadInputs);
  add(Stage::kLoad, "base of weights", addresses_.load_weights);
  add(Stage::kCompute, "control", kControl);
  add(Stage::kCompute, "done", kComputeDone);
  add(Stage::kCompute, "base of micro-ops", kComputeMicroOps);
  add(Stage::kCompute, "base of biases", addresses_.compute_biases);
  add(Stage::kStore, "control", kControl);
  add(Stage::kStore, "base of outputs", kStoreOutputs);
  return result;
}

// Only a reset clears the auto-restart of compute.
bool StagesUnit::has_been_reset() const { return (registers_->read(Stage::kCompute, kControl) & kAutoRestart) == 0; }

}  // namespace nestrt::evta
