// SPDX-License-Identifier: Apache-2.0
// Runs a plan on memory with guards on both sides and defined previous contents.
#pragma once

#include <memory>
#include <vector>

#include "nestrt/session.h"
#include "test/support/kernel/stale.h"

namespace nestrt::test {

struct GuardedRun {
  bool ran = false;
  bool overran = false;            // wrote outside the outputs
  std::vector<std::byte> outputs;  // concatenated, if it ran
};
// Runs a new session on inputs of TensorSet::random(). Its allocations and outputs initially hold `stale`.
GuardedRun run_guarded(const std::shared_ptr<const Plan>& plan, const UnitList& units, const SessionOptions& options,
                       Stale stale);

struct SteadyRun {
  bool ran = false;
  bool overran = false;
  bool steady = false;  // two runs with different stale memory behaved the same
};
SteadyRun run_twice(const std::shared_ptr<const Plan>& plan, const UnitList& units, const SessionOptions& options = {});

}  // namespace nestrt::test
