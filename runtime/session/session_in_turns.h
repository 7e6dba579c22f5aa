// SessionInTurns: a session that takes turns at units with others, as those of a pipeline do.
#pragma once

#include <memory>
#include <span>

#include "nestrt/session.h"
#include "runtime/session/turns.h"

namespace nestrt {

class SessionInTurns : public Session {
 public:
  // As Session::create(). The sessions that it takes turns with have the same `turns`; null: units are everybody's.
  static Result<std::unique_ptr<SessionInTurns>> create(std::shared_ptr<const Plan> plan, UnitList units,
                                                        const SessionOptions& options,
                                                        std::shared_ptr<UnitTurns> turns);

  using Session::run;
  // `turn`: of equal claims at a unit the smaller goes first.
  virtual Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
                     const RunOptions& options, uint64_t turn) = 0;
};

}  // namespace nestrt
