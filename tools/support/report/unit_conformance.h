// The conformance suite of units: what nestrt/driver/unit.h promises, case by case, on a program of a plan, with random
// inputs. For units that somebody has before him, such as those of a board; test/drivers/conformance has the longer
// one, which makes units fail.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"

namespace nestrt::tools {

struct UnitConformanceResult {
  std::string_view name;  // of the case: a statement, which holds of a unit that conforms
  Status status;
};

// On the plan's first program for the unit. `done` is told of each case as it ends. Errors: kInvalidArgument where the
// plan has no program for the unit; kInvalidPlan.
Result<std::vector<UnitConformanceResult>> run_unit_conformance(
    const std::shared_ptr<const Plan>& plan, Unit& unit,
    const std::function<void(const UnitConformanceResult&)>& done = {});

}  // namespace nestrt::tools
