// Units that compute nothing, in virtual time: a branch takes as long as the test says.
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

namespace nestrt::test {

class VirtualClock final : public Clock {
 public:
  SteadyClock::time_point now() const override { return SteadyClock::time_point(SteadyClock::duration(now_.load())); }
  void advance(SteadyClock::duration time) { now_ += time.count(); }
  // Whoever advances it does not know who waits: they look again and again.
  void wait_until(Condition& condition, Mutex& mutex, SteadyClock::time_point) override NESTRT_REQUIRES(mutex) {
    condition.wait_until(mutex, SteadyClock::now() + std::chrono::milliseconds(1));
  }

 private:
  std::atomic<SteadyClock::rep> now_{0};
};

// What a test may change while it is used.
struct VirtualSpeed {
  std::atomic<int64_t> microseconds{1};  // that each branch takes
  std::atomic<int> good{0};              // so many submissions go well before it fails, hangs or is late
  std::atomic<bool> fails{false};
  std::atomic<bool> hangs{false};   // until its time is over
  std::atomic<int64_t> late_us{0};  // of one submission
  std::atomic<int> computed{0};     // branches
  std::atomic<int> urgent{0};       // of the branches that were submitted
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
};

}  // namespace nestrt::test
