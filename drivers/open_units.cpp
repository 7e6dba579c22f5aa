// The composition root: every unit that libnestrt knows, by name.
#include <algorithm>

#include "drivers/cpu/cpu_unit.h"
#include "nestrt/unit.h"
#include "runtime/core/guard.h"
#include "runtime/core/text.h"

namespace nestrt {
namespace {

struct Driver {
  std::string_view name;
  Result<std::shared_ptr<Unit>> (*open)(const UnitOptions& options);
};

constexpr Driver kDrivers[] = {
    {"cpu", drivers::open_cpu_unit},
};

std::string known_names() {
  std::string names;
  for (const Driver& driver : kDrivers) names += text(names.empty() ? "" : ", ", driver.name);
  return names;
}

Result<std::shared_ptr<Unit>> open_unit(std::string_view name, const UnitOptions& options) {
  const auto* const driver = std::find_if(std::begin(kDrivers), std::end(kDrivers),
                                          [name](const Driver& candidate) { return candidate.name == name; });
  if (driver == std::end(kDrivers))
    return Status(Code::kInvalidArgument, text("there is no unit '", name, "'; nestrt has: ", known_names()));
  return driver->open(options);
}

Result<UnitList> open_list(std::string_view spec, const UnitOptions& options) {
  UnitList units;
  while (true) {
    const size_t comma = spec.find(',');
    NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Unit> unit, open_unit(spec.substr(0, comma), options));
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
