// SPDX-License-Identifier: Apache-2.0
// Opens the units provided by libnestrt, by name.
#include "nestrt/open_units.h"

#include <fmt/format.h>

#include <algorithm>

#include "drivers/cpu/cpu_unit.h"
#include "drivers/evta/driver/component.h"
#include "drivers/evta/driver/evta_unit.h"
#include "drivers/unit_list.h"
#include "drivers/vendor/component.h"
#include "runtime/platform/guard.h"

namespace nestrt {
namespace {

constexpr double kMaxPace = 1e6;

struct Driver {
  std::string_view kind;
  // `instance` is the number of previous units of the same kind.
  Result<UnitList> (*open)(const UnitRequest& request, int instance, const UnitOptions& options);
};

Result<UnitList> open_cpu(const UnitRequest& request, int /*instance*/, const UnitOptions& options) {
  if (request.text != request.kind)
    return Status(Code::kInvalidArgument,
                  fmt::format("unit 'cpu' does not support a configuration, got '{}'", request.text));
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Unit> unit, drivers::open_cpu_unit(options));
  return UnitList{std::move(unit)};
}

Result<const evta::Component*> find_transport(std::string_view name) {
  if (std::ranges::find(kTransports, name) == kTransports.end())
    return Status(Code::kInvalidArgument,
                  fmt::format("unknown transport '{}'; available: {}", name, fmt::join(kTransports, ", ")));
  return evta::find_component(name);
}

Result<UnitList> open_instances(const evta::Instances& instances, int first, std::string_view transport,
                                const UnitOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const evta::Component* const component, find_transport(transport));
  UnitList units;
  for (int i = first; i < first + instances.count; ++i) {
    NESTRT_ASSIGN_OR_RETURN(auto reached,
                            component->make_transport({instances.configuration, i, options.pace, options.xclbin,
                                                       options.device, options.device_wait}));
    NESTRT_ASSIGN_OR_RETURN(units.emplace_back(),
                            evta::open_evta_unit({instances.configuration, i}, std::move(reached)));
  }
  return units;
}

// Opens accelerators. A simulator is used only on explicit request, because its times are not those of an accelerator.
Result<UnitList> open_evta(const UnitRequest& request, int instance, const UnitOptions& options) {
  evta::Instances instances;
  if (request.configuration && !request.configuration->empty()) {
    NESTRT_ASSIGN_OR_RETURN(instances, evta::parse_instances(*request.configuration));
  }
  const std::string_view chosen = options.transport.empty() ? kBoardTransport : options.transport;
  const std::string_view transport = request.transport.value_or(chosen);
  Result<UnitList> units = open_instances(instances, instance, transport, options);
  if (units || transport == kSimulatedTransport) return units;
  const Status& error = units.error();
  const std::string_view other = transport == kBoardTransport ? kUioTransport : kBoardTransport;
  return Status(
      error.code(),
      fmt::format("no accelerator for '{}': {}; use '{}:{}' for a simulated one, or '{}:{}' for a board {} XRT",
                  request.text, error.message(), request.kind, kSimulatedTransport, request.kind, other,
                  other == kUioTransport ? "without" : "with"));
}

// Opens units of the caller's plug-in, which decides whether it supports the kind.
Result<UnitList> open_vendor(const UnitRequest& request, int instance, const UnitOptions& options) {
  if (request.text != request.kind)
    return Status(Code::kInvalidArgument,
                  fmt::format("units of plug-ins do not support a configuration, got '{}'", request.text));
  NESTRT_ASSIGN_OR_RETURN(const drivers::Component* const found,
                          drivers::find_component("vendor", vendor::kComponentEntry));
  const auto open = static_cast<const vendor::Component*>(found)->open;
  NESTRT_ASSIGN_OR_RETURN(
      std::shared_ptr<Unit> unit,
      open(options.plugin, request.kind, static_cast<uint32_t>(instance), options.isolate, options.plugin_options));
  return UnitList{std::move(unit)};
}

constexpr Driver kDrivers[] = {
    {"cpu", open_cpu},
    {"evta", open_evta},
};

std::string known_kinds() {
  std::string names;
  for (const Driver& driver : kDrivers) names += fmt::format("{}{}", names.empty() ? "" : ", ", driver.kind);
  return names;
}

Result<UnitList> open_entry(const UnitRequest& request, const UnitList& before, const UnitOptions& options) {
  const auto* const driver = std::find_if(std::begin(kDrivers), std::end(kDrivers),
                                          [&](const Driver& candidate) { return candidate.kind == request.kind; });
  if (driver == std::end(kDrivers) && options.plugin.empty())
    return Status(Code::kInvalidArgument, fmt::format("unknown unit '{}'; available: {}, and the units of a plug-in",
                                                      request.kind, known_kinds()));
  const auto instance =
      std::count_if(before.begin(), before.end(), [&](const auto& unit) { return unit->info().kind == request.kind; });
  const auto open = driver != std::end(kDrivers) ? driver->open : open_vendor;
  return open(request, static_cast<int>(instance), options);
}

Result<UnitList> open_list(std::string_view spec, const UnitOptions& options) {
  if (!(options.pace >= 0 && options.pace <= kMaxPace))
    return Status(Code::kInvalidArgument, "UnitOptions::pace must be between 0 and 1,000,000");
  UnitList units;
  for (const UnitRequest& request : parse_unit_list(spec)) {
    NESTRT_ASSIGN_OR_RETURN(const UnitList opened, open_entry(request, units, options));
    for (const std::shared_ptr<Unit>& other : units)
      if (other->info().name == opened[0]->info().name)
        return Status(Code::kInvalidArgument, fmt::format("unit '{}' is listed twice", other->info().name));
    units.insert(units.end(), opened.begin(), opened.end());
  }
  return units;
}

}  // namespace

Result<UnitList> open_units(std::string_view spec, const UnitOptions& options) {
  return guarded([&] { return open_list(spec, options); });
}

}  // namespace nestrt
