// SPDX-License-Identifier: Apache-2.0
// RunStatistics: measured step times of one schedule, compared with predictions.
//
// The steps of a unit are evaluated together so that their noise averages out: a few runs show whether the unit is as
// fast as predicted. Only the constructor allocates; assignment between objects of the same schedule does not. Threads:
// one at a time.
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

  // `predicted_us` holds the predicted time of each step. `noise` holds the noise() of the units for which it is known.
  RunStatistics(const Schedule& schedule, std::span<const double> predicted_us, std::span<const double> noise = {});

  // Step times of a run in microseconds, to be filled in before end_run(). If the time of a step is missing, do not
  // call end_run(): the run is then not counted.
  std::span<float> step_us() { return step_us_; }
  void end_run(double makespan_us);

  uint32_t runs() const { return runs_; }
  double total_us() const { return total_us_; }  // sum over all runs
  // Return exponential means over about the last sixteen runs.
  double mean_us(size_t step) const { return means_us_[step]; }
  double predicted_us(size_t step) const { return predicted_us_[step]; }
  // Returns the median over the last kRecent runs, or the mean if there are fewer.
  double recent_us(size_t step) const;
  // Returns the measured time of all of the unit's steps divided by their predicted time; 1 for a unit without steps.
  double mean_slowdown(uint32_t unit) const;
  // Returns the summed absolute deviation of the means from the predictions, relative to the predictions.
  double deviation() const;
  // Like mean_slowdown(), but returns the median over the last kRecent runs.
  double recent_slowdown(uint32_t unit) const;
  // Returns whether all of the last kRecent runs of some unit deviated in the same direction by more than `part` and by
  // more than the noise. A quarter of `part` is enough if these runs agree.
  bool has_changed(double part) const;
  // Return the median over at most the last fifteen runs, and over the last kRecent runs.
  double makespan_us() const;
  double recent_makespan_us() const;
  // Returns whether the last kRecent runs were all longer, or all shorter, than each of the twelve preceding runs, and
  // differ from the median of those by the fraction `part`. This happens, for example, if units begin to interfere with
  // each other.
  bool has_other_makespans(double part) const;
  // Returns the mean relative difference between consecutive runs of the unit; 0 if unknown.
  double noise(uint32_t unit) const { return has_steps(unit) ? units_[unit].noise : 0; }
  // Returns the noise of a single step, assuming independent steps with equal noise.
  double noise_of_steps(uint32_t unit) const;
  bool has_steps(uint32_t unit) const { return unit < units_.size() && units_[unit].predicted_us > 0; }

 private:
  static constexpr size_t kMakespans = 15;
  struct OfUnit {
    double predicted_us = 0;
    double run_us = 0;  // time of the last run
    double noise = 0;
    double noise_runs = 0;  // number of runs in the mean `noise`
    std::array<double, kRecent> recent = {};
  };
  void update(OfUnit& unit) const;
  void update(size_t step);
  // Returns the makespan of the run that is `runs` before the last one.
  double makespan_before(uint32_t runs) const { return makespans_us_[(runs_ - 1 - runs) % kMakespans]; }
  std::array<double, kRecent> recent_makespans() const {
    return {makespan_before(0), makespan_before(1), makespan_before(2)};
  }

  std::vector<uint32_t> unit_of_;  // per step
  std::vector<double> predicted_us_, means_us_;
  std::vector<float> step_us_;
  std::vector<std::array<float, kRecent>> recent_us_;  // per step
  std::vector<OfUnit> units_;
  std::array<double, kMakespans> makespans_us_ = {};  // run r at index r % kMakespans
  uint32_t runs_ = 0;
  double total_us_ = 0;
};

}  // namespace nestrt
