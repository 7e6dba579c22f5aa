// RunStatistics: how long the steps of one schedule take, beside what was predicted of them.
//
// The times of one unit's steps are looked at together: of many steps the noise averages out, so that a few runs tell
// whether the unit is as fast as was predicted. Nothing is allocated after construction, nor by assigning from one of
// the same schedule. Threads: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nestrt/driver/schedule.h"

namespace nestrt {

class RunStatistics {
 public:
  static constexpr uint32_t kRecent = 3;

  // What the steps of the schedule are predicted to take, by step. `noise`: that of units as far as it is known, by
  // unit, as noise() says.
  RunStatistics(const Schedule& schedule, std::span<const double> predicted_us, std::span<const double> noise = {});

  // What the steps of a run took, to be filled in before end_run(); microseconds. A run of which not every step was
  // measured does not count: end_run() is not called.
  std::span<float> step_us() { return step_us_; }
  void end_run(double makespan_us);

  uint32_t runs() const { return runs_; }
  double total_us() const { return total_us_; }  // of all runs
  // Means: of about the last sixteen runs.
  double mean_us(size_t step) const { return means_us_[step]; }
  double predicted_us(size_t step) const { return predicted_us_[step]; }
  // The median of the step's last kRecent runs; its mean where there were not as many.
  double recent_us(size_t step) const;
  // How many times as long as predicted all of the unit's steps took together. Of a unit without steps: 1.
  double mean_slowdown(uint32_t unit) const;
  // The sum of how far the means are from what was predicted, as a part of that.
  double deviation() const;
  // The median of the last few runs.
  double recent_slowdown(uint32_t unit) const;
  // Whether each of the last few runs of a unit was off to the same side: by more than this part, or by a quarter of it
  // where they agree among each other; and by more than runs differ as it is.
  bool has_changed(double part) const;
  // The median of the last runs, at most fifteen; of the last kRecent.
  double makespan_us() const;
  double recent_makespan_us() const;
  // Whether each of the last kRecent runs took longer than all of the twelve before, or each less: by this part more
  // or less than those in the middle, as where units have begun to disturb each other.
  bool has_other_makespans(double part) const;
  // How far a run of the unit is from the one before, as a part, in the mean; 0 where it is not known.
  double noise(uint32_t unit) const { return has_steps(unit) ? units_[unit].noise : 0; }
  // The same of each of its steps, if they all are as noisy and know nothing of each other.
  double noise_of_steps(uint32_t unit) const;
  bool has_steps(uint32_t unit) const { return unit < units_.size() && units_[unit].predicted_us > 0; }

 private:
  static constexpr size_t kMakespans = 15;
  struct OfUnit {
    double predicted_us = 0;
    double run_us = 0;  // of the run that has just ended
    double noise = 0;
    double noise_runs = 0;  // that it is the mean of
    std::array<double, kRecent> recent = {};
  };
  void remember(OfUnit& unit) const;
  void remember(size_t step);
  // Of the last run but so many of those that are known.
  double makespan_before(uint32_t runs) const { return makespans_us_[(runs_ - 1 - runs) % kMakespans]; }
  std::array<double, kRecent> recent_makespans() const {
    return {makespan_before(0), makespan_before(1), makespan_before(2)};
  }

  std::vector<uint32_t> unit_of_;  // by step
  std::vector<double> predicted_us_, means_us_;
  std::vector<float> step_us_;
  std::vector<std::array<float, kRecent>> recent_us_;  // by step
  std::vector<OfUnit> units_;
  std::array<double, kMakespans> makespans_us_ = {};  // of run r: at r % kMakespans
  uint32_t runs_ = 0;
  double total_us_ = 0;
};

}  // namespace nestrt
