// SPDX-License-Identifier: Apache-2.0
// ComputeUnit: one EVTA instance in the FPGA of a board. It is a kernel that XRT starts (xrt/kernel_unit.cpp), or four
// stages with registers (stages_unit.h).
//
// Threads: one at a time. No call waits longer than documented, except the destructor of a unit whose abort() has
// failed. Such a unit is kept until the process ends (abandoned_runs.h).
#pragma once

#include <chrono>
#include <cstdint>

#include "drivers/evta/driver/transport.h"
#include "nestrt/result.h"

namespace nestrt::evta {

class ComputeUnit {
 public:
  virtual ~ComputeUnit() = default;
  // Starts a run of `count` instructions at `address`. Errors: kUnavailable if a run is in progress, kDeviceFault.
  virtual Status start(uint32_t count, uint32_t address) = 0;
  // Returns whether the run has ended, without waiting. Errors: kDeviceFault if it failed.
  virtual Result<bool> poll() = 0;
  // Stops the run and waits for at most kAbortLimit. Errors: kDeviceFault if it may still be running; the unit and the
  // memory that it uses are then lost.
  virtual Status abort() = 0;

  // Returns the registers that can be read at any time, for messages.
  virtual std::vector<DeviceRegister> registers() { return {}; }

  // Returns a file that becomes readable when an interrupt occurs, or -1 without interrupts. An interrupt is only a
  // hint to call poll(): it may be lost, late or unrelated.
  virtual int interrupt_file() const { return -1; }
  // Acknowledges the interrupt and allows the next one.
  virtual void acknowledge_interrupt() {}
};

// Time limit for abort(), longer than a kernel driver needs to stop a compute unit that it can reset.
inline constexpr std::chrono::seconds kAbortLimit{5};

}  // namespace nestrt::evta
