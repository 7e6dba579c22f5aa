// LearnedCosts: what work costs on a session's units, as far as its runs have shown.
//
// A prediction is wrong in two ways: its unit is faster or slower than it was when the prediction was made, which all
// of the unit's work shares, or the prediction itself is off. So a cost is the prediction, times the unit's slowdown,
// times a correction of its own; the product is kept. What has not run for long moves with its unit. Parts of one
// operator are mispredicted alike: those that were never measured follow one that was. Runs differ: what noisy ones
// show counts beside what was known by how far either may be off (as in a Kalman filter), or a search would take, of
// many parts, the one that noise made look fast.
//
// Threads: one at a time.
#pragma once

#include <span>
#include <string>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"

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
  // The same, where the unit has changed its speed, and perhaps not for all work alike: what was learned of its work
  // counts less.
  void change_speed(const UnitInfo& unit, double factor);
  // The same of one operator, by kernels.
  void change_work(const UnitInfo& unit, uint32_t op, double factor);
  // What runs have shown of a step.
  struct Observed {
    double microseconds = 0;  // in the mean
    uint32_t runs = 0;
    double noise = 0;  // how far one of them is off, as a part
  };
  // The more was seen of its work before, the less this counts.
  void observe(const Step& step, const UnitInfo& unit, const Observed& observed);

 private:
  void complete(std::span<const UnitInfo> units);
  struct News {
    double factor = 1;  // what was measured, divided by what was believed
    float runs = 0;
    double noise = 0;
    double mispredicted = 0;  // by which part what was never measured is wrong, about

    // `seen`: runs before these.
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
