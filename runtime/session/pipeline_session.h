// SPDX-License-Identifier: Apache-2.0
// PipelineSession: a session that shares units, under arbitration, with the other sessions of a pipeline.
#pragma once

#include <memory>
#include <span>

#include "nestrt/session.h"
#include "runtime/adaptation/adaptation.h"
#include "runtime/concurrency/unit_arbiter.h"
#include "runtime/execution/prepared_schedule.h"

namespace nestrt {

// The role of a session within a pipeline.
struct PipelineSessionOptions {
  std::shared_ptr<UnitArbiters> arbiters = nullptr;  // shared by all sessions; null: units are not arbitrated
  Adopted adopted = {};                              // called by the session that adapts; may be empty
  // This session does not adapt. It runs the schedules that another session passes to offer().
  bool follows = false;
  bool may_change = false;     // whether the other session may reschedule
  KernelNumbers kernels = {};  // initial kernels
};

class PipelineSession : public Session {
 public:
  // Creates a session like Session::create(), limited to inputs of the plan's first shape.
  static Result<std::unique_ptr<PipelineSession>> create(std::shared_ptr<const Plan> plan, UnitList units,
                                                         const SessionOptions& options,
                                                         PipelineSessionOptions pipeline = {});

  using Session::run;
  // `inference`: among equal arbitration requests, the smaller number goes first.
  virtual Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
                     const RunOptions& options, uint64_t inference) = 0;

  // Sets the schedule for the next runs of a session that follows another. One thread at a time, which may differ from
  // the running one. If the schedule cannot be prepared, logs this and keeps the current one.
  virtual void offer(const PreparedSchedule& schedule, const CostTable& costs, const CostTable& measured) = 0;
  // Returns whether the first schedule may be replaced.
  virtual bool may_change() const = 0;
  virtual KernelNumbers kernels() const = 0;
};

}  // namespace nestrt
