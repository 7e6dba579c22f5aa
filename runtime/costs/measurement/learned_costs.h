// SPDX-License-Identifier: Apache-2.0
// LearnedCosts: the costs of work on a session's units, learned from its runs.
// A prediction can be wrong in two ways. The unit may be faster or slower than when the prediction was made, which
// affects all of its work, or the prediction itself may be off. A cost is therefore the prediction times the unit's
// slowdown times an individual correction; only the product is stored. Work that has not run for a long time follows
// its unit. Parts of one operator are mispredicted similarly, so parts without measurements follow a measured one.
// Noisy observations are weighted against prior knowledge by their uncertainties, as in a Kalman filter. Otherwise a
// search over many parts would pick one that only seems fast because of noise.
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

  // Scales the costs of all work on units with the kind and configuration of `unit`.
  void slow_down(const UnitInfo& unit, double factor);
  // Scales the costs like slow_down(), for a unit whose speed has changed, possibly not equally for all work. Earlier
  // observations of its work therefore get less weight.
  void change_speed(const UnitInfo& unit, double factor);
  // Scales the cost of one operator that kernels compute.
  void change_work(const UnitInfo& unit, uint32_t op, double factor);
  // The observations of a step.
  struct Observed {
    double microseconds = 0;  // mean
    uint32_t runs = 0;
    double noise = 0;  // relative error of a single observation
  };
  // The more observations exist for the step's work, the less a new one counts.
  void observe(const Step& step, const UnitInfo& unit, const Observed& observed);

 private:
  void complete(std::span<const UnitInfo> units);
  struct News {
    double factor = 1;  // measured time divided by the estimate
    float runs = 0;
    double noise = 0;
    double mispredicted = 0;  // relative error of work that was never measured

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
