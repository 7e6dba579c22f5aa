#include "compiler-lite/backends/make_backends.h"

namespace nestrt::compiler {

Result<Backends> make_backends(const Target& target, const evta::EvtaOptions& evta) {
  Backends backends;
  for (const TargetUnit& unit : target.units) {
    if (unit.kind == "cpu") continue;
    if (unit.kind != "evta")
      return Status(Code::kUnsupported, "nothing here makes programs for unit '" + unit.kind + "'");
    NESTRT_ASSIGN_OR_RETURN(backends.emplace_back(), evta::make_evta_backend(unit, evta));
  }
  return backends;
}

}  // namespace nestrt::compiler
