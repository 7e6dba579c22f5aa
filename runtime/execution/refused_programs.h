// Programs of other compilers that a session's units do not take, though they are of their kind: blobs for another
// version of a plug-in, or more than a device has memory for.
#pragma once

#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "runtime/execution/executables.h"

namespace nestrt {

// What the units say of themselves, with UnitInfo::refused. Prepares every such program that the host could compute in
// the unit's place, and logs a warning for each unit that refuses one. Programs without a substitute, and those of
// nestrt's own compiler, whose refusal is an error, are left to those who need them.
std::vector<UnitInfo> infos_with_refusals(const plan::Tables& plan, const UnitList& units, Executables& executables);

}  // namespace nestrt
