// Every unit that libnestrt knows, by name.
#include "nestrt/open_units.h"

#include <fmt/core.h>

#include <algorithm>

#include "drivers/cpu/cpu_unit.h"
#include "drivers/evta/driver/evta_unit.h"
#include "drivers/evta/driver/simulator_transport.h"
#include "drivers/unit_list.h"
#include "runtime/core/guard.h"

namespace nestrt {
namespace {

// Whose timing simulated accelerators have where they are paced.
constexpr std::string_view kPaceProfile = "zcu102";
constexpr double kMaxPace = 1e6;

struct Driver {
  std::string_view kind;
  // `configuration` may be empty; `instance`: units of that kind before it.
  Result<UnitList> (*open)(std::string_view configuration, int instance, const UnitOptions& options);
};

Result<UnitList> open_cpu(std::string_view configuration, int /*instance*/, const UnitOptions& options) {
  if (!configuration.empty())
    return Status(Code::kInvalidArgument, fmt::format("unit 'cpu' has no configuration '{}'", configuration));
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Unit> unit, drivers::open_cpu_unit(options));
  return UnitList{std::move(unit)};
}

Result<UnitList> open_evta(std::string_view configuration, int instance, const UnitOptions& options) {
  evta::Instances instances;
  if (!configuration.empty()) {
    NESTRT_ASSIGN_OR_RETURN(instances, evta::parse_instances(configuration));
  }
  evta::SimulatorOptions simulator;
  simulator.pace = options.pace;
  if (options.pace > 0) simulator.profile = evta::find_cycle_profile(kPaceProfile);
  UnitList units;
  for (int i = 0; i < instances.count; ++i) {
    const evta::EvtaOptions evta_options{instances.configuration, instance + i};
    NESTRT_ASSIGN_OR_RETURN(units.emplace_back(),
                            evta::open_evta_unit(evta_options, evta::make_simulator_transport(simulator)));
  }
  return units;
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
  if (driver == std::end(kDrivers))
    return Status(Code::kInvalidArgument,
                  fmt::format("there is no unit '{}'; nestrt has: {}", request.kind, known_kinds()));
  const auto instance =
      std::count_if(before.begin(), before.end(), [&](const auto& unit) { return unit->info().kind == request.kind; });
  return driver->open(request.configuration.value_or(""), static_cast<int>(instance), options);
}

Result<UnitList> open_list(std::string_view spec, const UnitOptions& options) {
  if (!(options.pace >= 0 && options.pace <= kMaxPace))
    return Status(Code::kInvalidArgument, "UnitOptions::pace must lie between 0 and a million");
  UnitList units;
  for (const UnitRequest& request : parse_unit_list(spec)) {
    NESTRT_ASSIGN_OR_RETURN(const UnitList opened, open_entry(request, units, options));
    for (const std::shared_ptr<Unit>& other : units)
      if (other->info().name == opened[0]->info().name)
        return Status(Code::kInvalidArgument, fmt::format("unit '{}' is named twice", other->info().name));
    units.insert(units.end(), opened.begin(), opened.end());
  }
  return units;
}

}  // namespace

Result<UnitList> open_units(std::string_view spec, const UnitOptions& options) {
  return guarded([&] { return open_list(spec, options); });
}

}  // namespace nestrt
