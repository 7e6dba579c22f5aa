// SPDX-License-Identifier: Apache-2.0
// The units that the conformance suite tests, one row each (units_table.cpp), and how a case runs on each.
//
// A case is a TEST_CASE whose name starts with kCasePrefix and whose body is a call of for_every_unit(). It tests the
// guarantees of nestrt/driver/unit.h and uses only what TestedUnit provides. The row of a unit excludes cases that do
// not apply, with the reason.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "drivers/evta/isa/configuration.h"
#include "test/drivers/conformance/prepared_copy.h"

namespace nestrt::test {

inline constexpr std::string_view kCasePrefix = "Unit conformance: ";

// Fault injection of a unit. Each request is for one run, in order.
class FaultControl {
 public:
  virtual ~FaultControl() = default;
  virtual void fail_next_run() = 0;  // the run ends with a hardware error
  virtual void hang_next_run() = 0;  // the run does not end until it is stopped
  // Discards requests for runs that have not started.
  virtual void forget() = 0;
  // Returns whether every run with a request has started.
  virtual bool all_begun() = 0;
};

struct OpenedUnit {
  std::shared_ptr<Unit> unit;
  std::shared_ptr<FaultControl> faults;  // null if the unit has no fault injection
};

// A change that makes the unit reject a program. The plan must still load.
struct Damage {
  std::string_view what;
  void (*apply)(plan::Tables& tables, plan::Program& program);
};

struct Exclusion {
  std::string_view reason;
  std::vector<std::string_view> cases;  // names without kCasePrefix
};

// Returns the cases in which a run continues, or waits, until another thread ends it.
std::vector<std::string_view> cases_that_stop_a_run();

struct UnitUnderTest {
  std::string name;                        // name of its section in every case: test_drivers -c NAME
  std::function<OpenedUnit()> open;        // opens a new unit for every case
  std::function<PlanBuilder()> copy_plan;  // copy_plan() of test/support, with a program for the unit
  // Returns random_network() of test/support, with a program for the unit on every branch that copies.
  std::function<PlanBuilder(int branches, uint32_t seed)> network;
  std::vector<Damage> damages;
  std::vector<Exclusion> exclusions;
};

// Returns the common part of EVTA's rows: everything except open().
UnitUnderTest evta_under_test(const evta::Configuration& configuration);

const std::vector<UnitUnderTest>& units_under_test();

// A unit that a case tests. During its lifetime the library logs errors only, because units that fail on request log
// warnings.
class TestedUnit {
 public:
  explicit TestedUnit(const UnitUnderTest& row);
  ~TestedUnit();
  TestedUnit(const TestedUnit&) = delete;

  const UnitUnderTest& row() const { return row_; }
  Unit& operator*() const { return *opened_.unit; }
  Unit* operator->() const { return opened_.unit.get(); }
  // Returns the unit and, unless it is the CPU, the machine's CPU. A session prefers the unit.
  UnitList with_host() const;
  // Returns two lists: one with the host first, one with the host last.
  std::vector<UnitList> with_host_in_any_place() const;
  UnitList alone() const { return {opened_.unit}; }

  PlanFile copy_file() const { return row_.copy_plan().build(); }
  PreparedCopy prepare_copy() const { return PreparedCopy(*opened_.unit, copy_file()); }
  // Fails the test if the unit has no fault injection. The row of such a unit must exclude the case.
  FaultControl& faults() const;
  // Submits a run that hangs, and returns its generation once the unit hangs in it.
  uint64_t submit_hanging(PreparedCopy& copy, const Submission& submission = {}) const;

 private:
  const UnitUnderTest& row_;
  const OpenedUnit opened_;
};

// Runs `body` on every unit that is not excluded from the current test case, in one section each.
void for_every_unit(const std::function<void(TestedUnit&)>& body);

// Checks that the unit, after a failure, computes correctly or rejects work until a probe, and computes correctly after
// it.
void check_recovers_by_probe(TestedUnit& tested, PreparedCopy& copy);

// Returns whether the condition becomes true within a time limit. Safe from any thread.
bool becomes(const std::function<bool()>& is_so);
// Fails the test if the condition does not become true.
void await(const std::function<bool()>& is_so);

// A thread that is always joined at the end of its scope.
class ScopedThread {
 public:
  // Starts `work` on a new thread. `stop` ends the work.
  explicit ScopedThread(std::function<void()> work, std::function<void()> stop = {})
      : stop_(std::move(stop)), thread_(std::move(work)) {}
  ~ScopedThread() { join(); }
  void join() {
    if (stop_) stop_();
    if (thread_.joinable()) thread_.join();
  }

 private:
  const std::function<void()> stop_;
  std::thread thread_;
};

}  // namespace nestrt::test
