// SPDX-License-Identifier: Apache-2.0
// The state that affects a machine's speed, as far as Linux reports it: sysfs of cpufreq and thermal.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nestrt::tools {

struct MachineState {
  std::vector<std::string> governors;  // distinct governors of the CPUs, sorted
  // Current clocks of the slowest and the fastest CPU and the limit of the fastest; 0 if unreadable.
  double slowest_mhz = 0, fastest_mhz = 0, limit_mhz = 0;
  // The type of the hottest zone; empty if there is no zone.
  std::string hottest;
  double hottest_celsius = 0;
};

// `root`: the folder that contains sys.
MachineState read_machine_state(const std::filesystem::path& root = "/");

}  // namespace nestrt::tools
