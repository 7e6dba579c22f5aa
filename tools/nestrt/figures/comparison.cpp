// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/figures/comparison.h"

#include <fmt/core.h>

#include "nestrt/driver/schedule.h"
#include "tools/nestrt/load.h"
#include "tools/support/report/statistics.h"

namespace nestrt::command {
namespace {

class Contender {
 public:
  static Result<Contender> create(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                                  const SessionOptions& options, const tools::InputTensors& inputs) {
    Contender contender;
    NESTRT_ASSIGN_OR_RETURN(contender.session_, Session::create(plan, units, options));
    contender.inputs_ = inputs.views();
    NESTRT_ASSIGN_OR_RETURN(contender.outputs_, TensorSet::create(plan->outputs()));
    return contender;
  }

  Status run() {
    const SteadyClock::time_point start = SteadyClock::now();
    const Status status = session_->run(inputs_, outputs_.views());
    run_ms_.push_back(tools::milliseconds(SteadyClock::now() - start));
    return status;
  }
  void forget_runs() { run_ms_.clear(); }

  const std::vector<double>& run_ms() const { return run_ms_; }
  ScheduleTimes times() const { return {tools::summarize(run_ms_).median, session_->schedule().makespan_us / 1e3}; }

 private:
  std::unique_ptr<Session> session_;
  std::vector<ConstTensorView> inputs_;
  TensorSet outputs_;
  std::vector<double> run_ms_;
};

Status run_in_turn(Contender& chosen, Contender& other, int runs) {
  for (int i = 0; i < runs; ++i) {
    NESTRT_RETURN_IF_ERROR(chosen.run());
    NESTRT_RETURN_IF_ERROR(other.run());
  }
  return {};
}

}  // namespace

Result<Comparison> compare_schedules(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                                     SessionOptions options, ScheduleMethod against, const tools::InputTensors& inputs,
                                     int warmup, int runs) {
  options.adaptation.drift = 0;
  NESTRT_ASSIGN_OR_RETURN(Contender chosen, Contender::create(plan, units, options, inputs));
  options.schedule.method = against;
  options.fixed_schedule = nullptr;
  NESTRT_ASSIGN_OR_RETURN(Contender other, Contender::create(plan, units, options, inputs));
  NESTRT_RETURN_IF_ERROR(run_in_turn(chosen, other, warmup));
  chosen.forget_runs();
  other.forget_runs();
  NESTRT_RETURN_IF_ERROR(run_in_turn(chosen, other, runs));
  std::vector<double> ratios;
  for (size_t i = 0; i < chosen.run_ms().size(); ++i) ratios.push_back(other.run_ms()[i] / chosen.run_ms()[i]);
  return Comparison{chosen.times(), other.times(), tools::summarize(ratios).median};
}

void add_comparison(Table& table, const Comparison& comparison) {
  const auto& [chosen, other, speed_up] = comparison;
  const auto predicted = [](const ScheduleTimes& times) {
    return times.predicted_ms > 0 ? fmt::format(" (predicted {})", tools::format_ms(times.predicted_ms)) : "";
  };
  table.add_row({"alternating", tools::format_ms(chosen.median_ms),
                 fmt::format("this schedule{}; {:.3f} times as fast as the other: {}{}", predicted(chosen), speed_up,
                             tools::format_ms(other.median_ms), predicted(other))});
}

Json to_json(const Comparison& comparison) {
  const auto times = [](const ScheduleTimes& of) {
    return Json{{"median_ms", of.median_ms}, {"predicted_ms", of.predicted_ms}};
  };
  return Json{
      {"chosen", times(comparison.chosen)}, {"other", times(comparison.other)}, {"speed_up", comparison.speed_up}};
}

}  // namespace nestrt::command
