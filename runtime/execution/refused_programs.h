// SPDX-License-Identifier: Apache-2.0
// Programs of external compilers that a session's units reject although they match their kind: blobs for another
// plug-in version, or programs that exceed the memory of a device.
#pragma once

#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"
#include "runtime/execution/executables.h"

namespace nestrt {

// Returns the infos of the units with UnitInfo::refused filled in. Prepares every blob that the host could run instead,
// and logs a warning for each unit that rejects one. A rejection is an error, and is left to the preparation of the
// schedule, if the host has no program for the branch or if the program is of nestrt's own compiler.
std::vector<UnitInfo> infos_with_refusals(const plan::Tables& plan, const UnitList& units, Executables& executables);

}  // namespace nestrt
