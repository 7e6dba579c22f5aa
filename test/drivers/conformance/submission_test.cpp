// SPDX-License-Identifier: Apache-2.0
// Tests how a unit describes itself, and the results of submissions.
#include <atomic>
#include <catch2/catch.hpp>
#include <deque>

#include "test/drivers/conformance/units_under_test.h"

namespace nestrt::test {
namespace {

// Returns how many of `runs` runs were correct.
int count_right(PreparedCopy& copy, int runs) {
  int right = 0;
  for (int run = 0; run < runs; ++run) {
    copy.renew();
    copy.submit();
    right += copy.completion.wait(SteadyClock::now() + kLongEnough).ok() && copy.is_right();
  }
  return right;
}

std::deque<PreparedCopy> prepare_copies(TestedUnit& tested, int count) {
  const PlanFile file = tested.copy_file();
  std::deque<PreparedCopy> copies;
  for (int i = 0; i < count; ++i) {
    copies.emplace_back(*tested, file);
    for (int8_t& value : copies.back().x) value = static_cast<int8_t>(value + 31 * i);
  }
  return copies;
}

TEST_CASE("Unit conformance: a unit describes itself") {
  for_every_unit([](TestedUnit& tested) {
    const UnitInfo& info = tested->info();
    CHECK_FALSE(info.kind.empty());
    CHECK(info.name.starts_with(info.kind));
    CHECK_FALSE(info.configuration.empty());
    CHECK(info.num_threads > 0);
    CHECK((tested->host() != nullptr) == info.is_host);
  });
}

TEST_CASE("Unit conformance: a program repeatedly produces the same results on every unit") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    for (int run = 0; run < 5; ++run) {
      copy.renew();
      REQUIRE(copy.run().ok());
      CHECK(copy.is_right());
    }
  });
}

TEST_CASE("Unit conformance: concurrent submissions all complete") {
  for_every_unit([](TestedUnit& tested) {
    std::deque<PreparedCopy> copies = prepare_copies(tested, 8);
    for (int round = 0; round < 3; ++round) {
      for (PreparedCopy& copy : copies) copy.renew();
      for (PreparedCopy& copy : copies) copy.submit();
      for (PreparedCopy& copy : copies) {
        CHECK(copy.wait().ok());
        CHECK(copy.is_right());
      }
    }
  });
}

TEST_CASE("Unit conformance: an executable is submitted again as soon as it is complete") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    CHECK(count_right(copy, 300) == 300);
  });
}

TEST_CASE("Unit conformance: a waiting submitter gets its results") {
  for_every_unit([](TestedUnit& tested) {
    std::deque<PreparedCopy> copies = prepare_copies(tested, 2);
    Submission waits;
    waits.submitter_waits = true;
    for (int run = 0; run < 5; ++run) {
      for (PreparedCopy& copy : copies) copy.renew();
      copies[0].submit();  // may still run when the other is submitted
      CHECK(copies[1].run(waits).ok());
      CHECK(copies[1].is_right());
      CHECK(copies[0].wait().ok());
      CHECK(copies[0].is_right());
    }
  });
}

TEST_CASE("Unit conformance: executables run concurrently from many threads") {
  for_every_unit([](TestedUnit& tested) {
    constexpr int kThreads = 4, kRuns = 50;
    std::deque<PreparedCopy> copies = prepare_copies(tested, kThreads);
    std::atomic<int> right{0};
    {
      std::deque<ScopedThread> threads;
      for (PreparedCopy& copy : copies) threads.emplace_back([&] { right += count_right(copy, kRuns); });
    }
    CHECK(right == kThreads * kRuns);
  });
}

TEST_CASE("Unit conformance: executables are prepared and destroyed while others run") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    int right = 0;
    ScopedThread runs([&] { right = count_right(copy, 100); });
    for (int i = 0; i < 20; ++i) {
      PreparedCopy other = tested.prepare_copy();
      CHECK(other.run().ok());
      CHECK(other.is_right());
    }
    runs.join();
    CHECK(right == 100);
  });
}

TEST_CASE("Unit conformance: an executable runs from different threads in sequence") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    for (int thread = 0; thread < 4; ++thread) {
      int right = 0;
      ScopedThread([&] { right = count_right(copy, 3); }).join();
      CHECK(right == 3);
    }
  });
}

// A unit may reject or queue the second submission, but must complete it.
TEST_CASE("Unit conformance: an executable that is submitted while it runs answers both submissions") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    const uint64_t generation = tested.submit_hanging(copy);
    std::vector<std::byte> memory(64);
    std::vector<std::byte*> buffers(copy.plan().tables().buffers.size(), memory.data());
    Event completion;
    Submission again;
    again.bindings.buffers = buffers;
    again.completion = &completion;
    again.generation = completion.arm();
    copy.executable().submit(again);
    copy.executable().cancel(generation);
    CHECK(copy.wait().code() == Code::kCancelled);
    const Status status = completion.wait(SteadyClock::now() + kLongEnough);
    CHECK(completion.done());
    CHECK((status.ok() || status.code() == Code::kUnavailable));
  });
}

// Records what the threads of a run report; read after the run.
struct Recorder final : RunObserver {
  void operator_done(uint32_t operator_index, Time start, Time end) override {
    operators.push_back(operator_index);
    in_order &= start <= end;
  }
  void phase_done(uint32_t operator_index, Phase phase, Time start, Time end) override {
    in_order &= operator_index == 0 && start <= end && static_cast<int>(phase) > last_phase && start >= last_end;
    last_phase = static_cast<int>(phase);
    last_end = end;
  }
  std::vector<uint32_t> operators;
  int last_phase = -1;
  Time last_end = Time::min();
  bool in_order = true;
};

TEST_CASE("Unit conformance: an observer is notified of every operator once") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    for (int run = 0; run < 2; ++run) {
      Recorder recorder;
      Submission observed;
      observed.observer = &recorder;
      REQUIRE(copy.run(observed).ok());
      CHECK(recorder.operators == copy.plan().tables().branches[0].operators);
      CHECK(recorder.in_order);
    }
  });
}

TEST_CASE("Unit conformance: an executable names the kernel of each operator") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    const auto choices = copy.executable().kernel_choices();
    REQUIRE(choices.size() == 1);
    CHECK(choices[0].operator_index == 0);
    CHECK_FALSE(choices[0].kernel.empty());
  });
}

}  // namespace
}  // namespace nestrt::test
