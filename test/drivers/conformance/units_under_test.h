// The units that the conformance suite tests, a row each (units_table.cpp), and how a case runs on every one.
//
// A case is a TEST_CASE whose name begins with kCasePrefix and whose body is a call of for_every_unit(). It tests what
// nestrt/driver/unit.h promises and knows of a unit no more than TestedUnit says. A unit that a case does not fit is
// excluded from it by its row, with the reason.
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

// Faults that a unit has on request. Each request is for one run, in order.
class FaultControl {
 public:
  virtual ~FaultControl() = default;
  virtual void fail_next_run() = 0;  // it ends with an error of the hardware
  virtual void hang_next_run() = 0;  // it does not end until it is stopped
  // What was asked for and has not begun never happens.
  virtual void forget() = 0;
  // Whether every run asked for has begun.
  virtual bool all_begun() = 0;
};

struct OpenedUnit {
  std::shared_ptr<Unit> unit;
  std::shared_ptr<FaultControl> faults;  // null where it has none
};

// What makes a program one that its unit has to refuse. The plan stays one that loads.
struct Damage {
  std::string_view what;
  void (*apply)(plan::Tables& tables, plan::Program& program);
};

struct Exclusion {
  std::string_view reason;
  std::vector<std::string_view> cases;  // their names without kCasePrefix
};

// Those in which a run goes on, or waits, until another thread ends it.
std::vector<std::string_view> cases_that_stop_a_run();

struct UnitUnderTest {
  std::string name;                        // of its section in every case: test_drivers -c NAME
  std::function<OpenedUnit()> open;        // one of its own for every case
  std::function<PlanBuilder()> copy_plan;  // copy_plan() of test/support, with a program for the unit
  // random_network() of test/support, with a program for the unit on every branch that copies.
  std::function<PlanBuilder(int branches, uint32_t seed)> network;
  std::vector<Damage> damages;
  std::vector<Exclusion> exclusions;
};

// What the rows of EVTA have in common, whatever they reach it by: all but open().
UnitUnderTest evta_under_test(const evta::Configuration& configuration);

const std::vector<UnitUnderTest>& units_under_test();

// A unit as a case sees it. While it lives the library logs errors only: units that fail on request warn.
class TestedUnit {
 public:
  explicit TestedUnit(const UnitUnderTest& row);
  ~TestedUnit();
  TestedUnit(const TestedUnit&) = delete;

  const UnitUnderTest& row() const { return row_; }
  Unit& operator*() const { return *opened_.unit; }
  Unit* operator->() const { return opened_.unit.get(); }
  // With the machine's own CPU, unless it is that; in a session the unit is preferred.
  UnitList with_host() const;
  // The host first, and the host last.
  std::vector<UnitList> with_host_in_any_place() const;
  UnitList alone() const { return {opened_.unit}; }

  PlanFile copy_file() const { return row_.copy_plan().build(); }
  PreparedCopy prepare_copy() const { return PreparedCopy(*opened_.unit, copy_file()); }
  // Fails the test where the unit has none: then the case is to be excluded.
  FaultControl& faults() const;
  // Returns when the unit hangs in it.
  uint64_t submit_hanging(PreparedCopy& copy, const Submission& submission = {}) const;

 private:
  const UnitUnderTest& row_;
  const OpenedUnit opened_;
};

// Runs `body` on every unit that is not excluded from the test case that runs, each in a section of its own.
void for_every_unit(const std::function<void(TestedUnit&)>& body);

// After a failure: until a probe the unit computes rightly or refuses, after it it computes.
void check_recovers_by_probe(TestedUnit& tested, PreparedCopy& copy);

// Whether it becomes so before long; from any thread.
bool becomes(const std::function<bool()>& is_so);
// Fails the test where it does not.
void await(const std::function<bool()>& is_so);

// A thread that ends with its scope, whatever happens there.
class ScopedThread {
 public:
  // `stop` makes the work end.
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
