// SPDX-License-Identifier: Apache-2.0
// Opens the units that libnestrt provides, by name. An application with custom units builds the list itself.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"
#include "nestrt/status.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

class Unit;  // nestrt/driver/unit.h
using UnitList = std::vector<std::shared_ptr<Unit>>;

// Options for opening units.
struct UnitOptions {
  int num_threads = 0;  // threads of the CPU pool; 0: all cores that this process may use
  // Minimum run time of a simulated unit, as a multiple of its modelled time. 0: no minimum.
  double pace = 0;
  // Transport to accelerators: "xrt" for a board with XRT, "uio" for a Zynq board without it, "sim" for simulated ones.
  // Empty: "xrt".
  std::string_view transport = {};
  // The FPGA image (default: $NESTRT_XCLBIN) and the device (default: $NESTRT_DEVICE, then the first device) for
  // accelerators on a board. The device is an index or a PCIe address for xrt, and "uio0", "mem:0xa0000000" or
  // "uio0@udmabuf0" for uio.
  std::string_view xclbin = {};
  std::string_view device = {};
  // Path of a vendor's plug-in (nestrt/vendor.h) for units that libnestrt does not provide. It runs with all rights of
  // the process; plans and unit lists cannot name one.
  std::string_view plugin = {};
  // Options for the plug-in's devices: "NAME=VALUE,...". "1:NAME=VALUE" applies to the second device only. The vendor
  // defines the names, for example of a core or of a firmware file.
  std::string_view plugin_options = {};
  // Runs the plug-in in a separate process, so that a crash or hang only fails its units
  // (docs/how-to/plugins.md).
  bool isolate = false;
  // How long to wait if another process uses the accelerator on a board. 0: fail with kUnavailable.
  std::chrono::milliseconds device_wait{0};
};

// Opens a comma-separated unit list such as "cpu,evta" or "evta:2_1x32_15_15_18_17,cpu".
//
// Each entry is a unit kind, optionally followed by ':', a transport and a configuration: "evta:sim",
// "evta:sim:1x32_15_15_18_17". A number before the configuration sets the number of units. UnitOptions::plugin must
// provide all other kinds. Required components (libnestrt_xrt, libnestrt_uio, libnestrt_sim, libnestrt_vendor) are
// loaded from the installation folder. Errors: kInvalidArgument for an unknown unit, kUnavailable if the unit does not
// exist. The message contains the remedy.
Result<UnitList> open_units(std::string_view spec = "cpu", const UnitOptions& options = {});

// A unit that this machine may have, for display.
struct UnitReport {
  std::string unit;           // as open_units() accepts it: "cpu", "evta", "evta:sim"
  std::string configuration;  // as opened
  std::string device;         // as in UnitOptions::device; empty if not applicable
  std::string platform;       // platform of the board, or shell of the card
  std::string bitstream;      // UUID of the FPGA image; empty if unknown
  Status usable;              // ok if it was opened and, for an accelerator, passed its self-test
};

// Tries all units that libnestrt provides and reports the result of each.
Result<std::vector<UnitReport>> list_units(const UnitOptions& options = {});

}  // namespace nestrt
