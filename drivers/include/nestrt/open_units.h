// The units that libnestrt knows, made available by name. An application with units of its own builds the list itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nestrt/driver/unit.h"
#include "nestrt/driver/visibility.h"
#include "nestrt/result.h"

namespace NESTRT_PUBLIC nestrt {

struct UnitOptions {
  int num_threads = 0;  // the CPU pool's; 0: as many as the cores this process may use
  // A simulated unit's run takes at least so many times its modelled duration. 0: no longer than the simulation.
  double pace = 0;
  // How accelerators are reached: "xrt", those of a board, or "sim", simulated ones. Empty: those of a board.
  std::string_view transport = {};
  // Of accelerators of a board: the file of what its fabric runs, else $NESTRT_XCLBIN; and which device, as XRT numbers
  // them or by PCIe address, else $NESTRT_DEVICE, else the first.
  std::string_view xclbin = {};
  std::string_view device = {};
  // A vendor's library (nestrt/vendor.h), for units that libnestrt does not know. It runs with all rights of the
  // process: no plan and no list of units names one.
  std::string_view plugin = {};
  // That library runs in a process of its own: where it crashes or hangs, its units fail, and nothing else does
  // (docs/vendors.md).
  bool isolate = false;
};

// `spec` is a comma-separated list such as "cpu,evta" or "evta:2_1x32_15_15_18_17,cpu": names of units, some with a
// configuration, in front of it how many of them. In front of that may stand how they are reached: "evta:sim",
// "evta:sim:1x32_15_15_18_17". Other names are kinds of units of UnitOptions::plugin. What that takes is loaded from
// where nestrt is installed (libnestrt_xrt, libnestrt_sim, libnestrt_vendor).
// Errors: kInvalidArgument for an unknown unit, kUnavailable where there is none, and what to do.
Result<UnitList> open_units(std::string_view spec = "cpu", const UnitOptions& options = {});

// A unit that this machine may have, for people to look at.
struct UnitReport {
  std::string unit;           // as open_units() takes it: "cpu", "evta", "evta:sim"
  std::string configuration;  // that it was opened with
  std::string device;         // XRT's number or the PCIe address; empty where it has none
  std::string platform;       // the board's, or the shell that a card runs
  std::string bitstream;      // UUID of what the fabric runs; empty where that is not known
  Status usable;              // ok: it was opened, and an accelerator's probe was right
};

// All that libnestrt knows of, each tried.
Result<std::vector<UnitReport>> list_units(const UnitOptions& options = {});

}  // namespace nestrt
