// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/make_backends.h"

#include <fmt/core.h>

#include <string_view>

#include "compiler-lite/target/target_description.h"
#include "drivers/known_units.h"

namespace nestrt::compiler {
namespace {

struct Maker {
  std::string_view kind;  // of the units
  Result<std::shared_ptr<Backend>> (*make)(const UnitDescription& unit, const evta::EvtaOptions& evta);
};

constexpr Maker kMakers[] = {
    {"evta", evta::make_evta_backend},
};

Result<std::shared_ptr<Backend>> make_backend(const UnitDescription& unit, const evta::EvtaOptions& evta) {
  for (const Maker& maker : kMakers)
    if (maker.kind == unit.kind) return maker.make(unit, evta);
  return Status(Code::kUnsupported, fmt::format("no backend for unit '{}'", unit.kind));
}

}  // namespace

Result<Backends> make_backends(const TargetDescription& target, const evta::EvtaOptions& evta,
                               KernelAlternatives alternatives) {
  Backends backends = {make_cpu_backend(target.instruction_sets, alternatives)};
  for (const UnitDescription& unit : target.units) {
    if (unit.kind == kHostUnit) continue;
    NESTRT_ASSIGN_OR_RETURN(backends.emplace_back(), make_backend(unit, evta));
  }
  return backends;
}

}  // namespace nestrt::compiler
