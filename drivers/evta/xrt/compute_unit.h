// SPDX-License-Identifier: Apache-2.0
// Opens the compute units of a board through XRT: a kernel that XRT starts (kernel_unit.cpp), or the registers of the
// four stages, which are separate IPs or parts of a user-managed kernel (xrt_stages_unit.cpp).
#pragma once

#include <experimental/xrt_xclbin.h>
#include <xrt/xrt_device.h>

#include <memory>
#include <string>
#include <vector>

#include "drivers/evta/board/compute_unit.h"
#include "drivers/evta/xrt/xrt_buffer.h"
#include "drivers/evta/xrt/xrt_transport.h"

namespace nestrt::evta {

// Arguments for opening a compute unit.
struct OpenedDevice {
  const XrtOptions& options;
  xrt::device device;
  xrt::xclbin xclbin;
};

// A compute unit and the memory bank that is reachable from all of its ports.
struct OpenedUnit {
  std::unique_ptr<ComputeUnit> unit;
  XrtBank bank;
};

// Open the units exclusively. Errors: kNotFound, kIncompatible, kUnavailable.
Result<OpenedUnit> open_kernel_unit(const OpenedDevice& opened);
Result<OpenedUnit> open_stages_unit(const OpenedDevice& opened);
Result<OpenedUnit> open_user_managed_unit(const OpenedDevice& opened);
// Opens the kind of unit that the xclbin contains.
Result<OpenedUnit> open_compute_unit(const OpenedDevice& opened);

// Returns the first IP of the accelerator in the options: the kernel's compute unit, or fetch. Errors: kNotFound.
Result<xrt::xclbin::ip> find_first_unit(const OpenedDevice& opened);

// Returns the kernel's compute unit selected by the instance or the names in the options. `position`: index in
// XrtOptions::compute_units.
Result<xrt::xclbin::ip> find_unit(const OpenedDevice& opened, const std::string& kernel, size_t position);
// Returns "kernel:{instance}", the syntax of XRT's constructors.
std::string xrt_instance_name(const xrt::xclbin::ip& unit);
// Returns the bank that all memory arguments are connected to, or `otherwise` if the xclbin contains no connections.
// Errors: kIncompatible for several banks.
Result<uint32_t> common_bank(const xrt::xclbin::ip& unit, uint32_t otherwise);
// Returns the bank with this index in the xclbin. Errors: kIncompatible if the xclbin lacks it.
Result<XrtBank> find_bank(const xrt::xclbin& xclbin, uint32_t index);

}  // namespace nestrt::evta
