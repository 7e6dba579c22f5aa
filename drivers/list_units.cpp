// SPDX-License-Identifier: Apache-2.0
// Finds out which of the units provided by libnestrt this machine has.
#include <fmt/core.h>

#include "drivers/evta/driver/component.h"
#include "drivers/unit_list.h"
#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "runtime/platform/guard.h"

namespace nestrt {
namespace {

// Opens the unit, and closes it again.
void try_unit(const UnitOptions& options, UnitReport* report) {
  const Result<UnitList> units = open_units(report->unit, options);
  if (units)
    report->configuration = units->front()->info().configuration;
  else
    report->usable = units.error();
}

UnitReport cpu_report(const UnitOptions& options) {
  UnitReport report;
  report.unit = "cpu";
  try_unit(options, &report);
  return report;
}

UnitReport report_of(const evta::Accelerator& accelerator, std::string unit, UnitOptions options) {
  UnitReport report{std::move(unit),   "", accelerator.device, accelerator.platform, accelerator.bitstream,
                    accelerator.usable};
  options.device = report.device;
  if (report.usable.ok()) try_unit(options, &report);
  return report;
}

Result<std::vector<evta::Accelerator>> find_accelerators(std::string_view transport) {
  NESTRT_ASSIGN_OR_RETURN(const evta::Component* const component, evta::find_component(transport));
  NESTRT_ASSIGN_OR_RETURN(std::vector<evta::Accelerator> found, component->list());
  if (!found.empty()) return found;
  return Status(Code::kUnavailable, "no device was found");
}

void add_accelerators(std::string_view transport, const UnitOptions& options, std::vector<UnitReport>* reports) {
  const std::string unit = transport == kBoardTransport ? "evta" : fmt::format("evta:{}", transport);
  const Result<std::vector<evta::Accelerator>> found = find_accelerators(transport);
  if (!found) {
    UnitReport& missing = reports->emplace_back();
    missing.unit = unit;
    missing.usable = found.error();
    return;
  }
  for (const evta::Accelerator& accelerator : *found) reports->push_back(report_of(accelerator, unit, options));
}

}  // namespace

Result<std::vector<UnitReport>> list_units(const UnitOptions& options) {
  return guarded([&]() -> Result<std::vector<UnitReport>> {
    std::vector<UnitReport> reports = {cpu_report(options)};
    for (const std::string_view transport : kTransports) add_accelerators(transport, options, &reports);
    return reports;
  });
}

}  // namespace nestrt
