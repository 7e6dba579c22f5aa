// SPDX-License-Identifier: Apache-2.0
// Tests submissions whose deadline passes. No test depends on the speed of the machine: if a deadline must pass during
// a run, the run lasts until then.
#include <catch2/catch.hpp>

#include "test/drivers/conformance/tested_plan.h"
#include "test/drivers/conformance/units_under_test.h"

namespace nestrt::test {
namespace {

using std::chrono::milliseconds;

// Repeats the run with a later deadline until it passes in a hanging program. On a slow machine the deadline may pass
// before the program starts.
template <typename Run>
Status miss_deadline(TestedUnit& tested, Run run) {
  for (milliseconds time(10);; time *= 2) {
    tested.faults().hang_next_run();
    Status status = run(SteadyClock::now() + time);
    if (tested.faults().all_begun()) return status;
    tested.faults().forget();
    static_cast<void>(tested->probe());
  }
}

Status miss_deadline(TestedUnit& tested, PreparedCopy& copy, Deadline Submission::*which) {
  return miss_deadline(tested, [&](Deadline deadline) {
    Submission submission;
    submission.*which = deadline;
    return copy.run(submission);
  });
}

TEST_CASE("Unit conformance: an expired deadline ends a run without results and the next run works") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    for (const Deadline passed : {Deadline::min(), SteadyClock::now()}) {
      copy.renew();
      Submission late;
      late.deadline = passed;
      CHECK(copy.run(late).code() == Code::kDeadlineExceeded);
      CHECK(copy.is_unchanged());
      check_runs(copy);
    }
  });
}

TEST_CASE("Unit conformance: an expired unit deadline ends a run without results") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    Submission late;
    late.unit_deadline = Deadline::min();
    CHECK(copy.run(late).code() == Code::kDeadlineExceeded);
    CHECK(copy.is_unchanged());
    CHECK(tested->probe().ok());
    check_runs(copy);
  });
}

TEST_CASE("Unit conformance: distant deadlines change nothing") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    for (const Deadline far : {SteadyClock::now() + std::chrono::hours(1), SteadyClock::now() + std::chrono::years(100),
                               kNoDeadline - milliseconds(1)}) {
      copy.renew();
      Submission submission;
      submission.deadline = submission.unit_deadline = far;
      CHECK(copy.run(submission).ok());
      CHECK(copy.is_right());
    }
  });
}

TEST_CASE("Unit conformance: a deadline that passes during a run ends it and is not a failure of the unit") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    CHECK(miss_deadline(tested, copy, &Submission::deadline).code() == Code::kDeadlineExceeded);
    check_runs(copy);
  });
}

TEST_CASE("Unit conformance: a unit that misses its deadline has failed until a probe succeeds") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    CHECK(miss_deadline(tested, copy, &Submission::unit_deadline).code() == Code::kDeadlineExceeded);
    check_recovers_by_probe(tested, copy);
  });
}

TEST_CASE("Unit conformance: a unit that exceeds its limit has failed until a probe succeeds") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    Submission limited;
    limited.unit_limit = milliseconds(1);
    tested.faults().hang_next_run();
    CHECK(copy.run(limited).code() == Code::kDeadlineExceeded);
    tested.faults().forget();  // on a slow machine the limit passes before the run starts
    CHECK(copy.is_unchanged());
    check_recovers_by_probe(tested, copy);
  });
}

TEST_CASE("Unit conformance: queueing time does not count towards a program's limit") {
  for_every_unit([](TestedUnit& tested) {
    bool ran = false;
    for (milliseconds limit(10); !ran && limit < milliseconds(5000); limit *= 2) {  // a slow machine needs more
      PreparedCopy running = tested.prepare_copy(), waiting = tested.prepare_copy();
      const uint64_t first = tested.submit_hanging(running);
      Submission limited;
      limited.unit_limit = limit;
      waiting.submit(limited);
      const SteadyClock::time_point submitted = SteadyClock::now();
      await([&] { return SteadyClock::now() >= submitted + limit; });
      running.executable().cancel(first);
      CHECK(running.wait().code() == Code::kCancelled);
      ran = waiting.wait().ok();
      CHECK(tested->probe().ok());
    }
    CHECK(ran);
  });
}

TEST_CASE("Unit conformance: a run that missed a deadline accesses no memory afterwards") {
  for_every_unit([](TestedUnit& tested) {
    for (Deadline Submission::*const which : {&Submission::deadline, &Submission::unit_deadline}) {
      PreparedCopy copy = tested.prepare_copy(), other = tested.prepare_copy();
      CHECK(miss_deadline(tested, copy, which).code() == Code::kDeadlineExceeded);
      copy.renew();  // the memory and the event now have another purpose
      copy.completion.arm();
      CHECK(tested->probe().ok());
      check_runs(other);
      CHECK(copy.is_unchanged());
      CHECK_FALSE(copy.completion.done());
    }
  });
}

TEST_CASE("Unit conformance: a deadline that passes in the queue ends a program without results") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy running = tested.prepare_copy(), waiting = tested.prepare_copy();
    const uint64_t first = tested.submit_hanging(running);
    Submission late;
    late.deadline = SteadyClock::now() + milliseconds(1);
    waiting.submit(late);
    await([&] { return SteadyClock::now() >= late.deadline; });
    running.executable().cancel(first);
    CHECK(running.wait().code() == Code::kCancelled);
    CHECK(waiting.wait().code() == Code::kDeadlineExceeded);
    CHECK(waiting.is_unchanged());
    check_runs(waiting);
  });
}

// The session stops waiting for the unit while there is time for the host. A slow machine needs more time.
TEST_CASE("Unit conformance: a session whose unit hangs meets its deadline") {
  for_every_unit([](TestedUnit& tested) {
    const TestedPlan plan(tested.copy_file());
    Status status(Code::kDeadlineExceeded, "not run");
    for (milliseconds time(10); !status.ok() && time < SessionOptions().fault_tolerance.unit_timeout; time *= 2) {
      const auto session = plan.open(tested.with_host());
      tested.faults().hang_next_run();
      RunOptions options;
      options.deadline = SteadyClock::now() + time;
      status = plan.run(*session, 1, options);
      tested.faults().forget();
      CHECK(plan.is_right(*session, 2));
      if (status.ok()) CHECK(session->num_host_fallbacks() > 0);
    }
    CHECK(status.ok());
    PreparedCopy copy = tested.prepare_copy();
    check_runs(copy);  // a short deadline is not a failure of the unit
  });
}

TEST_CASE("Unit conformance: a session whose deadline passes during a run ends and the unit has not failed") {
  for_every_unit([](TestedUnit& tested) {
    const TestedPlan plan(tested.copy_file());
    const auto session = plan.open(tested.alone());
    const Status status = miss_deadline(tested, [&](Deadline deadline) {
      RunOptions options;
      options.deadline = deadline;
      return plan.run(*session, 1, options);
    });
    CHECK(status.code() == Code::kDeadlineExceeded);
    CHECK(plan.is_right(*session, 2));
    CHECK(session->num_host_fallbacks() == 0);
  });
}

}  // namespace
}  // namespace nestrt::test
