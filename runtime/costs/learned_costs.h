// LearnedCosts: what work costs on a session's units, as far as its runs have shown.
//
// A prediction is wrong in two ways: its unit is faster or slower than it was when the prediction was made, which all
// of the unit's work shares, or the prediction itself is off. So a cost is the prediction, times the unit's slowdown,
// times a correction of its own; the product is kept. What has not run for long moves with its unit.
//
// Threads: one at a time.
#pragma once

#include <span>

#include "nestrt/costs.h"
#include "nestrt/schedule.h"
#include "nestrt/unit.h"

namespace nestrt {

class LearnedCosts {
 public:
  // `predicted` may be incomplete: what the plan says of programs is added. Nothing costs less than a hundredth of a
  // microsecond. The plan outlives this.
  LearnedCosts(const Plan& plan, std::span<const UnitInfo> units, const CostTable& predicted);

  // As they are believed to be.
  const CostTable& costs() const { return costs_; }

  // All work of units like this one takes so many times as long as was believed.
  void slow_down(const UnitInfo& unit, double factor);
  // The work of a step does, but not what else its unit computes.
  void correct(const Step& step, const UnitInfo& unit, double factor);

 private:
  void complete(std::span<const UnitInfo> units);

  const Plan& plan_;
  CostTable costs_;
};

}  // namespace nestrt
