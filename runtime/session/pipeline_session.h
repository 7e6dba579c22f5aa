// PipelineSession: a session that takes turns at units with others, as those of a pipeline do.
#pragma once

#include <memory>
#include <span>

#include "nestrt/session.h"
#include "runtime/adaptation/adaptation.h"
#include "runtime/concurrency/unit_arbiter.h"
#include "runtime/execution/prepared_schedule.h"

namespace nestrt {

// What a session is among others.
struct PipelineSessionOptions {
  std::shared_ptr<UnitArbiters> arbiters = nullptr;  // the same of all; null: units are everybody's
  Adopted adopted = {};                              // of one that learns for others; may be empty
  // Of one that runs what another has learned (offer()), and learns nothing itself.
  bool follows = false;
  bool may_change = false;     // that other's schedule
  KernelNumbers kernels = {};  // the first
};

class PipelineSession : public Session {
 public:
  // As Session::create(), but for inputs of the plan's first shape alone.
  static Result<std::unique_ptr<PipelineSession>> create(std::shared_ptr<const Plan> plan, UnitList units,
                                                         const SessionOptions& options,
                                                         PipelineSessionOptions pipeline = {});

  using Session::run;
  // `turn`: of equal claims at a unit the smaller goes first.
  virtual Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
                     const RunOptions& options, uint64_t inference) = 0;

  // The schedule of the runs to come, of a session that follows another. From one thread at a time, which may be
  // another than the runs'. Where it cannot be prepared, that is logged, and the one in use stays.
  virtual void offer(const PreparedSchedule& schedule, const CostTable& costs, const CostTable& measured) = 0;
  // Whether a schedule may take the place of the first.
  virtual bool may_change() const = 0;
  virtual KernelNumbers kernels() const = 0;
};

}  // namespace nestrt
