// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/board/completion_poller.h"

#include <catch2/catch.hpp>

namespace nestrt::boards {
namespace {

using evta::CompletionPoller;
using std::chrono::microseconds;
using Duration = CompletionPoller::Duration;

struct Waited {
  Duration seen_after = Duration::zero();  // delay of detection after the end of the run
  Duration awake = Duration::zero();       // time that the waiter polled without sleeping
};

// Simulates a run on a machine with polls of one microsecond and sleeps that last `oversleep` too long.
Waited wait_for(CompletionPoller& poller, Duration run, Duration oversleep = microseconds(70)) {
  constexpr microseconds kPollTime{1};
  Waited waited;
  Duration now = Duration::zero();
  while (now < run) {
    const Duration pause = poller.pause(now);
    now += pause == Duration::zero() ? Duration(kPollTime) : pause + oversleep;
    if (pause == Duration::zero()) waited.awake += kPollTime;
  }
  poller.ended_after(now);
  waited.seen_after = now - run;
  return waited;
}

TEST_CASE("The end of a run of unknown duration is detected late by a fraction of its duration") {
  for (const microseconds run : {microseconds(10), microseconds(300), microseconds(3000), microseconds(50'000)}) {
    CompletionPoller poller;
    const Waited waited = wait_for(poller, run);
    CHECK(waited.awake == Duration::zero());
    CHECK(waited.seen_after <= microseconds(90) + std::min<Duration>(run / 16, CompletionPoller::kMaxSleep));
  }
}

TEST_CASE("The end of a run of known duration is detected immediately by a waiter that sleeps most of the time") {
  for (const microseconds run : {microseconds(90), microseconds(300), microseconds(3000), microseconds(50'000)}) {
    CompletionPoller poller;
    for (int before = 0; before < 16; ++before) wait_for(poller, run, microseconds(20));
    const Waited waited = wait_for(poller, run, microseconds(20));
    CHECK(waited.seen_after <= microseconds(1));
    CHECK(waited.awake <= CompletionPoller::kMaxOversleep);
  }
}

TEST_CASE("A waiter that oversleeps wakes earlier the next time and is rarely late") {
  CompletionPoller poller;
  for (int before = 0; before < 8; ++before) wait_for(poller, microseconds(1000), microseconds(90));
  Duration late = Duration::zero(), awake = Duration::zero();
  constexpr int kRuns = 100;
  for (int run = 0; run < kRuns; ++run) {
    const Waited waited = wait_for(poller, microseconds(1000), microseconds(90));
    late += waited.seen_after;
    awake += waited.awake;
  }
  CHECK(late / kRuns <= microseconds(10));
  CHECK(awake / kRuns <= microseconds(60));
}

TEST_CASE("After a few runs of a new length, their ends are detected immediately") {
  CompletionPoller poller;
  for (const microseconds run : {microseconds(2000), microseconds(1000), microseconds(6000), microseconds(300)}) {
    for (int again = 0; again < 16; ++again) wait_for(poller, run, microseconds(20));
    CHECK(wait_for(poller, run, microseconds(20)).seen_after <= microseconds(1));
  }
}

TEST_CASE("A delayed run does not delay the detection of later ones") {
  for (const int runs_before : {0, 1, 2, 16}) {
    CompletionPoller poller;
    for (int run = 0; run < runs_before; ++run) wait_for(poller, microseconds(300));
    wait_for(poller, std::chrono::seconds(1));
    for (int run = 0; run < 16; ++run) CHECK(wait_for(poller, microseconds(300)).seen_after <= microseconds(500));
  }
}

TEST_CASE("Two consecutive delayed runs delay the detection of at most two later ones") {
  CompletionPoller poller;
  for (int run = 0; run < 16; ++run) wait_for(poller, microseconds(300));
  for (int run = 0; run < 2; ++run) wait_for(poller, std::chrono::seconds(1));
  for (int run = 0; run < 2; ++run) wait_for(poller, microseconds(300));
  for (int run = 0; run < 16; ++run) CHECK(wait_for(poller, microseconds(300)).seen_after <= microseconds(500));
}

TEST_CASE("A run that never ends is polled periodically") {
  CompletionPoller poller;
  for (int run = 0; run < 2; ++run) wait_for(poller, microseconds(300));
  CHECK(poller.pause(std::chrono::seconds(1)) == Duration(CompletionPoller::kMaxSleep));
}

}  // namespace
}  // namespace nestrt::boards
