// SPDX-License-Identifier: Apache-2.0
// Injects random faults in sequence, with the real XRT. The process must survive, no wait may exceed its limit, and
// successful runs must produce the right results.
#include <catch2/catch.hpp>
#include <cerrno>
#include <random>

#include "nestrt/log.h"
#include "test/boards/emulation/evta_board.h"
#include "test/drivers/conformance/prepared_copy.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/test_level.h"

namespace nestrt::boards {
namespace {

constexpr std::chrono::milliseconds kUnitTime{150};

struct Form {
  XclbinDescription xclbin;
  bool reports_errors;      // reports failed accesses
  bool has_reset;           // otherwise a hang makes the unit unusable until the card is reset
  uint32_t hangs_of_10000;  // number of runs in 10,000 that hang
  // Maximum time of a run. It exceeds the deadline by the time of a reset on a busy machine.
  std::chrono::seconds limit;
};

class Soak {
 public:
  Soak(Form form, uint32_t seed) : form_(std::move(form)), random_(seed) {
    Board& board = Board::instance();
    board.faults().forget();
    board.reset_card();
    board.set_configuration(evta::test::stock_configuration());
    open();
    set_log_level(LogLevel::kError);  // a unit in quarantine logs warnings
  }
  ~Soak() { set_log_level(LogLevel::kWarning); }

  // Performs one run with one fault, or none.
  void step() {
    inject();
    copy_->renew();
    Submission submission;
    submission.submitter_waits = draw(2) == 0;
    const auto start = SteadyClock::now();
    submission.unit_deadline = start + kUnitTime;
    const Status status = copy_->run(submission);
    CHECK(SteadyClock::now() - start < form_.limit);
    CHECK((status.ok() ? copy_->is_right() : copy_->is_unchanged()));
    ++(status.ok() ? succeeded_ : failed_);
    recover();
  }

  int succeeded() const { return succeeded_; }
  int failed() const { return failed_; }

 private:
  uint32_t draw(uint32_t count) { return static_cast<uint32_t>(random_() % count); }

  void inject() {
    constexpr int kErrors[] = {EIO, ENOMEM, EBUSY, EDEADLK, ENODEV, EINVAL};
    constexpr Call kCalls[] = {Call::kSync, Call::kExecute, Call::kCreateBuffer};
    BoardFaults& faults = Board::instance().faults();
    const uint32_t kind = draw(100);
    if (draw(10000) < form_.hangs_of_10000) {
      faults.set_resettable(draw(2) == 0);
      faults.next_run(RunFault::kHang);
    } else if (kind < 17 && form_.reports_errors) {
      faults.next_run(RunFault::kError);
    } else if (kind < 25) {
      faults.next_run(RunFault::kLate);
    } else if (kind < 60) {
      faults.fail(kCalls[draw(3)], kErrors[draw(6)], 1 + static_cast<int>(draw(3)));
    }
  }

  // Recovers the board as an administrator would.
  void recover() {
    if (draw(3) == 0) return;
    Board::instance().faults().forget();
    if (unit_->probe().ok()) return;
    Board::instance().reset_card();
    if (!form_.has_reset) open();
    CHECK(unit_->probe().ok());
  }

  void open() {
    copy_.reset();
    unit_.reset();
    unit_ = open_unit(options_for(form_.xclbin), evta::test::stock_configuration());
    copy_.emplace(*unit_, evta::test::copy_plan(evta::test::stock_configuration()).build());
  }

  const Form form_;
  std::mt19937 random_;
  std::shared_ptr<Unit> unit_;
  std::optional<test::PreparedCopy> copy_;
  int succeeded_ = 0, failed_ = 0;
};

void check_random_faults(const Form& form) {
  const int runs = test::by_level(100, 300, 10000);
  Soak soak(form, 1);
  for (int run = 0; run < runs; ++run) soak.step();
  CAPTURE(soak.succeeded(), soak.failed());
  CHECK(soak.succeeded() > runs / 4);
  CHECK(soak.failed() > runs / 10);
}

TEST_CASE("Random board faults result in a Status or the correct result within the time limit") {
  check_random_faults({kernel_xclbin(), true, true, 300, std::chrono::seconds(3)});
}

TEST_CASE("Random faults of the four stages result in a Status or the correct result within the time limit") {
  check_random_faults({stages_xclbin(), false, false, 10, std::chrono::seconds(8)});
}

}  // namespace
}  // namespace nestrt::boards
