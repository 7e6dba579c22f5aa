// Pipeline: several inferences of one plan in flight, so that every unit has work: while the NPU computes for one, the
// CPU computes for another. More inferences in a second than a session's, each of them later.
//
//   auto pipeline = nestrt::Pipeline::create(plan, units);
//   (*pipeline)->submit(inputs, outputs);   // from one thread, again and again
//   nestrt::Status status = (*pipeline)->next();   // results in the order of submission
//
// How it works: as many sessions as inferences may be in flight, each on a thread of its own, run schedules that give
// the busiest unit as little to do as possible; they take turns at each unit, and who will be done there soonest is
// next. The throughput is bounded by 1 / load of the busiest unit. Nothing is measured before the first inference:
// costs follow the runs as those of a session do, and a better schedule is taken over by all inferences. Memory: each
// session has an arena; weights are the plan's. submit() and next() allocate nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

#include "nestrt/driver/visibility.h"
#include "nestrt/session.h"

namespace NESTRT_PUBLIC nestrt {

struct PipelineOptions {
  int in_flight = 0;  // 0: three for each unit
  int waiting = 4;    // that submit() takes beyond those
  // For every session; the schedule's method is kThroughput. The first one learns and explores for all.
  SessionOptions session = {};
};

class Pipeline {
 public:
  // Errors: kInvalidArgument, those of Session::create, kUnavailable (no more threads to be had).
  static Result<std::unique_ptr<Pipeline>> create(std::shared_ptr<const Plan> plan, UnitList units,
                                                  const PipelineOptions& options = {});
  // Waits for the inferences that have begun; those that wait are not computed.
  virtual ~Pipeline() = default;

  // Hands in an inference; waits while as many as possible are in the pipeline. The memory of inputs and outputs stays
  // valid until next() has returned its status. From one thread at a time.
  virtual void submit(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) = 0;
  // Waits for the oldest inference that has been handed in and not been asked for, and says how Session::run went. From
  // one thread at a time, which may be another than submit()'s. Errors: kInvalidArgument where there is none,
  // kUnavailable in a child made by fork(), where submit() does nothing.
  virtual Status next() = 0;
  // Waits for at most so long until next() would not have to wait, and says whether that is so: for callers who have
  // something else to look at now and then. From the thread that calls next().
  virtual bool wait_for_next(std::chrono::nanoseconds most) = 0;

  // So many inferences are in the pipeline at most: handed in, and not been asked for.
  virtual size_t capacity() const = 0;
  virtual const Plan& plan() const = 0;
  // The schedule of each inference.
  virtual Schedule schedule() const = 0;
};

}  // namespace nestrt
