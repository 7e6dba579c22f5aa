// SPDX-License-Identifier: Apache-2.0
// StagesUnit: EVTA as VTA's four stages, which are separate IPs. Accesses only their registers.
//
// The compute stage's `done` register keeps the value of the previous run until the first instruction reaches the
// stage, tens of cycles after the launch. A separate bit is set by every write of the stage to `done` and cleared by
// every read. It is read once before the launch, and `done` is valid only after the bit is set again.
//
// The stages do not notice when the process that started them ends. wait_for_previous_owner() detects a program that is
// still running.
#pragma once

#include <memory>

#include "drivers/evta/board/compute_unit.h"
#include "drivers/evta/board/stage_registers.h"
#include "nestrt/driver/event.h"

namespace nestrt::evta {

// Time limit for a previous owner's program, longer than any reasonable program runs.
inline constexpr std::chrono::seconds kPreviousOwnerLimit{5};

// The error for an accelerator that still runs a previous owner's program.
Status still_in_use_by_previous_owner(std::chrono::milliseconds limit);

class StagesUnit final : public ComputeUnit {
 public:
  // `base`: device address at which the programs' address space starts; 0 unless addresses are wide.
  explicit StagesUnit(std::unique_ptr<StageRegisters> registers, const AddressRegisters& addresses = kNarrowAddresses,
                      uint64_t base = 0)
      : registers_(std::move(registers)), addresses_(addresses), base_(base) {}

  // Waits until the stages have finished what a previous owner started. Errors: kUnavailable, with the remedy, if they
  // still run after `limit`.
  Status wait_for_previous_owner(std::chrono::milliseconds limit = kPreviousOwnerLimit);
  // Returns whether a program is running, from this or another process. Takes a few milliseconds.
  bool has_running_program();

  Status start(uint32_t count, uint32_t address) override;
  Result<bool> poll() override;
  // The stages have no reset: they stop only when their programs end, or when the whole card is reset.
  Status abort() override;
  std::vector<DeviceRegister> registers() override;

 private:
  bool has_been_reset() const;
  void launch(uint32_t count, uint32_t address);
  void write_address(Stage stage, uint32_t offset, uint64_t address);

  const std::unique_ptr<StageRegisters> registers_;
  const AddressRegisters addresses_;
  const uint64_t base_;
  bool is_running_ = false;
  bool is_done_written_ = false;  // since launch
  bool has_timed_out_ = false;    // a wait for the run has timed out
};

}  // namespace nestrt::evta
