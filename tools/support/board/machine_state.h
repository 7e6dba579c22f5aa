// What a machine's speed depends on besides its hardware, as far as Linux tells: sysfs of cpufreq and thermal.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nestrt::tools {

struct MachineState {
  std::vector<std::string> governors;  // of the CPUs that have one, each once, sorted
  // Of the slowest and of the fastest CPU now, and what the fastest may reach; 0 where it cannot be read.
  double slowest_mhz = 0, fastest_mhz = 0, limit_mhz = 0;
  // The hottest zone, and its type; empty where there is none.
  std::string hottest;
  double hottest_celsius = 0;
};

// `root`: in which sys lies.
MachineState read_machine_state(const std::filesystem::path& root = "/");

}  // namespace nestrt::tools
