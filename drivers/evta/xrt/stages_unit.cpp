// SPDX-License-Identifier: Apache-2.0
// EVTA as VTA's four stages, which are separate IPs with registers (Vivado HLS; docs/reference/hardware.md has the
// map). Only the registers are used; neither the kernel driver nor an interrupt is.
//
// The compute stage's `done` register keeps the value of the previous run until the first instruction reaches the
// stage, tens of cycles after the launch. A separate bit is set by every write of the stage to `done` and cleared by
// every read. It is read once before the launch, and `done` is valid only after the bit is set again.
#include <experimental/xrt_ip.h>
#include <fmt/core.h>

#include <thread>

#include "drivers/evta/xrt/compute_unit.h"
#include "drivers/evta/xrt/xrt_errors.h"
#include "nestrt/driver/event.h"

namespace nestrt::evta {
namespace {

// Offsets in bytes. Source: register maps of VTA's modules from Vivado HLS 2019.1.
constexpr uint32_t kControl = 0x00;
constexpr uint32_t kFetchCount = 0x10, kFetchAddress = 0x18;
constexpr uint32_t kLoadInputs = 0x10, kLoadWeights = 0x18;
constexpr uint32_t kComputeDone = 0x18, kComputeDoneWritten = 0x1c, kComputeMicroOps = 0x20, kComputeBiases = 0x28;
constexpr uint32_t kStoreOutputs = 0x10;
// Bits of kControl.
constexpr uint32_t kStart = 0x01, kIdle = 0x04, kAutoRestart = 0x80;

constexpr std::chrono::milliseconds kPollInterval{1};

struct Stages {
  xrt::ip fetch, load, compute, store;
};

class StagesUnit final : public ComputeUnit {
 public:
  StagesUnit(Stages stages, uint32_t bank) : stages_(std::move(stages)), bank_(bank) {}

  uint32_t bank() const override { return bank_; }

  Status start(uint32_t count, uint32_t address) override {
    if (is_running_) return Status(Code::kUnavailable, "the accelerator is running another program");
    return xrt_call("starting the accelerator", Code::kDeviceFault, [&]() -> Status {
      if ((stages_.fetch.read_register(kControl) & kIdle) == 0)
        return Status(Code::kDeviceFault,
                      "stage fetch is not idle: it is stuck, or another process uses the accelerator");
      is_running_ = true;
      launch(count, address);
      return {};
    });
  }

  Result<bool> poll() override {
    if (!is_running_) return true;
    return xrt_call("reading the state of the accelerator", Code::kDeviceFault, [&]() -> Result<bool> {
      if (!is_done_written_) is_done_written_ = (stages_.compute.read_register(kComputeDoneWritten) & 1) != 0;
      if (!is_done_written_ || stages_.compute.read_register(kComputeDone) != 1) return false;
      is_running_ = has_timed_out_ = false;
      return true;
    });
  }

  // The stages have no reset: they stop only when their programs end, or when the whole card is reset.
  Status abort() override {
    const Deadline end = has_timed_out_ ? SteadyClock::now() : SteadyClock::now() + kAbortLimit;
    do {
      NESTRT_ASSIGN_OR_RETURN(const bool is_reset, forget_run_of_reset_card());
      if (is_reset) return {};
      NESTRT_ASSIGN_OR_RETURN(const bool ended, poll());
      if (ended) return {};
      std::this_thread::sleep_for(kPollInterval);
    } while (SteadyClock::now() < end);
    has_timed_out_ = true;
    return Status(Code::kDeviceFault,
                  fmt::format("the accelerator did not stop within {} s and cannot be reset", kAbortLimit.count()));
  }

 private:
  // Only a reset clears the auto-restart of compute.
  Result<bool> forget_run_of_reset_card() {
    return xrt_call("reading the state of the accelerator", Code::kDeviceFault, [&]() -> Result<bool> {
      if (is_running_ && (stages_.compute.read_register(kControl) & kAutoRestart) != 0) return false;
      is_running_ = has_timed_out_ = false;
      return true;
    });
  }

  void launch(uint32_t count, uint32_t address) {
    stages_.fetch.write_register(kFetchCount, count);
    stages_.fetch.write_register(kFetchAddress, address);
    stages_.load.write_register(kLoadInputs, 0);
    stages_.load.write_register(kLoadWeights, 0);
    stages_.compute.write_register(kComputeMicroOps, 0);
    stages_.compute.write_register(kComputeBiases, 0);
    stages_.store.write_register(kStoreOutputs, 0);
    is_done_written_ = false;
    static_cast<void>(stages_.compute.read_register(kComputeDoneWritten));  // clears it
    for (xrt::ip* stage : {&stages_.load, &stages_.compute, &stages_.store})
      stage->write_register(kControl, kStart | kAutoRestart);
    stages_.fetch.write_register(kControl, kStart);
  }

  Stages stages_;
  const uint32_t bank_;
  bool is_running_ = false;
  bool is_done_written_ = false;  // since launch
  bool has_timed_out_ = false;    // a wait for the run has timed out
};

}  // namespace

Result<std::unique_ptr<ComputeUnit>> open_stages_unit(const OpenedDevice& opened) {
  std::vector<xrt::ip> stages;
  uint32_t bank = opened.options.board->default_bank;
  for (const char* name : {"fetch", "load", "compute", "store"}) {
    NESTRT_ASSIGN_OR_RETURN(const xrt::xclbin::ip unit, find_unit(opened, name, stages.size()));
    NESTRT_ASSIGN_OR_RETURN(const uint32_t reached, common_bank(unit, bank));
    if (!stages.empty() && reached != bank)
      return Status(
          Code::kIncompatible,
          fmt::format("stage {} uses memory bank {}, but the previous stages use bank {}; link all stages to one bank",
                      name, reached, bank));
    bank = reached;
    stages.emplace_back(opened.device, opened.xclbin.get_uuid(), xrt_instance_name(unit));
  }
  return std::unique_ptr<ComputeUnit>(
      std::make_unique<StagesUnit>(Stages{stages[0], stages[1], stages[2], stages[3]}, bank));
}

}  // namespace nestrt::evta
