// The backends of a target's units.
#pragma once

#include "compiler-lite/backends/backend.h"
#include "compiler-lite/backends/evta/evta_backend.h"
#include "compiler-lite/target/target.h"

namespace nestrt::compiler {

// One for each unit beside the CPU. Errors: kUnsupported for a unit that nothing here makes programs for.
Result<Backends> make_backends(const Target& target, const evta::EvtaOptions& evta = {});

}  // namespace nestrt::compiler
