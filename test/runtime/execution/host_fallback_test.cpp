// SPDX-License-Identifier: Apache-2.0
// Tests sessions with failing units. Faults are injected into a simulated EVTA.
#include <catch2/catch.hpp>
#include <random>
#include <thread>

#include "drivers/evta/driver/evta_unit.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "nestrt/log.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using evta::Fault;

constexpr std::chrono::milliseconds kSoon(50), kNever(600'000);

// A session for y = x on a simulated EVTA with faults and, if requested, the CPU.
class FaultySession {
 public:
  FaultySession(bool with_cpu, std::chrono::milliseconds timeout)
      : FaultySession(with_cpu,
                      SessionOptions{.fault_tolerance = {
                                         .unit_timeout = timeout, .timeout_factor = 0, .probe_interval = kNever}}) {}
  FaultySession(bool with_cpu, const SessionOptions& options)
      : file_(evta::test::copy_plan(evta::kConfigurations[0]).build()) {
    set_log_level(LogLevel::kError);
    auto plan = Plan::from_memory(file_.bytes());
    auto unit = evta::open_evta_unit({}, evta::make_simulator_transport({.faults = faults}));
    UnitList units;
    if (with_cpu) units = *open_units("cpu", {.num_threads = 1});
    units.push_back(*unit);
    evta_ = *unit;
    auto session = Session::create(*plan, units, options);
    if (!session) FAIL(session.error().to_string());
    session_ = std::move(*session);
  }
  ~FaultySession() { set_log_level(LogLevel::kWarning); }

  Status run(const RunOptions& options = {}) {
    const ConstTensorView input{DataType::kS8, session_->inputs()[0].shape, x.data()};
    const TensorView output{DataType::kS8, session_->outputs()[0].shape, y.data()};
    return session_->run({&input, 1}, {&output, 1}, options);
  }
  Unit& evta() { return *evta_; }
  uint64_t num_host_fallbacks() const { return session_->num_host_fallbacks(); }

  const std::shared_ptr<evta::FaultInjector> faults = std::make_shared<evta::FaultInjector>();
  const std::vector<int8_t> x = std::vector<int8_t>(64, 5);
  std::vector<int8_t> y = std::vector<int8_t>(64);

 private:
  PlanFile file_;
  std::shared_ptr<Unit> evta_;
  std::unique_ptr<Session> session_;
};

void check_fallbacks(FaultySession& session, uint64_t host_fallbacks) {
  session.y.assign(session.y.size(), 0);
  REQUIRE(session.run().ok());
  CHECK(session.y == session.x);
  CHECK(session.num_host_fallbacks() == host_fallbacks);
}

TEST_CASE("The CPU runs the step of a failing unit within the same run") {
  FaultySession session(true, kNever);
  check_fallbacks(session, 0);
  session.faults->next_run(Fault::kDmaError);
  check_fallbacks(session, 1);
  check_fallbacks(session, 2);  // the unit is not used until a probe
}

TEST_CASE("The CPU runs the step of a hanging unit after its timeout") {
  FaultySession session(true, kSoon);
  session.faults->next_run(Fault::kHang);
  check_fallbacks(session, 1);
}

// The timeout is longer than any test may take.
TEST_CASE("A unit that hangs in a measured step is stopped long before the timeout") {
  FaultySession session(true, SessionOptions{.fault_tolerance = {.unit_timeout = kNever}});
  check_fallbacks(session, 0);
  session.faults->next_run(Fault::kHang);
  const uint64_t before = session.num_host_fallbacks();  // a slow machine may have exceeded the limit already
  while (session.num_host_fallbacks() == before) REQUIRE(session.run().ok());
  CHECK(session.y == session.x);
}

// Runs with a random fault: hung, late, DMA error, lost interrupt, or none.
void run_with_tight_deadline(FaultySession& session, std::mt19937& random) {
  const Fault kinds[] = {Fault::kHang, Fault::kLate, Fault::kDmaError, Fault::kLostInterrupt, Fault::kNone};
  session.faults->next_run(kinds[random() % std::size(kinds)]);
  RunOptions options;
  if (random() % 2 == 0) options.deadline = SteadyClock::now() + std::chrono::microseconds(5000 + random() % 5000);
  session.y.assign(session.y.size(), 0);
  const Status status = session.run(options);
  INFO(status.to_string());
  CHECK((status.ok() || (status.code() == Code::kDeadlineExceeded && options.deadline != kNoDeadline)));
  if (status.ok()) CHECK(session.y == session.x);
  session.faults->forget();
}

// Repeats runs until one needs no host fallback, because probes may fail, too.
void run_until_trusted(FaultySession& session) {
  uint64_t before = 0;
  do {
    before = session.num_host_fallbacks();
    REQUIRE(session.run().ok());
  } while (session.num_host_fallbacks() != before);
}

TEST_CASE("With tight deadlines and any fault, a run is correct or fails") {
  SessionOptions options;
  options.fault_tolerance.timeout_slack = std::chrono::milliseconds(1);
  options.fault_tolerance.probe_interval = std::chrono::milliseconds(1);
  FaultySession session(true, options);
  REQUIRE(session.run().ok());
  std::mt19937 random(3);
  for (int left = by_level(100, 1000, 20'000); left > 0; --left) {
    run_with_tight_deadline(session, random);
    run_until_trusted(session);
    CHECK(session.y == session.x);
  }
  CHECK(session.num_host_fallbacks() > 0);
}

TEST_CASE("The CPU runs a step that another thread's reset of the unit has ended") {
  FaultySession session(true, kNever);
  session.faults->next_run(Fault::kHang);
  Status reset;
  std::thread other([&] {
    while (!session.faults->all_begun()) std::this_thread::yield();
    reset = session.evta().reset();
  });
  const Status status = session.run();
  other.join();
  CHECK(reset.ok());
  REQUIRE(status.ok());
  CHECK(session.y == session.x);
  CHECK(session.num_host_fallbacks() == 1);
}

TEST_CASE("A run past its deadline returns kDeadlineExceeded despite other errors") {
  FaultySession session(false, kNever);
  session.faults->next_run(Fault::kDmaError);
  CHECK(session.run().code() == Code::kDeviceFault);
  CHECK(session.run({.deadline = SteadyClock::now()}).code() == Code::kDeadlineExceeded);
}

TEST_CASE("Without a CPU a run returns the error of the failed unit") {
  FaultySession hanging(false, kSoon);
  hanging.faults->next_run(Fault::kHang);
  CHECK(hanging.run().code() == Code::kDeadlineExceeded);
  FaultySession faulty(false, kNever);
  faulty.faults->next_run(Fault::kDmaError);
  CHECK(faulty.run().code() == Code::kDeviceFault);
  CHECK(faulty.run().code() == Code::kUnavailable);
  CHECK(faulty.num_host_fallbacks() == 0);
}

TEST_CASE("A failed unit without fallback is probed and used again once it works") {
  FaultySession session(false, SessionOptions{.fault_tolerance = {.probe_interval = std::chrono::milliseconds(1)}});
  session.faults->next_run(Fault::kDmaError);
  CHECK(session.run().code() == Code::kDeviceFault);
  while (!session.run().ok()) std::this_thread::yield();
  CHECK(session.y == session.x);
}

}  // namespace
}  // namespace nestrt::test
