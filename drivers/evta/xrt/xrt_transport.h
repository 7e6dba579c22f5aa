// SPDX-License-Identifier: Apache-2.0
// The transport to EVTA on a board driven through the Xilinx Runtime (XRT): a Zynq UltraScale+ such as the ZCU102
// (kernel driver zocl), or an Alveo card such as the U280 (PCIe, xocl). docs/reference/hardware.md lists the
// requirements.
//
// The accelerator is one kernel vta(insn_count, insns, base addresses ...), started once per program; or VTA's four
// stages, whose registers are written directly: the IPs fetch, load, compute and store, or the user-managed kernel vta.
// The xclbin determines which.
//
// Only this folder links XRT. Every wait has a timeout, and XRT exceptions do not escape: they are converted to a
// Status (xrt_errors.h).
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "drivers/evta/driver/transport.h"
#include "drivers/evta/xrt/xrt_board.h"

namespace nestrt::evta {

struct XrtOptions {
  std::string device = "0";  // XRT's device number or PCIe address, such as 0000:65:00.1
  // The FPGA image. Always required, because it describes the device's registers and banks.
  std::filesystem::path xclbin;
  // Loads the xclbin. If false, the device must already be running it; other users are then not disturbed.
  bool load_xclbin = true;
  const XrtBoard* board = &kXrtBoards[0];  // one of kXrtBoards
  // The accelerator's configuration, for the coherence test (coherence.h) on boards with cached buffers. If null, the
  // port is treated as not coherent.
  const Configuration* configuration = nullptr;
  std::string kernel = "vta";  // name of the kernel; if the xclbin does not contain it, the four stages are used
  // Selects one of the accelerators in the xclbin, by an index in the sorted names of the compute units or by the names
  // themselves: one for the kernel, or four for fetch, load, compute and store in this order.
  int instance = 0;
  std::vector<std::string> compute_units;
  // How long to wait if another process uses the accelerator.
  std::chrono::milliseconds wait{0};
};

// Opens the device and the compute units exclusively (board/device_lock.h), and loads the xclbin. Waits until a program
// that an exited process left running on the four stages has ended. Errors, with the remedy: kUnavailable (no device,
// in use, permission denied, the loader does not find XRT's libraries), kNotFound (no such file, kernel or instance),
// kIncompatible (built for another shell or board, memory in different or unreachable banks), kInvalidArgument,
// kDeviceFault, kOutOfMemory.
Result<std::unique_ptr<Transport>> make_xrt_transport(const XrtOptions& options);

// A device as reported by XRT.
struct XrtDevice {
  std::string index;   // for XrtOptions::device
  std::string bdf;     // PCIe address; empty if it has none
  std::string shell;   // vendor, board, name and version of the platform
  std::string xclbin;  // UUID of the loaded xclbin; empty if none is loaded
  Status usable;       // ok, or the reason why it cannot be opened
};

// Returns all devices; may be empty. Errors: kUnavailable, with the remedy, if XRT cannot enumerate them.
Result<std::vector<XrtDevice>> xrt_devices();

}  // namespace nestrt::evta
