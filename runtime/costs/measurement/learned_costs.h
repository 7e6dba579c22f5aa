// SPDX-License-Identifier: Apache-2.0
// LearnedCosts: the costs of work on a session's units, as learned from its runs.
// A prediction can be wrong in two ways: the unit is faster or slower than when the prediction was made, which affects
// all of its work, or the prediction itself is off. So a cost is the prediction times the unit's slowdown times an
// individual correction; only the product is stored. Work that has not run for long follows its unit. Parts of one
// operator are mispredicted similarly, so parts that were never measured follow one that was. Noisy observations are
// weighted against prior knowledge by their uncertainties, as in a Kalman filter; otherwise a search over many parts
// would pick the one that noise made look fast.
// Threading: one thread at a time.
#pragma once

#include <span>
#include <string>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"

namespace nestrt {

class LearnedCosts {
 public:
  // `predicted` may be incomplete: the plan's costs of programs are added. Every cost is at least 0.01 microseconds.
  // The plan must outlive this object.
  LearnedCosts(const Plan& plan, std::span<const UnitInfo> units, const CostTable& predicted);

  // Returns the current estimates.
  const CostTable& costs() const { return costs_; }

  // Scales the costs of all work of units like this one.
  void slow_down(const UnitInfo& unit, double factor);
  // Scales likewise after the unit changed its speed, possibly not for all work alike: previous observations of its
  // work count less.
  void change_speed(const UnitInfo& unit, double factor);
  // Records the time of one operator, computed by kernels.
  void change_work(const UnitInfo& unit, uint32_t op, double factor);
  // The observations of a step.
  struct Observed {
    double microseconds = 0;  // mean
    uint32_t runs = 0;
    double noise = 0;  // relative error of a single observation
  };
  // The more observations of its work exist, the less this one counts.
  void observe(const Step& step, const UnitInfo& unit, const Observed& observed);

 private:
  void complete(std::span<const UnitInfo> units);
  struct News {
    double factor = 1;  // measured time divided by the estimate
    float runs = 0;
    double noise = 0;
    double mispredicted = 0;  // relative error of what was never measured

    // `seen` is the number of previous runs.
    double factor_after(float seen) const;
  };
  void observe_program(const Step& step, const UnitKey& key, News news);
  void observe_operator(uint32_t op, const Step& step, const UnitKey& key, News news);
  void believe(const UnitKey& key, const std::string& work, const WorkCost& known, const News& news);
  void follow(const UnitKey& key, const std::string& work, const WorkCost& known, const News& news);

  const Plan& plan_;
  CostTable costs_;
};

}  // namespace nestrt
