// Inferences in a second, with several in flight.
#pragma once

#include "nestrt/pipeline.h"
#include "runtime/command/commands.h"

namespace nestrt::command {

struct Throughput {
  double per_second = 0;
  double bound_per_second = 0;  // 1 / load of the busiest unit, from costs; 0: not known
  double latency_ms = 0;        // median, from submission to result, the pipeline being full
};

// Of `runs` inferences on inputs of zeros, after `warmup` others.
Result<Throughput> measure_throughput(std::shared_ptr<const Plan> plan, const UnitList& units,
                                      const PipelineOptions& options, int warmup, int runs);

void add_throughput(Table& table, const Throughput& throughput, int in_flight);
Json to_json(const Throughput& throughput, int in_flight);

}  // namespace nestrt::command
