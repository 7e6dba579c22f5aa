// The units that libnestrt knows, made available by name. An application with units of its own builds the list itself.
#pragma once

#include <string_view>

#include "nestrt/result.h"
#include "nestrt/unit.h"

namespace nestrt {

struct UnitOptions {
  int num_threads = 0;  // the CPU pool's; 0: as many as the cores this process may use
  // A simulated unit's run takes at least so many times its modelled duration. 0: no longer than the simulation.
  double pace = 0;
};

// `spec` is a comma-separated list such as "cpu,evta" or "evta:2_1x32_15_15_18_17,cpu": names of units, some with a
// configuration, in front of it how many of them. EVTA is a simulated one.
// Errors: kInvalidArgument for an unknown unit, kUnavailable.
Result<UnitList> open_units(std::string_view spec = "cpu", const UnitOptions& options = {});

}  // namespace nestrt
