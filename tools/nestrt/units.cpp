// SPDX-License-Identifier: Apache-2.0
// The output of `nestrt info` without a plan.
#include "tools/nestrt/units.h"

#include <fmt/format.h>

#include "nestrt/open_units.h"
#include "tools/nestrt/commands.h"
#include "tools/support/text/printable.h"

namespace nestrt::command {
namespace {

std::string place_of(const UnitReport& unit) {
  return unit.device.empty() ? unit.platform : fmt::format("{} {}", unit.device, unit.platform);
}

Json to_json(const UnitReport& unit) {
  return {{"unit", unit.unit},
          {"configuration", unit.configuration},
          {"device", unit.device},
          {"platform", unit.platform},
          {"bitstream", unit.bitstream},
          {"usable", unit.usable.ok()},
          {"reason", std::string(unit.usable.message())}};
}

void print(const std::vector<UnitReport>& units) {
  Table table({{"unit"}, {"configuration"}, {"device"}, {"bitstream"}, {"state"}});
  for (const UnitReport& unit : units)
    table.add_row({unit.unit, unit.configuration, tools::printable(place_of(unit)), tools::printable(unit.bitstream),
                   unit.usable.ok() ? "usable" : "not usable"});
  fmt::print("{}", table.to_string());
  for (const UnitReport& unit : units)
    if (!unit.usable.ok()) fmt::print("\n{}: {}\n", unit.unit, tools::printable_message(unit.usable.to_string()));
}

}  // namespace

Status show_units(const UnitChoice& choice, const std::string& json_file) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<UnitReport> units, list_units(choice.unit_options()));
  Json list = Json::array();
  for (const UnitReport& unit : units) list.push_back(to_json(unit));
  if (!json_file.empty()) NESTRT_RETURN_IF_ERROR(tools::write_json(json_file, Json{{"units", std::move(list)}}));
  print(units);
  return {};
}

}  // namespace nestrt::command
