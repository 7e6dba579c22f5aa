// The key that a unit's costs have.
#pragma once

#include "nestrt/driver/costs.h"
#include "nestrt/driver/unit.h"

namespace nestrt {

// The key of so many of the unit's threads; 0: all.
inline UnitKey key_of(const UnitInfo& unit, int threads = 0) {
  return {unit.kind, unit.configuration, threads > 0 ? threads : unit.num_threads};
}

// Whether they run the same programs, and take as long.
inline bool are_alike(const UnitInfo& unit, const UnitInfo& other) {
  return unit.kind == other.kind && unit.configuration == other.configuration && unit.refused == other.refused;
}

}  // namespace nestrt
