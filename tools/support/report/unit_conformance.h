// SPDX-License-Identifier: Apache-2.0
// The conformance suite of units: tests each guarantee of nestrt/driver/unit.h on a program of a plan with random
// inputs. It is for units on real hardware. test/drivers/conformance contains a longer suite, which also injects
// faults.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"

namespace nestrt::tools {

struct UnitConformanceResult {
  std::string_view name;  // a statement that a conforming unit fulfils
  Status status;
};

// Tests the plan's first program for the unit. Calls `done` after each case. Errors: kInvalidArgument if the plan has
// no program for the unit; kInvalidPlan.
Result<std::vector<UnitConformanceResult>> run_unit_conformance(
    const std::shared_ptr<const Plan>& plan, Unit& unit,
    const std::function<void(const UnitConformanceResult&)>& done = {});

}  // namespace nestrt::tools
