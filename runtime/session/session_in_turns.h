// SessionInTurns: a session that takes turns at units with others, as those of a pipeline do.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "nestrt/session.h"
#include "runtime/session/prepared_schedule.h"
#include "runtime/session/turns.h"

namespace nestrt {

// Told of a schedule that came into use for good, and of the costs that it was made from: on another thread than the
// runs', and not while it is told of another.
using Adopted =
    std::function<void(const PreparedSchedule& schedule, const CostTable& costs, const CostTable& measured)>;

// What a session is among others.
struct TurnOptions {
  std::shared_ptr<UnitTurns> turns = nullptr;  // the same of all; null: units are everybody's
  Adopted adopted = {};                        // of one that learns for others; may be empty
  // Of one that runs what another has learned (offer()), and learns nothing itself.
  bool follows = false;
  bool may_change = false;     // that other's schedule
  KernelNumbers kernels = {};  // the first
};

class SessionInTurns : public Session {
 public:
  // As Session::create(), but for inputs of the plan's first shape alone.
  static Result<std::unique_ptr<SessionInTurns>> create(std::shared_ptr<const Plan> plan, UnitList units,
                                                        const SessionOptions& options, TurnOptions turns = {});

  using Session::run;
  // `turn`: of equal claims at a unit the smaller goes first.
  virtual Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
                     const RunOptions& options, uint64_t turn) = 0;

  // The schedule of the runs to come, of a session that follows another. From one thread at a time, which may be
  // another than the runs'. Where it cannot be prepared, that is logged, and the one in use stays.
  virtual void offer(const PreparedSchedule& schedule, const CostTable& costs, const CostTable& measured) = 0;
  // Whether a schedule may take the place of the first.
  virtual bool may_change() const = 0;
  virtual KernelNumbers kernels() const = 0;
};

}  // namespace nestrt
