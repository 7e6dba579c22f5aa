// SPDX-License-Identifier: Apache-2.0
#include "runtime/adaptation/run_statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace nestrt {
namespace {

// A mean over 16 runs has a quarter of the error of one run.
constexpr double kMeanRuns = 16;
// Weight, in runs, of the noise known from other schedules, because the noise of schedules is similar.
constexpr double kKnownNoiseRuns = 8;
// Maximum ratio of a time to the mean, so that a step interrupted by the system hardly changes the mean.
constexpr double kMaxRatioToMean = 2;

// Recent runs agree if they differ from each other by less than their common deviation divided by this factor.
constexpr double kAgreementFactor = 2;
// If three runs deviate in one direction by this many times the noise, the deviation is not due to chance.
constexpr double kNoiseFactor = 1.8;

template <typename T, size_t n>
double median(std::array<T, n> values, size_t count) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(count));
  return *middle;
}

}  // namespace

RunStatistics::RunStatistics(const Schedule& schedule, std::span<const double> predicted_us,
                             std::span<const double> noise)
    : predicted_us_(predicted_us.begin(), predicted_us.end()),
      means_us_(schedule.steps.size(), 0),
      step_us_(schedule.steps.size(), 0),
      recent_us_(schedule.steps.size()) {
  assert(predicted_us.size() == schedule.steps.size());
  for (size_t step = 0; step < schedule.steps.size(); ++step) {
    const uint32_t unit = schedule.lanes[schedule.steps[step].lane].unit;
    unit_of_.push_back(unit);
    if (unit >= units_.size()) units_.resize(unit + 1);
    units_[unit].predicted_us += predicted_us_[step];
  }
  for (size_t unit = 0; unit < std::min(units_.size(), noise.size()); ++unit)
    if (noise[unit] > 0) units_[unit].noise = noise[unit], units_[unit].noise_runs = kKnownNoiseRuns;
}

void RunStatistics::end_run(double makespan_us) {
  for (OfUnit& unit : units_) unit.run_us = 0;
  for (size_t step = 0; step < step_us_.size(); ++step) update(step);
  for (OfUnit& unit : units_) update(unit);
  makespans_us_[runs_ % kMakespans] = makespan_us;
  total_us_ += makespan_us;
  ++runs_;
}

void RunStatistics::update(OfUnit& unit) const {
  if (unit.predicted_us <= 0) return;
  const double now = unit.run_us / unit.predicted_us, before = unit.recent[(runs_ + kRecent - 1) % kRecent];
  unit.recent[runs_ % kRecent] = now;
  if (runs_ == 0 || before <= 0) return;
  unit.noise_runs = std::min(unit.noise_runs + 1, kMeanRuns);
  unit.noise += (std::abs(now / before - 1) - unit.noise) / unit.noise_runs;
}

void RunStatistics::update(size_t step) {
  const double now = step_us_[step];
  units_[unit_of_[step]].run_us += now;
  double& mean = means_us_[step];
  const double counted = runs_ < kRecent ? now : std::min(now, kMaxRatioToMean * mean);
  mean += (counted - mean) / std::min(runs_ + 1.0, kMeanRuns);
  recent_us_[step][runs_ % kRecent] = step_us_[step];
}

double RunStatistics::recent_us(size_t step) const {
  return runs_ < kRecent ? means_us_[step] : median(recent_us_[step], kRecent);
}

double RunStatistics::mean_slowdown(uint32_t unit) const {
  if (!has_steps(unit) || runs_ == 0) return 1;
  double sum = 0;
  for (size_t step = 0; step < means_us_.size(); ++step)
    if (unit_of_[step] == unit) sum += means_us_[step];
  return sum / units_[unit].predicted_us;
}

double RunStatistics::deviation() const {
  double distance = 0, expected = 0;
  for (size_t step = 0; step < means_us_.size(); ++step) {
    distance += std::abs(means_us_[step] - predicted_us_[step]);
    expected += predicted_us_[step];
  }
  return expected > 0 ? distance / expected : 0;
}

double RunStatistics::recent_slowdown(uint32_t unit) const {
  if (!has_steps(unit) || runs_ < kRecent) return 1;
  return median(units_[unit].recent, kRecent);
}

bool RunStatistics::has_changed(double part) const {
  if (runs_ < kRecent) return false;
  return std::ranges::any_of(units_, [&](const OfUnit& unit) {
    if (unit.predicted_us <= 0) return false;
    const auto [least, most] = std::ranges::minmax(unit.recent);
    if (least <= 0) return false;
    const double agreed = std::clamp(kAgreementFactor * (most / least - 1), part / 4, part);
    const double more = 1 + std::max(agreed, kNoiseFactor * unit.noise);
    return least > more || most < 1 / more;
  });
}

double RunStatistics::noise_of_steps(uint32_t unit) const {
  double squares = 0;
  for (size_t step = 0; step < predicted_us_.size(); ++step)
    if (unit_of_[step] == unit) squares += predicted_us_[step] * predicted_us_[step];
  return squares > 0 ? noise(unit) * units_[unit].predicted_us / std::sqrt(squares) : 0;
}

bool RunStatistics::has_other_makespans(double part) const {
  if (runs_ < kMakespans) return false;
  std::array<double, kMakespans - kRecent> before;
  for (uint32_t i = 0; i < before.size(); ++i) before[i] = makespan_before(kRecent + i);
  const auto [shortest, longest] = std::ranges::minmax(before);
  const double middle = median(before, before.size());
  const auto [least, most] = std::ranges::minmax(recent_makespans());
  return least > std::max(longest, middle * (1 + part)) || most < std::min(shortest, middle / (1 + part));
}

double RunStatistics::makespan_us() const {
  const size_t count = std::min<size_t>(runs_, kMakespans);
  return count == 0 ? 0 : median(makespans_us_, count);
}

double RunStatistics::recent_makespan_us() const {
  if (runs_ < kRecent) return makespan_us();
  return median(recent_makespans(), kRecent);
}

}  // namespace nestrt
