// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/figures/throughput.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <vector>

#include "nestrt/driver/schedule.h"
#include "tools/nestrt/load.h"
#include "tools/support/report/statistics.h"

namespace nestrt::command {
namespace {

// Accumulates the times of steps per lane since the last reset.
class LaneTimes final : public RunObserver {
 public:
  void reserve(size_t lanes) { times_ = std::vector<std::atomic<int64_t>>(lanes); }
  void reset(Time since) {
    since_.store(since);
    for (auto& time : times_) time.store(0);
  }
  std::chrono::nanoseconds of(size_t lane) const { return std::chrono::nanoseconds(times_[lane].load()); }

  void operator_done(uint32_t, Time, Time) override {}
  void step_done(const StepRecord& step) override {
    const Time start = std::max(step.start, since_.load(std::memory_order_relaxed));
    times_[step.lane].fetch_add(std::chrono::nanoseconds(step.end - start).count(), std::memory_order_relaxed);
  }

 private:
  std::atomic<Time> since_{Time()};
  std::vector<std::atomic<int64_t>> times_;
};

// Submits inferences to a pipeline and receives their results.
class Feeder {
 public:
  static Result<Feeder> create(const Plan& plan, const tools::InputTensors& inputs, size_t in_flight) {
    Feeder feeder;
    feeder.inputs_ = inputs.views();
    for (size_t i = 0; i < in_flight; ++i) {
      NESTRT_ASSIGN_OR_RETURN(TensorSet outputs, TensorSet::create(plan.outputs()));
      feeder.outputs_.push_back(std::move(outputs));
    }
    return feeder;
  }

  struct Times {
    std::vector<double> latencies_ms;
    double seconds = 0;  // from the result before the first measured one to the last one
  };

  // Runs `warmup` inferences, then `runs` measured ones. The number in flight equals the number of outputs throughout.
  Result<Times> run(Pipeline& pipeline, size_t warmup, size_t runs, LaneTimes& lanes) {
    Times times;
    std::deque<SteadyClock::time_point> begun;
    SteadyClock::time_point start = SteadyClock::now();
    for (size_t submitted = 0, returned = 0; returned < warmup + runs; ++returned) {
      for (; begun.size() < outputs_.size(); ++submitted) {
        begun.push_back(SteadyClock::now());
        pipeline.submit(inputs_, outputs_[submitted % outputs_.size()].views());
      }
      NESTRT_RETURN_IF_ERROR(pipeline.next());
      const SteadyClock::time_point end = SteadyClock::now();
      if (returned >= warmup) times.latencies_ms.push_back(tools::milliseconds(end - begun.front()));
      begun.pop_front();
      if (returned + 1 == warmup) {
        start = end;
        lanes.reset(end);
      }
      times.seconds = std::chrono::duration<double>(end - start).count();
    }
    return times;
  }

 private:
  std::vector<ConstTensorView> inputs_;
  std::vector<TensorSet> outputs_;
};

std::vector<Throughput::Load> loads_of(const Schedule& schedule, const UnitList& units, const LaneTimes& lanes,
                                       int runs) {
  std::vector<Throughput::Load> loads;
  for (const std::shared_ptr<Unit>& unit : units) loads.push_back({unit->info().name});
  for (const Step& step : schedule.steps) loads[schedule.lanes[step.lane].unit].predicted_ms += step.predicted_us / 1e3;
  for (size_t lane = 0; lane < schedule.lanes.size(); ++lane)
    loads[schedule.lanes[lane].unit].measured_ms += tools::milliseconds(lanes.of(lane)) / runs;
  return loads;
}

double bound(const std::vector<Throughput::Load>& loads, double Throughput::Load::*load_ms) {
  double busiest = 0;
  for (const Throughput::Load& load : loads) busiest = std::max(busiest, load.*load_ms);
  return busiest > 0 ? 1e3 / busiest : 0;
}

}  // namespace

double Throughput::predicted_bound_per_second() const { return bound(loads, &Load::predicted_ms); }
double Throughput::bound_per_second() const { return bound(loads, &Load::measured_ms); }

Result<Throughput> measure_throughput(std::shared_ptr<const Plan> plan, const UnitList& units, PipelineOptions options,
                                      const tools::InputTensors& inputs, int warmup, int runs) {
  // Must outlive the inferences in flight.
  NESTRT_ASSIGN_OR_RETURN(Feeder feeder, Feeder::create(*plan, inputs, static_cast<size_t>(options.in_flight)));
  LaneTimes lanes;
  options.session.observer = &lanes;
  NESTRT_ASSIGN_OR_RETURN(const auto pipeline, Pipeline::create(plan, units, options));
  const Schedule schedule = pipeline->schedule();
  lanes.reserve(schedule.lanes.size());
  // The first inference of each session is slower, and the inferences in flight at both ends must be a small fraction
  // of all inferences.
  warmup = std::max(warmup, 2 * options.in_flight);
  runs = std::max(runs, 10 * options.in_flight);
  NESTRT_ASSIGN_OR_RETURN(const Feeder::Times times,
                          feeder.run(*pipeline, static_cast<size_t>(warmup), static_cast<size_t>(runs), lanes));
  Throughput result;
  result.per_second = runs / times.seconds;
  result.latency_ms = tools::summarize(times.latencies_ms).median;
  // The CPU's checks are part of the steps of other units.
  if (options.session.fault_tolerance.check_every == 0) result.loads = loads_of(schedule, units, lanes, runs);
  return result;
}

void add_throughput(Table& table, const Throughput& throughput, int in_flight) {
  const double bound = throughput.bound_per_second();
  const double percent = 100 * throughput.per_second / bound;
  const std::string share = bound > 0 ? fmt::format("; {:.0f} % of the busiest unit's {:.1f} /s", percent, bound) : "";
  table.add_row({"throughput", fmt::format("{:.1f} /s", throughput.per_second),
                 fmt::format("{} inferences in flight, latency {}{}", in_flight,
                             tools::format_ms(throughput.latency_ms), share)});
  for (const Throughput::Load& load : throughput.loads) {
    const std::string predicted =
        load.predicted_ms > 0 ? fmt::format("; {} predicted from costs", tools::format_ms(load.predicted_ms)) : "";
    table.add_row({"", fmt::format("{:.0f} %", load.measured_ms * throughput.per_second / 10),
                   fmt::format("busy time of '{}': {} per inference{}", load.unit, tools::format_ms(load.measured_ms),
                               predicted)});
  }
}

Json to_json(const Throughput& throughput, int in_flight) {
  Json loads = Json::array();
  for (const Throughput::Load& load : throughput.loads)
    loads.push_back({{"unit", load.unit}, {"predicted_ms", load.predicted_ms}, {"measured_ms", load.measured_ms}});
  return Json{{"in_flight", in_flight},
              {"per_second", throughput.per_second},
              {"bound_per_second", throughput.bound_per_second()},
              {"predicted_bound_per_second", throughput.predicted_bound_per_second()},
              {"latency_ms", throughput.latency_ms},
              {"loads", std::move(loads)}};
}

}  // namespace nestrt::command
