// The composition root: every unit that libnestrt knows, by name.
#include <algorithm>

#include "drivers/cpu/cpu_unit.h"
#include "drivers/evta/driver/evta_unit.h"
#include "drivers/evta/driver/simulator_transport.h"
#include "nestrt/unit.h"
#include "runtime/core/guard.h"
#include "runtime/core/text.h"

namespace nestrt {
namespace {

// One entry of the list of units: "name" or "name:configuration".
struct Request {
  std::string_view name;
  std::string_view configuration;
  int instance = 0;  // entries of that name before it
};

struct Driver {
  std::string_view name;
  Result<std::shared_ptr<Unit>> (*open)(const Request& request, const UnitOptions& options);
};

Result<std::shared_ptr<Unit>> open_cpu(const Request& request, const UnitOptions& options) {
  if (!request.configuration.empty())
    return Status(Code::kInvalidArgument, text("unit 'cpu' has no configuration '", request.configuration, "'"));
  return drivers::open_cpu_unit(options);
}

Result<std::shared_ptr<Unit>> open_evta(const Request& request, const UnitOptions&) {
  evta::EvtaOptions options;
  options.instance = request.instance;
  if (!request.configuration.empty()) options.configuration = evta::find_configuration(request.configuration);
  if (options.configuration == nullptr) {
    std::string known;
    for (const evta::Configuration& configuration : evta::kConfigurations)
      known += text(known.empty() ? "" : ", ", configuration.name);
    return Status(Code::kInvalidArgument,
                  text("unit 'evta' has no configuration '", request.configuration, "'; it has: ", known));
  }
  return evta::open_evta_unit(options, evta::make_simulator_transport());
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

Result<std::shared_ptr<Unit>> open_unit(const Request& request, const UnitOptions& options) {
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
  UnitList units;
  while (true) {
    const size_t comma = spec.find(',');
    NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Unit> unit, open_unit(parse(spec.substr(0, comma), units), options));
    for (const std::shared_ptr<Unit>& other : units)
      if (other->info().name == unit->info().name)
        return Status(Code::kInvalidArgument, text("unit '", unit->info().name, "' is named twice"));
    units.push_back(std::move(unit));
    if (comma == std::string_view::npos) return units;
    spec.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<UnitList> open_units(std::string_view spec, const UnitOptions& options) {
  return guarded([&] { return open_list(spec, options); });
}

}  // namespace nestrt
