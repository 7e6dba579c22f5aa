// SPDX-License-Identifier: Apache-2.0
// Runs several inferences of one plan concurrently, so that every unit has work.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

#include "nestrt/session.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// Options of Pipeline::create().
struct PipelineOptions {
  int in_flight = 0;  // inferences computed concurrently, at most 1024; 0: three per unit
  int waiting = 4;    // inferences queued in addition, at most 1024
  // Options of every session. The schedule method is always kThroughput. The first session learns and explores for all.
  SessionOptions session = {};
};

// A pipeline of inferences: while the NPU computes one, the CPU computes another. Compared with a session, throughput
// is higher, but so is the latency of each inference.
//
//   auto pipeline = nestrt::Pipeline::create(plan, units);
//   (*pipeline)->submit(inputs, outputs);          // repeatedly, from one thread
//   nestrt::Status status = (*pipeline)->next();   // results in the order of submission
//
// Scheduling: each of the `in_flight` inferences has a session and a thread. Their schedules minimise the load of the
// busiest unit, because its inverse bounds the throughput. Sessions waiting for a unit are served in the order in which
// they will finish on it. Costs are learned from the runs, and all sessions adopt a better schedule.
// Memory: one arena per session; the weights are shared. submit() and next() do not allocate.
class Pipeline {
 public:
  // Errors: kInvalidArgument, kUnavailable (no thread could be started), or an error of Session::create().
  static Result<std::unique_ptr<Pipeline>> create(std::shared_ptr<const Plan> plan, UnitList units,
                                                  const PipelineOptions& options = {});
  // Waits for the inferences in progress and drops the queued ones.
  virtual ~Pipeline() = default;

  // Submits an inference; blocks while the pipeline is full. Inputs and outputs must stay valid until next() has
  // returned the status of this inference. Call from one thread at a time. Does nothing in a child of fork().
  virtual void submit(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) = 0;
  // Waits for the oldest inference whose status has not been returned, and returns it as Session::run() would. Call
  // from one thread at a time, which may differ from the submitting thread.
  // Errors: kInvalidArgument if no inference is pending, kUnavailable in a child of fork().
  virtual Status next() = 0;
  // Waits up to `most` until next() would return without blocking, and returns whether it would. Call from the thread
  // that calls next().
  virtual bool wait_for_next(std::chrono::nanoseconds most) = 0;

  // Returns the maximum number of inferences that have been submitted but not yet returned by next().
  virtual size_t capacity() const = 0;
  virtual const Plan& plan() const = 0;
  // Returns the schedule of each inference.
  virtual Schedule schedule() const = 0;
};

}  // namespace nestrt
