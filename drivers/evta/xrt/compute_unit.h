// SPDX-License-Identifier: Apache-2.0
// ComputeUnit: one EVTA instance in the FPGA of a board, started through XRT as a kernel (kernel_unit.cpp), or through
// the registers of its four stages (stages_unit.cpp).
//
// Threads: one at a time. No call waits longer than documented, except for the end of a unit whose abort() has failed:
// such a unit is kept until the process ends (abandoned_runs.h).
#pragma once

#include <experimental/xrt_xclbin.h>
#include <xrt/xrt_device.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "drivers/evta/xrt/xrt_transport.h"
#include "nestrt/result.h"

namespace nestrt::evta {

class ComputeUnit {
 public:
  virtual ~ComputeUnit() = default;
  // Returns the memory bank that is reachable from all of its ports, as an index in the xclbin's banks.
  virtual uint32_t bank() const = 0;
  // Starts a run of `count` instructions at `address`. Errors: kUnavailable if a run is in progress, kDeviceFault.
  virtual Status start(uint32_t count, uint32_t address) = 0;
  // Returns whether the run has ended, without waiting. Errors: kDeviceFault if it failed.
  virtual Result<bool> poll() = 0;
  // Stops the run and waits for at most kAbortLimit. Errors: kDeviceFault if it may still be running; the unit and the
  // memory that it uses are then lost.
  virtual Status abort() = 0;
};

// Longer than a kernel driver needs to stop a compute unit that it can reset.
inline constexpr std::chrono::seconds kAbortLimit{5};

// Arguments for opening a compute unit.
struct OpenedDevice {
  const XrtOptions& options;
  xrt::device device;
  xrt::xclbin xclbin;
};

// Open the units exclusively. Errors: kNotFound, kIncompatible, kUnavailable.
Result<std::unique_ptr<ComputeUnit>> open_kernel_unit(const OpenedDevice& opened);
Result<std::unique_ptr<ComputeUnit>> open_stages_unit(const OpenedDevice& opened);
// Opens the kind of unit that the xclbin contains.
Result<std::unique_ptr<ComputeUnit>> open_compute_unit(const OpenedDevice& opened);

// Returns the kernel's compute unit selected by the instance or the names in the options. `position`: index in
// XrtOptions::compute_units.
Result<xrt::xclbin::ip> find_unit(const OpenedDevice& opened, const std::string& kernel, size_t position);
// Returns "kernel:{instance}", the syntax of XRT's constructors.
std::string xrt_instance_name(const xrt::xclbin::ip& unit);
// Returns the bank that all memory arguments are connected to, or `otherwise` if the xclbin states no connections.
// Errors: kIncompatible for several banks.
Result<uint32_t> common_bank(const xrt::xclbin::ip& unit, uint32_t otherwise);

}  // namespace nestrt::evta
