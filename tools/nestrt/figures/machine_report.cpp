// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/figures/machine_report.h"

#include <fmt/format.h>

#include "tools/support/text/printable.h"

namespace nestrt::command {

void add_machine(tools::Table& table, const tools::MachineState& before, const tools::MachineState& after) {
  if (!after.governors.empty())
    table.add_row({"governor", fmt::format("{}", fmt::join(after.governors, ", ")), "of the CPU clocks"});
  if (after.fastest_mhz > 0)
    table.add_row({"clock", fmt::format("{:.0f} MHz", after.fastest_mhz),
                   fmt::format("fastest CPU after the runs, {:.0f} before; slowest {:.0f}; limit {:.0f}",
                               before.fastest_mhz, after.slowest_mhz, after.limit_mhz)});
  if (!after.hottest.empty())
    table.add_row({"temperature", fmt::format("{:.1f} C", after.hottest_celsius),
                   fmt::format("hottest zone ({}) after the runs, {:.1f} C before", tools::printable(after.hottest),
                               before.hottest_celsius)});
}

tools::Json machine_to_json(const tools::MachineState& state) {
  tools::Json json{{"governors", tools::Json::array(state.governors)}};
  if (state.fastest_mhz > 0) {
    json.set("slowest_mhz", state.slowest_mhz);
    json.set("fastest_mhz", state.fastest_mhz);
    json.set("limit_mhz", state.limit_mhz);
  }
  if (!state.hottest.empty()) {
    json.set("hottest", state.hottest);
    json.set("hottest_celsius", state.hottest_celsius);
  }
  return json;
}

}  // namespace nestrt::command
