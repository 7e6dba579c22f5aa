// Which of a branch's programs a unit can run.
#pragma once

#include "nestrt/unit.h"
#include "runtime/plan/tables.h"

namespace nestrt {

// The first for units of its kind and configuration, or for any configuration; null where there is none.
inline const plan::Program* program_for(const plan::Branch& branch, const UnitInfo& unit) {
  for (const plan::Program* program : items(branch.programs())) {
    const std::string_view fingerprint = view(program->fingerprint());
    if (view(program->unit()) == unit.kind && (fingerprint.empty() || fingerprint == unit.fingerprint)) return program;
  }
  return nullptr;
}

}  // namespace nestrt
