// SPDX-License-Identifier: Apache-2.0
// Throughput with several inferences in flight.
#pragma once

#include <string>
#include <vector>

#include "nestrt/pipeline.h"
#include "tools/nestrt/commands.h"
#include "tools/support/report/input_tensors.h"

namespace nestrt::command {

struct Throughput {
  // The time that one inference needs on a unit.
  struct Load {
    std::string unit;
    double predicted_ms = 0;  // from costs; 0: unknown
    double measured_ms = 0;   // time of its steps while the pipeline was full
  };

  double per_second = 0;
  double latency_ms = 0;    // median from submission to result while the pipeline was full
  std::vector<Load> loads;  // empty if the CPU checks units, as the load is then unknown

  // Returns 1 / load of the busiest unit, from costs; 0: unknown.
  double predicted_bound_per_second() const;
  // Returns 1 / measured load of the busiest unit. The closer the throughput is to this bound, the less the unit was
  // idle.
  double bound_per_second() const;
};

// Runs at least `warmup` inferences and at least twice the number in flight, then measures at least `runs` and ten
// times the number in flight. The pipeline stays full.
Result<Throughput> measure_throughput(std::shared_ptr<const Plan> plan, const UnitList& units, PipelineOptions options,
                                      const tools::InputTensors& inputs, int warmup, int runs);

void add_throughput(Table& table, const Throughput& throughput, int in_flight);
Json to_json(const Throughput& throughput, int in_flight);

}  // namespace nestrt::command
