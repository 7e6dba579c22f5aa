// SPDX-License-Identifier: Apache-2.0
#include "tools/support/board/machine_state.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>

namespace nestrt::tools {
namespace {

namespace fs = std::filesystem;

template <typename Value>
std::optional<Value> read(const fs::path& path) {
  std::ifstream file(path);
  Value value;
  return file >> value ? std::optional(std::move(value)) : std::nullopt;
}

// Returns the entries of `folder` that are named `prefix` and a number; empty if the folder does not exist.
std::vector<fs::path> numbered_entries(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.starts_with(prefix) && name.find_first_not_of("0123456789", prefix.size()) == std::string::npos)
      entries.push_back(entry->path());
  }
  return entries;
}

void read_clocks(const fs::path& folder, MachineState& state) {
  std::set<std::string> governors;
  for (const fs::path& policy : numbered_entries(folder, "policy")) {
    if (auto governor = read<std::string>(policy / "scaling_governor")) governors.insert(std::move(*governor));
    state.limit_mhz = std::max(state.limit_mhz, read<double>(policy / "cpuinfo_max_freq").value_or(0) / 1e3);
    const double mhz = read<double>(policy / "scaling_cur_freq").value_or(0) / 1e3;
    if (mhz == 0) continue;
    state.slowest_mhz = state.slowest_mhz == 0 ? mhz : std::min(state.slowest_mhz, mhz);
    state.fastest_mhz = std::max(state.fastest_mhz, mhz);
  }
  state.governors.assign(governors.begin(), governors.end());
}

void read_temperatures(const fs::path& folder, MachineState& state) {
  for (const fs::path& zone : numbered_entries(folder, "thermal_zone")) {
    const auto thousandths = read<double>(zone / "temp");
    if (!thousandths || (!state.hottest.empty() && *thousandths / 1e3 <= state.hottest_celsius)) continue;
    state.hottest = read<std::string>(zone / "type").value_or(zone.filename());
    state.hottest_celsius = *thousandths / 1e3;
  }
}

}  // namespace

MachineState read_machine_state(const fs::path& root) {
  MachineState state;
  read_clocks(root / "sys/devices/system/cpu/cpufreq", state);
  read_temperatures(root / "sys/class/thermal", state);
  return state;
}

}  // namespace nestrt::tools
