// SPDX-License-Identifier: Apache-2.0
// The key under which a unit's costs are stored.
#pragma once

#include "nestrt/driver/costs.h"
#include "nestrt/driver/unit.h"

namespace nestrt {

// Returns the key for `threads` of the unit's threads; 0: all.
inline UnitKey key_of(const UnitInfo& unit, int threads = 0) {
  return {unit.kind, unit.configuration, threads > 0 ? threads : unit.num_threads};
}

// Returns whether both units run the same programs in the same time.
inline bool are_alike(const UnitInfo& unit, const UnitInfo& other) {
  return unit.kind == other.kind && unit.configuration == other.configuration && unit.refused == other.refused;
}

}  // namespace nestrt
