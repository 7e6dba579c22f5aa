// SPDX-License-Identifier: Apache-2.0
// Units in virtual time that compute nothing: a branch takes as long as the test specifies.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "nestrt/driver/clock.h"
#include "nestrt/driver/unit.h"
#include "runtime/core/host.h"
#include "runtime/kernel/parallel.h"

namespace nestrt::test {

class VirtualClock final : public Clock {
 public:
  SteadyClock::time_point now() const override { return SteadyClock::time_point(SteadyClock::duration(now_.load())); }
  void advance(SteadyClock::duration time) { now_ += time.count(); }
  // Waiters poll, because the code that advances the time cannot notify them.
  void wait_until(Condition& condition, Mutex& mutex, SteadyClock::time_point) override NESTRT_REQUIRES(mutex) {
    condition.wait_until(mutex, SteadyClock::now() + std::chrono::milliseconds(1));
  }

 private:
  std::atomic<SteadyClock::rep> now_{0};
};

// Parameters that a test may change at any time.
struct VirtualSpeed {
  std::atomic<int64_t> microseconds{1};  // time of each branch
  std::atomic<int> good{0};              // submissions that succeed before the unit fails, hangs or is late
  std::atomic<bool> fails{false};
  std::atomic<bool> hangs{false};   // whether the unit hangs until its time limit
  std::atomic<int64_t> late_us{0};  // delay of one submission
  std::atomic<int> computed{0};     // branches computed
  std::atomic<int> urgent{0};       // branches submitted as urgent
  std::atomic<int> probes{0};
};

class VirtualUnit final : public Unit, public Host {
 public:
  VirtualUnit(UnitInfo info, std::shared_ptr<VirtualClock> clock, std::shared_ptr<VirtualSpeed> speed)
      : info_(std::move(info)), clock_(std::move(clock)), speed_(std::move(speed)) {}

  const UnitInfo& info() const override { return info_; }
  Result<std::unique_ptr<Executable>> prepare(const BranchSpec&) override {
    return std::unique_ptr<Executable>(std::make_unique<Program>(clock_, speed_));
  }
  Host* host() override { return info_.is_host ? this : nullptr; }
  bool run_lanes(int, FunctionRef<void(int)>) override { return false; }
  ParallelRunner& threads() override { return runner_; }
  Status probe() override {
    ++speed_->probes;
    return speed_->fails || speed_->hangs ? Status(Code::kUnavailable, "it fails") : Status();
  }

 private:
  class Program final : public Executable {
   public:
    Program(std::shared_ptr<VirtualClock> clock, std::shared_ptr<VirtualSpeed> speed)
        : clock_(std::move(clock)), speed_(std::move(speed)) {}
    size_t scratch_bytes() const override { return 0; }
    void submit(const Submission& submission) override {
      const SteadyClock::time_point begin = clock_->now();
      if (submission.urgent) ++speed_->urgent;
      const Deadline timeout = std::min(submission.deadline, submission.unit_deadline_from(begin));
      const bool is_good = speed_->good > 0 && speed_->good-- > 0;
      const std::chrono::microseconds time(speed_->microseconds + (is_good ? 0 : speed_->late_us.exchange(0)));
      const bool is_late = (speed_->hangs && !is_good) || begin + time > timeout;
      clock_->advance(is_late ? std::max(timeout - begin, SteadyClock::duration(0)) : time);
      submission.completion->signal(submission.generation,
                                    is_late ? Status(Code::kDeadlineExceeded, "it is late") : end(is_good));
    }

   private:
    Status end(bool is_good) {
      if (speed_->fails && !is_good) return Status(Code::kDeviceFault, "it fails");
      ++speed_->computed;
      return {};
    }

    const std::shared_ptr<VirtualClock> clock_;
    const std::shared_ptr<VirtualSpeed> speed_;
  };

  const UnitInfo info_;
  const std::shared_ptr<VirtualClock> clock_;
  const std::shared_ptr<VirtualSpeed> speed_;
  InlineRunner runner_;
};

}  // namespace nestrt::test
