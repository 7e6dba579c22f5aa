#include "compiler-lite/codegen/make_backends.h"

#include <fmt/core.h>

#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/target/target_description.h"

namespace nestrt::compiler {

Result<Backends> make_backends(const TargetDescription& target, const evta::EvtaOptions& evta) {
  Backends backends = {make_cpu_backend(target.instruction_sets)};
  for (const UnitDescription& unit : target.units) {
    if (unit.kind == kHostUnit) continue;
    if (unit.kind != "evta")
      return Status(Code::kUnsupported, fmt::format("nothing here makes programs for unit '{}'", unit.kind));
    NESTRT_ASSIGN_OR_RETURN(backends.emplace_back(), evta::make_evta_backend(unit, evta));
  }
  return backends;
}

}  // namespace nestrt::compiler
