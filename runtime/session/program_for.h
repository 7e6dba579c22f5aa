// Which of a branch's programs a unit can run.
#pragma once

#include "nestrt/unit.h"
#include "runtime/plan/tables.h"

namespace nestrt {

// Whether it is for units of this kind and configuration, or for any configuration.
inline bool can_run(const plan::Program& program, const UnitInfo& unit) {
  const std::string_view fingerprint = view(program.fingerprint());
  return view(program.unit()) == unit.kind && (fingerprint.empty() || fingerprint == unit.fingerprint);
}

// The first that the unit can run and that computes the whole branch; null where there is none.
inline const plan::Program* program_for(const plan::Branch& branch, const UnitInfo& unit) {
  for (const plan::Program* program : items(branch.programs()))
    if (program->channels() == 0 && can_run(*program, unit)) return program;
  return nullptr;
}

}  // namespace nestrt
