// SPDX-License-Identifier: Apache-2.0
// Descriptions of the units in a list.
#pragma once

#include <vector>

#include "nestrt/driver/unit.h"

namespace nestrt {

inline std::vector<UnitInfo> unit_infos(const UnitList& units) {
  std::vector<UnitInfo> infos;
  for (const std::shared_ptr<Unit>& unit : units) infos.push_back(unit->info());
  return infos;
}

}  // namespace nestrt
