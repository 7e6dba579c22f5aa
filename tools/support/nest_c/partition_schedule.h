// SPDX-License-Identifier: Apache-2.0
// Creates the schedule of a NEST-C partition plan.
#pragma once

#include <span>

#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"
#include "tools/support/nest_c/nest_c_partition.h"

namespace nestrt::tools {

// Places each branch on the unit of its partition. Partitions of a group run concurrently, on the CPU with equal shares
// of its threads. All others run sequentially in an order that respects dependencies. `units`: those of the session;
// VTA-0 is the first EVTA. Views of other branches' results need no partition. Requires: a verified plan. Errors:
// kInvalidArgument for unknown or unplaced nodes, backends without a unit, units without a program for a node, and
// cyclic dependencies of partitions.
Result<Schedule> partition_schedule(const NestCPartitionPlan& partitions, const Plan& plan,
                                    std::span<const UnitInfo> units);

}  // namespace nestrt::tools
