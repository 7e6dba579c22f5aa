// The schedule that a partition plan of NEST-C asks for.
#pragma once

#include <span>

#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"
#include "tools/support/nest_c/nest_c_partition.h"

namespace nestrt::tools {

// Each branch on the unit of its partition. Partitions of a group run side by side, on the CPU with equal shares of its
// threads; all others one after the other, in an order that respects the graph. `units` as a session has them; VTA-0 is
// the first EVTA among them. Views of other branches' results need not be in any partition. Requires: a verified plan.
// Errors: kInvalidArgument for nodes that the plan does not have or the file does not place, backends that are no unit,
// units that have no program for a node, and partitions that need each other.
Result<Schedule> partition_schedule(const NestCPartitionPlan& partitions, const Plan& plan,
                                    std::span<const UnitInfo> units);

}  // namespace nestrt::tools
