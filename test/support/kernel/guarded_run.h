// Runs of a plan over memory with guards on both sides, which held something else before.
#pragma once

#include <memory>
#include <vector>

#include "nestrt/session.h"
#include "test/support/kernel/stale.h"

namespace nestrt::test {

struct GuardedRun {
  bool ran = false;
  bool overran = false;            // wrote outside the outputs
  std::vector<std::byte> outputs;  // one after the other, where it ran
};
// Of a new session, over inputs of TensorSet::random(). What it allocates, and the outputs, hold `stale`.
GuardedRun run_guarded(const std::shared_ptr<const Plan>& plan, const UnitList& units, const SessionOptions& options,
                       Stale stale);

struct SteadyRun {
  bool ran = false;
  bool overran = false;
  bool steady = false;  // two runs over different stale memory did the same
};
SteadyRun run_twice(const std::shared_ptr<const Plan>& plan, const UnitList& units, const SessionOptions& options = {});

}  // namespace nestrt::test
