#include "runtime/command/throughput.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "runtime/command/load.h"
#include "runtime/tools/statistics.h"

namespace nestrt::command {
namespace {

// What one inference after the other is given, and gives.
class Feeder {
 public:
  static Result<Feeder> create(const Plan& plan, size_t in_flight) {
    Feeder feeder;
    NESTRT_ASSIGN_OR_RETURN(feeder.inputs_, TensorSet::create(plan.inputs()));
    for (const TensorView& input : feeder.inputs_.views())
      std::memset(input.data, 0, static_cast<size_t>(storage_bytes(input.type, input.shape, Layout::kPlain)));
    for (size_t i = 0; i < in_flight; ++i) {
      NESTRT_ASSIGN_OR_RETURN(TensorSet outputs, TensorSet::create(plan.outputs()));
      feeder.outputs_.push_back(std::move(outputs));
    }
    return feeder;
  }

  // Keeps as many inferences on their way as there are outputs, and gives the latency of each, in ms.
  Result<std::vector<double>> run(Pipeline& pipeline, int runs) {
    std::vector<double> latencies;
    std::deque<SteadyClock::time_point> begun;
    const std::vector<ConstTensorView> inputs = inputs_.const_views();
    for (size_t submitted = 0; latencies.size() < static_cast<size_t>(runs);) {
      if (submitted < static_cast<size_t>(runs) && begun.size() < outputs_.size()) {
        begun.push_back(SteadyClock::now());
        pipeline.submit(inputs, outputs_[submitted++ % outputs_.size()].views());
        continue;
      }
      NESTRT_RETURN_IF_ERROR(pipeline.next());
      latencies.push_back(std::chrono::duration<double, std::milli>(SteadyClock::now() - begun.front()).count());
      begun.pop_front();
    }
    return latencies;
  }

 private:
  TensorSet inputs_;
  std::vector<TensorSet> outputs_;
};

}  // namespace

Result<Throughput> measure_throughput(std::shared_ptr<const Plan> plan, const UnitList& units,
                                      const PipelineOptions& options, int warmup, int runs) {
  // Outlives the inferences that are on their way.
  NESTRT_ASSIGN_OR_RETURN(Feeder feeder, Feeder::create(*plan, static_cast<size_t>(options.in_flight)));
  NESTRT_ASSIGN_OR_RETURN(const auto pipeline, Pipeline::create(plan, units, options));
  if (const auto warm = feeder.run(*pipeline, warmup); !warm) return warm.error();
  const SteadyClock::time_point start = SteadyClock::now();
  NESTRT_ASSIGN_OR_RETURN(const std::vector<double> latencies, feeder.run(*pipeline, runs));
  const double seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
  Throughput result;
  result.per_second = runs / seconds;
  result.latency_ms = tools::summarize(latencies).median;
  if (const double busiest = pipeline->busiest_unit_us(); busiest > 0) result.bound_per_second = 1e6 / busiest;
  return result;
}

void add_throughput(Table& table, const Throughput& throughput, int in_flight) {
  const std::string bound = throughput.bound_per_second > 0
                                ? fmt::format("; at most {:.1f}, by the busiest unit ({:.0f} %)",
                                              throughput.bound_per_second,
                                              100 * throughput.per_second / throughput.bound_per_second)
                                : "";
  table.add_row({"throughput", fmt::format("{:.1f} /s", throughput.per_second),
                 fmt::format("{} inferences in flight, {} each{}", in_flight, tools::format_ms(throughput.latency_ms),
                             bound)});
}

Json to_json(const Throughput& throughput, int in_flight) {
  return Json{{"in_flight", in_flight},
              {"per_second", throughput.per_second},
              {"bound_per_second", throughput.bound_per_second},
              {"latency_ms", throughput.latency_ms}};
}

}  // namespace nestrt::command
