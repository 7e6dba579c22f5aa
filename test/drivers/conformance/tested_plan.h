// TestedPlan: a plan of bytes or integers with one input and one output, for sessions, and what the host makes of it.
//
// Threads: run() and is_right() from any, on any number of sessions at a time.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "nestrt/session.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

class TestedPlan {
 public:
  // Fails the test where the plan is refused.
  explicit TestedPlan(const PlanFile& file);
  TestedPlan(const TestedPlan&) = delete;

  // Each branch on the first unit beside the host that has a program for it. Fails the test where there is no session.
  std::unique_ptr<Session> open(const UnitList& units, SessionOptions options = {}) const;

  // With an input that `seed` stands for.
  Status run(Session& session, uint32_t seed, const RunOptions& options = {}) const;
  // Runs, and compares with the host alone.
  bool is_right(Session& session, uint32_t seed) const;

 private:
  Status run(Session& session, uint32_t seed, const RunOptions& options, std::vector<std::byte>& y) const;

  const PlanFile file_;
  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<Session> reference_;
};

// How many operators the unit of that name computes.
int count_operators_on(const Session& session, std::string_view unit);

}  // namespace nestrt::test
