// ComputeUnit: one EVTA in the logic of a board, as XRT lets it be started: as a kernel (kernel_unit.cpp), or by the
// registers of its four stages (stages_unit.cpp).
//
// Threads: one at a time. Nothing here waits longer than it says, but for the end of one whose abort() has failed: such
// a unit is kept for ever (abandoned_runs.h).
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
  // The memory bank, an index in the xclbin's, that all of its ports reach.
  virtual uint32_t bank() const = 0;
  // Starts a run of `count` instructions at `address`. Errors: kUnavailable where one has not ended, kDeviceFault.
  virtual Status start(uint32_t count, uint32_t address) = 0;
  // Whether the run has ended. Does not wait. Errors: kDeviceFault, it has failed.
  virtual Result<bool> poll() = 0;
  // Stops the run; waits for that no longer than kAbortLimit. Errors: kDeviceFault where it may run on: then the unit,
  // and the memory that it uses, are lost.
  virtual Status abort() = 0;
};

// What a kernel driver takes to stop a compute unit that it can reset, and more.
inline constexpr std::chrono::seconds kAbortLimit{5};

// What a compute unit is opened from.
struct OpenedDevice {
  const XrtOptions& options;
  xrt::device device;
  xrt::xclbin xclbin;
};

// All of them open the units exclusively. Errors: kNotFound, kIncompatible, kUnavailable.
Result<std::unique_ptr<ComputeUnit>> open_kernel_unit(const OpenedDevice& opened);
Result<std::unique_ptr<ComputeUnit>> open_stages_unit(const OpenedDevice& opened);
// Whichever the xclbin has.
Result<std::unique_ptr<ComputeUnit>> open_compute_unit(const OpenedDevice& opened);

// The compute units of a kernel, of that instance or those names. `position`: of its name in XrtOptions::compute_units.
Result<xrt::xclbin::ip> find_unit(const OpenedDevice& opened, const std::string& kernel, size_t position);
// As XRT's constructors take it: kernel:{instance}.
std::string xrt_instance_name(const xrt::xclbin::ip& unit);
// The one bank that all memory arguments are connected to; `otherwise` where the xclbin connects none. Errors:
// kIncompatible for several.
Result<uint32_t> common_bank(const xrt::xclbin::ip& unit, uint32_t otherwise);

}  // namespace nestrt::evta
