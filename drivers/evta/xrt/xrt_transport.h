// The transport to EVTA on a board that the Xilinx Runtime (XRT) drives: a Zynq UltraScale+ such as the ZCU102 (kernel
// driver zocl), or an Alveo card such as the U280 behind PCIe (xocl). docs/reference/hardware.md says what it expects
// of both.
//
// The accelerator is either one kernel vta(insn_count, insns, base addresses ...), started once per program, or VTA's
// four stages fetch, load, compute and store as IPs, whose registers are written directly. The xclbin says which.
//
// XRT is linked here and nowhere else in nestrt. Nothing here waits without a limit, and nothing that XRT throws
// leaves: it becomes a Status (xrt_errors.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "drivers/evta/driver/transport.h"
#include "drivers/evta/xrt/xrt_board.h"

namespace nestrt::evta {

struct XrtOptions {
  std::string device = "0";  // the number that XRT gives it, or its PCIe address: 0000:65:00.1
  // Always needed: only the file says what the device's registers and banks are.
  std::filesystem::path xclbin;
  // Loads it. Else the device has to run it already: others may use the device, and must not be disturbed.
  bool load_xclbin = true;
  const XrtBoard* board = &kXrtBoards[0];  // one of kXrtBoards
  // The accelerator's, for a look whether its port is coherent (coherence.h), where the board has cached buffers; null:
  // taken as not coherent.
  const Configuration* configuration = nullptr;
  std::string kernel = "vta";  // the one kernel; where the xclbin has none of that name, the four stages
  // Which of the accelerators in the xclbin: an index in the names of the compute units, sorted; or their names, where
  // given: one, of the kernel, or four, of fetch, load, compute and store in this order.
  int instance = 0;
  std::vector<std::string> compute_units;
};

// Opens the device and the compute units, exclusively; loads the xclbin. Errors: kUnavailable (no device, in use, no
// permission, a loader that does not find XRT's libraries), kNotFound (no such file, kernel or instance), kIncompatible
// (made for another shell or board, memory in different or unreachable banks), kInvalidArgument, kDeviceFault,
// kOutOfMemory. All say what to do.
Result<std::unique_ptr<Transport>> make_xrt_transport(const XrtOptions& options);

// A device as XRT sees it.
struct XrtDevice {
  std::string index;   // what XrtOptions::device takes
  std::string bdf;     // its PCIe address; empty where it has none
  std::string shell;   // vendor, board, name and version of the platform
  std::string xclbin;  // the UUID of what is loaded; empty where nothing is
  Status usable;       // why it cannot be opened
};

// All of them; none where there is no device. Errors: kUnavailable where XRT cannot look, with what to do.
Result<std::vector<XrtDevice>> xrt_devices();

}  // namespace nestrt::evta
