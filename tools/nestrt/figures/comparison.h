// SPDX-License-Identifier: Apache-2.0
// Compares two schedules of one plan in alternating runs.
#pragma once

#include "nestrt/session.h"
#include "tools/nestrt/commands.h"
#include "tools/support/report/input_tensors.h"

namespace nestrt::command {

struct ScheduleTimes {
  double median_ms = 0;
  double predicted_ms = 0;  // 0: unknown
};

struct Comparison {
  ScheduleTimes chosen, other;
  double speed_up = 0;  // median over the pairs of runs
};

// Alternates runs of the two schedules, so that load on the machine affects both alike. Rescheduling is off. The chosen
// schedule is options.fixed_schedule.
Result<Comparison> compare_schedules(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                                     SessionOptions options, ScheduleMethod against, const tools::InputTensors& inputs,
                                     int warmup, int runs);

void add_comparison(Table& table, const Comparison& comparison);
Json to_json(const Comparison& comparison);

}  // namespace nestrt::command
