// SPDX-License-Identifier: Apache-2.0
// Tests that an application survives crashes anywhere in an isolated plug-in and gets the host's results.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "nestrt/open_units.h"
#include "test/drivers/conformance/tested_plan.h"
#include "test/drivers/vendor/isolation/crashing_plugin.h"
#include "test/drivers/vendor/skeleton_programs.h"
#include "test/support/process/quiet.h"
#include "test/support/test_level.h"

namespace nestrt::vendor::test {
namespace {

// Resources that a plug-in process may leak when it ends.
struct Remains {
  size_t descriptors = 0, mappings = 0;
  bool has_children = false;

  static Remains now() {
    Remains remains;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
      ++remains.descriptors;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) remains.mappings += line.find("nestrt-plugin") != line.npos;
    remains.has_children = ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
    return remains;
  }
  bool operator==(const Remains&) const = default;
};

struct Wrong {
  Entry entry;
  Fault fault;
};

// Draws a call and its fault. Each hang costs a full timeout, so hangs with long timeouts are drawn less often.
Wrong draw(std::mt19937& random) {
  const auto entry = static_cast<Entry>(random() % kNumEntries);
  auto fault = static_cast<Fault>(1 + random() % kNumFaults);
  const bool has_deadline = entry == Entry::kBind || entry == Entry::kSubmit || entry == Entry::kWait;
  if (fault == Fault::kLoop && random() % (has_deadline ? 10 : 100) != 0) fault = Fault::kAbort;
  return {entry, fault};
}

// Time limit that is sufficient for a process without faults.
const Isolation kIsolation = with_timeout(std::chrono::seconds(1));

class Campaign {
 public:
  explicit Campaign(uint32_t seed) : random_(seed), plan_(skeleton_copy_file()) {
    units_ = {open_crashing_unit(kIsolation), open_units("cpu", {.num_threads = 1})->front()};
    options_.fault_tolerance.probe_interval = std::chrono::hours(24);  // the test probes explicitly
  }

  // Injects one fault during the lifetime of a session and its unit.
  void inject(Wrong wrong) {
    switch (wrong.entry) {
      case Entry::kOpen:
      case Entry::kDescribe:
      case Entry::kAllocateShared:
      case Entry::kLoad:
        return in_start(wrong);
      case Entry::kClose:
        return in_close(wrong);
      case Entry::kReset:
      case Entry::kSelfTest:
        orders_.give(wrong.entry, wrong.fault);
        CHECK_FALSE(units_[0]->probe().ok());
        return end();
      case Entry::kCancel:
        orders_.give(Entry::kSubmit, Fault::kHang);
        [[fallthrough]];
      default:
        return in_session(wrong);
    }
  }

  // Checks that the unit computes again.
  void check_works() {
    orders_.forget();
    int probes = 0;
    while (!units_[0]->probe().ok() && ++probes < 10) continue;
    const auto session = plan_.open(units_, options_);
    CHECK(plan_.is_right(*session, random_()));
    CHECK(session->num_host_fallbacks() == 0);
  }

  // Returns the number of faults that occurred. A fault may not occur if the machine is so slow that the process is
  // killed earlier.
  int injected() const { return injected_; }

 private:
  // Injects the fault while programs are run and unloaded.
  void in_session(Wrong wrong) {
    SessionOptions options = options_;
    if (wrong.fault == Fault::kLoop || wrong.entry == Entry::kCancel)
      options.fault_tolerance.unit_timeout = std::chrono::milliseconds(50);
    auto session = plan_.open(units_, options);
    orders_.give(wrong.entry, wrong.fault);
    CHECK(plan_.is_right(*session, random_()));
    CHECK(plan_.is_right(*session, random_()));
    session.reset();
    end();
  }

  // Injects the fault while the process is restarted with a session's programs.
  void in_start(Wrong wrong) {
    const auto session = plan_.open(units_, options_);
    orders_.give(Entry::kSubmit, Fault::kSegmentationFault);
    orders_.give(wrong.entry, wrong.fault);
    CHECK(plan_.is_right(*session, random_()));
    CHECK(session->num_host_fallbacks() == 1);
    CHECK_FALSE(units_[0]->probe().ok());
    CHECK(plan_.is_right(*session, random_()));
    end();
  }

  void in_close(Wrong wrong) {
    auto other = open_crashing_unit(kIsolation);
    orders_.give(wrong.entry, wrong.fault);
    other.reset();
    end();
  }

  void end() {
    injected_ += orders_.all_taken();
    check_works();
  }

  Orders& orders_ = new_orders();
  std::mt19937 random_;
  const nestrt::test::TestedPlan plan_;
  UnitList units_;
  SessionOptions options_;
  int injected_ = 0;
};

TEST_CASE("An application survives crashes in an isolated plug-in and computes what the host does") {
  if (!needs_isolation()) return;
  const nestrt::test::Quiet quiet;
  static_cast<void>(new_orders());  // mapped until exit, so not a leak
  const Remains before = Remains::now();
  std::mt19937 random(1);
  {
    Campaign campaign(2);
    campaign.check_works();
    const int count = nestrt::test::by_level(100, 300, 10000);
    for (int i = 0; i < count; ++i) {
      const Wrong wrong = draw(random);
      INFO("fault " << i << ": " << static_cast<int>(wrong.fault) << " at " << static_cast<int>(wrong.entry));
      campaign.inject(wrong);
    }
    CHECK(campaign.injected() > count - count / 20);
  }
  CHECK(Remains::now() == before);
}

}  // namespace
}  // namespace nestrt::vendor::test
