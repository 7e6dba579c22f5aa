// SPDX-License-Identifier: Apache-2.0
// Tests that submissions can be cancelled and that each one receives exactly one completion.
#include <atomic>
#include <catch2/catch.hpp>
#include <new>

#include "test/drivers/conformance/tested_plan.h"
#include "test/drivers/conformance/units_under_test.h"

namespace nestrt::test {
namespace {

TEST_CASE("Unit conformance: a submission that is cancelled in advance does not start") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    const std::atomic<bool> cancelled{true};
    Submission submission;
    submission.cancelled = &cancelled;
    CHECK(copy.run(submission).code() == Code::kCancelled);
    CHECK(copy.is_unchanged());
    check_runs(copy);
  });
}

TEST_CASE("Unit conformance: cancelling a complete or unknown submission changes nothing") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    copy.executable().cancel(0);
    copy.executable().cancel(1);
    const uint64_t generation = copy.submit();
    REQUIRE(copy.wait().ok());
    copy.executable().cancel(generation);
    CHECK(copy.is_right());
    check_runs(copy);
  });
}

TEST_CASE("Unit conformance: a cancellation at any time gives either the results or kCancelled") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    std::atomic<uint64_t> next{1};  // generation to cancel; 0 ends the thread
    ScopedThread canceller(
        [&] {
          while (const uint64_t generation = next.load()) copy.executable().cancel(generation);
        },
        [&] { next = 0; });
    int answered = 0;
    constexpr int kRuns = 300;
    for (int run = 0; run < kRuns; ++run) {
      copy.renew();
      next = copy.submit();
      const Status status = copy.completion.wait(SteadyClock::now() + kLongEnough);
      answered += status.ok() ? copy.is_right() : status.code() == Code::kCancelled;
    }
    canceller.join();
    CHECK(answered == kRuns);
    check_runs(copy);
  });
}

TEST_CASE("Unit conformance: a running program is cancelled and the unit continues") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    const uint64_t generation = tested.submit_hanging(copy);
    CHECK_FALSE(copy.completion.done());
    copy.executable().cancel(generation);
    CHECK(copy.wait().code() == Code::kCancelled);
    check_runs(copy);
  });
}

TEST_CASE("Unit conformance: a queued program is cancelled and the one before it is not") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy running = tested.prepare_copy(), waiting = tested.prepare_copy();
    const uint64_t first = tested.submit_hanging(running), second = waiting.submit();
    waiting.executable().cancel(second);
    CHECK(waiting.wait().code() == Code::kCancelled);
    CHECK(waiting.is_unchanged());
    CHECK_FALSE(running.completion.done());
    running.executable().cancel(first);
    CHECK(running.wait().code() == Code::kCancelled);
    check_runs(waiting);
    check_runs(running);
  });
}

TEST_CASE("Unit conformance: a cancellation of another generation has no effect") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy running = tested.prepare_copy(), waiting = tested.prepare_copy();
    check_runs(running);  // its first generation is complete
    const uint64_t first = tested.submit_hanging(running), second = waiting.submit();
    running.executable().cancel(first - 1);
    running.executable().cancel(first + 1);
    waiting.executable().cancel(second + 1);
    CHECK_FALSE(running.completion.done());
    CHECK_FALSE(waiting.completion.done());
    running.executable().cancel(first);
    CHECK(running.wait().code() == Code::kCancelled);
    CHECK(waiting.wait().ok());
    CHECK(waiting.is_right());
  });
}

TEST_CASE("Unit conformance: a program with a waiting submitter is cancelled from another thread") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    FaultControl& faults = tested.faults();
    faults.hang_next_run();
    const uint64_t generation = copy.completion.arm() + 1;  // the next one
    ScopedThread canceller([&] {
      if (becomes([&] { return faults.all_begun(); })) copy.executable().cancel(generation);
    });
    Submission submission;
    submission.submitter_waits = true;
    CHECK(copy.submit(submission) == generation);
    CHECK(copy.wait().code() == Code::kCancelled);
    canceller.join();
    check_runs(copy);
  });
}

TEST_CASE("Unit conformance: a reset ends running and queued programs before it returns") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy running = tested.prepare_copy(), waiting = tested.prepare_copy();
    for (int round = 0; round < 50; ++round) {
      waiting.renew();
      tested.submit_hanging(running);
      waiting.submit();
      const Status status = tested->reset();
      const bool is_over = running.completion.done() && waiting.completion.done();
      CHECK(is_over);
      CHECK(status.ok());
      CHECK(running.wait().code() == Code::kCancelled);
      CHECK(waiting.wait().code() == Code::kCancelled);
      CHECK(waiting.is_unchanged());
    }
    check_runs(waiting);
    check_runs(running);
  });
}

TEST_CASE("Unit conformance: a completion reaches only the generation that it was armed for") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    const uint64_t first = copy.submit();
    REQUIRE(copy.wait().ok());
    CHECK_FALSE(copy.completion.signal(first));  // already signalled
    const uint64_t second = copy.completion.arm();
    CHECK(second != first);
    CHECK(tested->reset().ok());
    CHECK_FALSE(copy.completion.done());
  });
}

TEST_CASE("Unit conformance: a late completion does not reach the next generation") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    const uint64_t first = tested.submit_hanging(copy);
    const uint64_t second = copy.completion.arm();
    copy.executable().cancel(first);
    CHECK(tested->reset().ok());
    CHECK_FALSE(copy.completion.done());
    CHECK(copy.completion.signal(second));
    check_runs(copy);
  });
}

// An Event that is replaced, after each run, by another one at the same address, like the events on the stack of
// nestrt::run(). A second signal of a run reaches the replacement.
class PassingEvent {
 public:
  PassingEvent() { begin(); }
  ~PassingEvent() { event_->~Event(); }
  PassingEvent(const PassingEvent&) = delete;

  Status run(Executable& executable, const Bindings& bindings, const std::function<void(uint64_t)>& meanwhile = {}) {
    Submission submission;
    submission.bindings = bindings;
    submission.completion = event_;
    submission.generation = generation_;
    executable.submit(submission);
    if (meanwhile) meanwhile(submission.generation);
    Status status = event_->wait(SteadyClock::now() + kLongEnough);
    if (!event_->done()) FAIL("the submission did not complete in time");
    event_->~Event();
    begin();
    return status;
  }
  bool is_reached() const { return event_->done(); }

 private:
  void begin() {
    event_ = new (storage_) Event;
    generation_ = event_->arm();
  }

  alignas(Event) std::byte storage_[sizeof(Event)];
  Event* event_ = nullptr;
  uint64_t generation_ = 0;  // generation of all Events at this address
};

// Runs `copy`, then uses and resets the unit, and checks that no second completion arrives.
void check_one_completion(TestedUnit& tested, PreparedCopy& copy, Code expected,
                          const std::function<void(uint64_t)>& meanwhile = {}) {
  PassingEvent event;
  PreparedCopy other = tested.prepare_copy();
  CHECK(event.run(copy.executable(), copy.bindings(), meanwhile).code() == expected);
  check_runs(other);
  CHECK(tested->probe().ok());
  CHECK(tested->reset().ok());
  CHECK_FALSE(event.is_reached());
}

TEST_CASE("Unit conformance: a completion is signalled once") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    check_one_completion(tested, copy, Code::kOk);
    PassingEvent event;
    bool is_reached = false;
    for (int run = 0; run < 1000; ++run) {
      REQUIRE(event.run(copy.executable(), copy.bindings()).ok());
      is_reached |= event.is_reached();
    }
    CHECK_FALSE(is_reached);
  });
}

TEST_CASE("Unit conformance: the completion of a cancelled submission is signalled once") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    tested.faults().hang_next_run();
    check_one_completion(tested, copy, Code::kCancelled, [&](uint64_t generation) {
      await([&] { return tested.faults().all_begun(); });
      copy.executable().cancel(generation);
    });
    tested.faults().hang_next_run();
    check_one_completion(tested, copy, Code::kCancelled, [&](uint64_t) {
      await([&] { return tested.faults().all_begun(); });
      CHECK(tested->reset().ok());
    });
  });
}

TEST_CASE("Unit conformance: a session cancels what its unit runs") {
  for_every_unit([](TestedUnit& tested) {
    const TestedPlan plan(tested.copy_file());
    const auto session = plan.open(tested.with_host());
    FaultControl& faults = tested.faults();
    faults.hang_next_run();
    Status status;
    ScopedThread runs([&] { status = plan.run(*session, 1); });
    await([&] { return faults.all_begun(); });
    session->cancel();
    runs.join();
    CHECK(status.code() == Code::kCancelled);
    CHECK(plan.is_right(*session, 2));
    CHECK(session->num_host_fallbacks() == 0);
  });
}

}  // namespace
}  // namespace nestrt::test
