// Every unit that libnestrt knows, by name.
#include "nestrt/open_units.h"

#include <algorithm>

#include "drivers/cpu/cpu_unit.h"
#include "drivers/evta/driver/evta_unit.h"
#include "drivers/evta/driver/simulator_transport.h"
#include "runtime/core/guard.h"
#include "runtime/core/parse.h"
#include "runtime/core/text.h"

namespace nestrt {
namespace {

// Whose timing simulated accelerators have where they are paced.
constexpr std::string_view kPaceProfile = "zcu102";
constexpr double kMaxPace = 1e6;

// One entry of the list of units: "name" or "name:configuration".
struct Request {
  std::string_view name;
  std::string_view configuration;
  int instance = 0;  // units of that name before it
};

struct Driver {
  std::string_view name;
  Result<UnitList> (*open)(const Request& request, const UnitOptions& options);
};

Result<UnitList> open_cpu(const Request& request, const UnitOptions& options) {
  if (!request.configuration.empty())
    return Status(Code::kInvalidArgument, text("unit 'cpu' has no configuration '", request.configuration, "'"));
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Unit> unit, drivers::open_cpu_unit(options));
  return UnitList{std::move(unit)};
}

Result<UnitList> open_evta(const Request& request, const UnitOptions& options) {
  evta::Instances instances;
  if (!request.configuration.empty()) {
    NESTRT_ASSIGN_OR_RETURN(instances, evta::parse_instances(request.configuration));
  }
  evta::SimulatorOptions simulator;
  simulator.pace = options.pace;
  if (options.pace > 0) simulator.profile = evta::find_cycle_profile(kPaceProfile);
  UnitList units;
  for (int i = 0; i < instances.count; ++i) {
    const evta::EvtaOptions evta_options{instances.configuration, request.instance + i};
    NESTRT_ASSIGN_OR_RETURN(units.emplace_back(),
                            evta::open_evta_unit(evta_options, evta::make_simulator_transport(simulator)));
  }
  return units;
}

constexpr Driver kDrivers[] = {
    {"cpu", open_cpu},
    {"evta", open_evta},
};

std::string known_names() {
  std::string names;
  for (const Driver& driver : kDrivers) names += text(names.empty() ? "" : ", ", driver.name);
  return names;
}

Result<UnitList> open_entry(const Request& request, const UnitOptions& options) {
  const auto* const driver = std::find_if(std::begin(kDrivers), std::end(kDrivers),
                                          [&](const Driver& candidate) { return candidate.name == request.name; });
  if (driver == std::end(kDrivers))
    return Status(Code::kInvalidArgument, text("there is no unit '", request.name, "'; nestrt has: ", known_names()));
  return driver->open(request, options);
}

Request parse(std::string_view entry, const UnitList& before) {
  const size_t colon = entry.find(':');
  Request request{entry.substr(0, colon), colon == std::string_view::npos ? "" : entry.substr(colon + 1)};
  request.instance = static_cast<int>(
      std::count_if(before.begin(), before.end(), [&](const auto& unit) { return unit->info().kind == request.name; }));
  return request;
}

Result<UnitList> open_list(std::string_view spec, const UnitOptions& options) {
  if (!(options.pace >= 0 && options.pace <= kMaxPace))
    return Status(Code::kInvalidArgument, "UnitOptions::pace must lie between 0 and a million");
  UnitList units;
  for (const std::string_view entry : split(spec, ",")) {
    NESTRT_ASSIGN_OR_RETURN(const UnitList opened, open_entry(parse(entry, units), options));
    for (const std::shared_ptr<Unit>& other : units)
      if (other->info().name == opened[0]->info().name)
        return Status(Code::kInvalidArgument, text("unit '", other->info().name, "' is named twice"));
    units.insert(units.end(), opened.begin(), opened.end());
  }
  return units;
}

}  // namespace

Result<UnitList> open_units(std::string_view spec, const UnitOptions& options) {
  return guarded([&] { return open_list(spec, options); });
}

}  // namespace nestrt
