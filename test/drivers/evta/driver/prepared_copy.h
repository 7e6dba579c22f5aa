// SPDX-License-Identifier: Apache-2.0
// PreparedCopy: copy_plan() prepared on a unit, with separate memory.
#pragma once

#include "test/drivers/conformance/prepared_copy.h"
#include "test/support/plan/copy_plan.h"

namespace nestrt::evta::test {

class PreparedCopy : public nestrt::test::PreparedCopy {
 public:
  explicit PreparedCopy(Unit& unit, const Configuration& configuration = kConfigurations[0])
      : nestrt::test::PreparedCopy(unit, copy_plan(configuration).build()) {}

  using nestrt::test::PreparedCopy::run;
  using nestrt::test::PreparedCopy::submit;
  // Runs the program. The deadline also applies to the unit.
  Status run(Deadline deadline, RunObserver* observer = nullptr) {
    Submission submission;
    submission.deadline = submission.unit_deadline = deadline;
    submission.observer = observer;
    return run(submission);
  }
  // Clears y before the run.
  Status run_checked() {
    y.assign(y.size(), kUnchanged);
    Submission submission;
    submission.is_checked = true;
    return run(submission);
  }
};

}  // namespace nestrt::evta::test
