// SPDX-License-Identifier: Apache-2.0
#include "tools/support/board/machine_state.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "test/support/process/temporary_folder.h"

namespace nestrt::tools {
namespace {

namespace fs = std::filesystem;

class FakeMachine {
 public:
  void write(const fs::path& path, std::string_view text) const {
    fs::create_directories((root() / path).parent_path());
    std::ofstream(root() / path) << text << '\n';
  }
  void add_policy(int number, std::string_view governor, int khz, int limit_khz) const {
    const fs::path folder = "sys/devices/system/cpu/cpufreq/policy" + std::to_string(number);
    write(folder / "scaling_governor", governor);
    write(folder / "scaling_cur_freq", std::to_string(khz));
    write(folder / "cpuinfo_max_freq", std::to_string(limit_khz));
  }
  void add_zone(int number, std::string_view type, std::string_view temperature) const {
    const fs::path folder = "sys/class/thermal/thermal_zone" + std::to_string(number);
    write(folder / "type", type);
    write(folder / "temp", temperature);
  }
  fs::path root() const { return folder_.path(); }

 private:
  test::TemporaryFolder folder_;
};

TEST_CASE("The machine state has the clocks of the slowest and the fastest CPU and distinct governors") {
  const FakeMachine machine;
  machine.add_policy(0, "schedutil", 1199999, 1200000);
  machine.add_policy(1, "performance", 599999, 1100000);
  machine.add_policy(2, "performance", 1099999, 1100000);
  const MachineState state = read_machine_state(machine.root());
  CHECK(state.governors == std::vector<std::string>{"performance", "schedutil"});
  CHECK(state.slowest_mhz == Approx(600).epsilon(1e-3));
  CHECK(state.fastest_mhz == Approx(1200).epsilon(1e-3));
  CHECK(state.limit_mhz == Approx(1200));
}

TEST_CASE("The temperature is that of the hottest zone, including negative values") {
  const FakeMachine machine;
  machine.add_zone(0, "ps-temp", "-21500");
  CHECK(read_machine_state(machine.root()).hottest_celsius == Approx(-21.5));
  machine.add_zone(1, "pl-temp", "61250");
  machine.add_zone(2, "broken", "none");
  const MachineState state = read_machine_state(machine.root());
  CHECK(state.hottest == "pl-temp");
  CHECK(state.hottest_celsius == Approx(61.25));
}

TEST_CASE("A machine without sysfs has no clock, governor or temperature") {
  const FakeMachine machine;
  machine.write("sys/devices/system/cpu/cpufreq/policy0/related_cpus", "0");
  const MachineState state = read_machine_state(machine.root());
  CHECK(state.governors.empty());
  CHECK(state.fastest_mhz == 0);
  CHECK(state.hottest.empty());
}

}  // namespace
}  // namespace nestrt::tools
