// SPDX-License-Identifier: Apache-2.0
// TestedPlan: a plan of bytes or integers with one input and one output, for sessions, and the host's results for it.
//
// Threads: run() and is_right() are safe from any thread, on any number of concurrent sessions.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "nestrt/session.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

class TestedPlan {
 public:
  // Fails the test if the plan is rejected.
  explicit TestedPlan(const PlanFile& file);
  TestedPlan(const TestedPlan&) = delete;

  // Assigns each branch to the first unit other than the host that has a program for it. Fails the test if no session
  // can be created.
  std::unique_ptr<Session> open(const UnitList& units, SessionOptions options = {}) const;

  // Runs the plan. `seed` determines the input.
  Status run(Session& session, uint32_t seed, const RunOptions& options = {}) const;
  // Runs and compares with the host alone.
  bool is_right(Session& session, uint32_t seed) const;

 private:
  Status run(Session& session, uint32_t seed, const RunOptions& options, std::vector<std::byte>& y) const;

  const PlanFile file_;
  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<Session> reference_;
};

// Returns the number of operators that the unit with this name computes.
int count_operators_on(const Session& session, std::string_view unit);

}  // namespace nestrt::test
