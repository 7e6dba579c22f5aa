// Inferences in a second, with several in flight.
#pragma once

#include <string>
#include <vector>

#include "nestrt/pipeline.h"
#include "tools/nestrt/commands.h"
#include "tools/support/report/input_tensors.h"

namespace nestrt::command {

struct Throughput {
  // What one inference asks of a unit.
  struct Load {
    std::string unit;
    double predicted_ms = 0;  // from costs; 0: not known
    double measured_ms = 0;   // its steps took so long while the pipeline was full
  };

  double per_second = 0;
  double latency_ms = 0;    // median, from submission to result, the pipeline being full
  std::vector<Load> loads;  // none where the CPU checks units: it is not known then

  // 1 / load of the busiest unit, from costs; 0: not known.
  double predicted_bound_per_second() const;
  // The same from what was measured: the nearer to it, the less that unit waited for something to do.
  double bound_per_second() const;
};

// Runs `warmup` inferences, at least twice as many as are in flight, then measures `runs` others, at least ten times as
// many; the pipeline is full all the time.
Result<Throughput> measure_throughput(std::shared_ptr<const Plan> plan, const UnitList& units, PipelineOptions options,
                                      const tools::InputTensors& inputs, int warmup, int runs);

void add_throughput(Table& table, const Throughput& throughput, int in_flight);
Json to_json(const Throughput& throughput, int in_flight);

}  // namespace nestrt::command
