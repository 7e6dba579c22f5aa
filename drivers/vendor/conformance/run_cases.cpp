// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <atomic>
#include <thread>

#include "drivers/vendor/conformance/cases.h"

namespace nestrt::vendor::cases {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The first run number, above the numbers that a Device uses in a case.
constexpr uint64_t kFirstRun = 1000000;
// Far longer than any terminating program runs.
constexpr seconds kLongEnough{60};

int64_t from_now(SteadyClock::duration time) {
  const SteadyClock::duration then = SteadyClock::now().time_since_epoch() + time;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(then).count();
}

// Makes direct calls to a device with a program that is bound to ports.
class RawRuns {
 public:
  static Result<RawRuns> create(const Subject& subject) {
    NESTRT_ASSIGN_OR_RETURN(auto ports, subject.ports(1));
    return RawRuns(subject, std::move(ports));
  }

  Status bind() const {
    const auto addresses = ports_->addresses();
    nestrt_vendor_message why = {};
    return check("bind",
                 call().bind(handle(), program(), addresses.data(), static_cast<uint32_t>(addresses.size()), &why));
  }
  Status submit(uint64_t run, int64_t deadline_ns = INT64_MAX) const {
    nestrt_vendor_message why = {};
    return check("submit", call().submit(handle(), program(), run, deadline_ns, &why));
  }
  void cancel(uint64_t run) const { call().cancel(handle(), run); }
  Status reset() const {
    nestrt_vendor_message why = {};
    return check("reset", call().reset(handle(), &why));
  }
  // Returns NESTRT_VENDOR_OK, with the completion, or NESTRT_VENDOR_PENDING.
  Result<nestrt_vendor_status> wait(SteadyClock::duration time, nestrt_vendor_completion* completion) const {
    nestrt_vendor_message why = {};
    const nestrt_vendor_status status = call().wait(handle(), from_now(time), completion, &why);
    if (status == NESTRT_VENDOR_OK || status == NESTRT_VENDOR_PENDING) return status;
    return broken(fmt::format("wait() returns status {}", status));
  }
  // Returns the status of the run, which must be reported within kLongEnough.
  Result<nestrt_vendor_status> end_of(uint64_t run) const {
    const SteadyClock::time_point end = SteadyClock::now() + kLongEnough;
    while (SteadyClock::now() < end) {
      nestrt_vendor_completion completion = {};
      NESTRT_ASSIGN_OR_RETURN(const nestrt_vendor_status status, wait(milliseconds(100), &completion));
      if (status == NESTRT_VENDOR_PENDING) continue;
      if (completion.run == run) return completion.status;
      return broken(fmt::format("wait() reports the end of run {}, but run {} is active", completion.run, run));
    }
    return broken(fmt::format("run {} does not end", run));
  }
  Status check_no_report(std::string_view when) const {
    nestrt_vendor_completion completion = {};
    NESTRT_ASSIGN_OR_RETURN(const nestrt_vendor_status status, wait(milliseconds(2), &completion));
    if (status == NESTRT_VENDOR_PENDING) return {};
    return broken(fmt::format("wait() reports the end of run {}, {}", completion.run, when));
  }
  Status check_ends_well(uint64_t run) const {
    NESTRT_ASSIGN_OR_RETURN(const nestrt_vendor_status status, end_of(run));
    if (status == NESTRT_VENDOR_OK) return {};
    return broken(fmt::format("run {} ends with status {} instead of OK", run, status));
  }
  const GuardedPorts& ports() const { return *ports_; }

 private:
  RawRuns(const Subject& subject, std::unique_ptr<GuardedPorts> ports) : subject_(&subject), ports_(std::move(ports)) {}

  const nestrt_vendor_functions& call() const { return subject_->device().call(); }
  nestrt_vendor_device* handle() const { return subject_->device().handle(); }
  nestrt_vendor_program* program() const { return subject_->program().get(); }
  static Status check(std::string_view function, nestrt_vendor_status status) {
    if (status == NESTRT_VENDOR_OK) return {};
    return broken(fmt::format("{}() returns status {}", function, status));
  }

  const Subject* subject_;
  std::unique_ptr<GuardedPorts> ports_;
};

}  // namespace

Status reports_runs_once(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const RawRuns runs, RawRuns::create(subject));
  NESTRT_RETURN_IF_ERROR(runs.bind());
  // Arbitrary, non-consecutive numbers are valid.
  for (const uint64_t run : {kFirstRun, kFirstRun + 1, kFirstRun + 77, UINT64_MAX}) {
    NESTRT_RETURN_IF_ERROR(runs.submit(run));
    NESTRT_RETURN_IF_ERROR(runs.check_ends_well(run));
    NESTRT_RETURN_IF_ERROR(runs.check_no_report("which was already reported or never submitted"));
  }
  return {};
}

Status wait_without_run_ends(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const RawRuns runs, RawRuns::create(subject));
  return runs.check_no_report("but none was submitted");
}

Status keeps_deadlines(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> expected, subject.results(1));
  NESTRT_ASSIGN_OR_RETURN(const RawRuns runs, RawRuns::create(subject));
  NESTRT_RETURN_IF_ERROR(runs.bind());
  NESTRT_RETURN_IF_ERROR(runs.submit(kFirstRun, from_now(-seconds(1))));
  NESTRT_ASSIGN_OR_RETURN(const nestrt_vendor_status status, runs.end_of(kFirstRun));
  if (status != NESTRT_VENDOR_DEADLINE && status != NESTRT_VENDOR_OK)
    return broken(fmt::format("a run that starts after its deadline ends with status {}", status));
  if (status == NESTRT_VENDOR_OK && runs.ports().outputs() != expected)
    return broken("a run that starts after its deadline ends with OK but without results");
  NESTRT_RETURN_IF_ERROR(runs.submit(kFirstRun + 1, from_now(kLongEnough)));
  NESTRT_RETURN_IF_ERROR(runs.check_ends_well(kFirstRun + 1));
  return subject.check_still_right(1, expected);
}

Status cancels_nothing_else(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const RawRuns runs, RawRuns::create(subject));
  runs.cancel(kFirstRun);  // nothing is pending
  NESTRT_RETURN_IF_ERROR(runs.bind());
  NESTRT_RETURN_IF_ERROR(runs.submit(kFirstRun + 1));
  for (const uint64_t other : {kFirstRun, kFirstRun + 2, uint64_t{0}}) runs.cancel(other);
  return runs.check_ends_well(kFirstRun + 1);
}

Status cancels_at_any_time(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> expected, subject.results(1));
  NESTRT_ASSIGN_OR_RETURN(const RawRuns runs, RawRuns::create(subject));
  NESTRT_RETURN_IF_ERROR(runs.bind());
  for (uint64_t run = kFirstRun; run < kFirstRun + 50; ++run) {
    NESTRT_RETURN_IF_ERROR(runs.submit(run));
    std::thread canceller([&] { runs.cancel(run); });
    const Result<nestrt_vendor_status> status = runs.end_of(run);
    canceller.join();
    NESTRT_RETURN_IF_ERROR(status.error());
    if (*status != NESTRT_VENDOR_OK && *status != NESTRT_VENDOR_CANCELLED)
      return broken(fmt::format("a run that was cancelled ends with status {}", *status));
    if (*status == NESTRT_VENDOR_OK && runs.ports().outputs() != expected)
      return broken("a run that was cancelled ends with OK but without results");
  }
  NESTRT_RETURN_IF_ERROR(runs.check_no_report("which was already reported"));
  return subject.check_still_right(1, expected);
}

Status resets_what_runs(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const RawRuns runs, RawRuns::create(subject));
  NESTRT_RETURN_IF_ERROR(runs.bind());
  NESTRT_RETURN_IF_ERROR(runs.submit(kFirstRun));
  NESTRT_RETURN_IF_ERROR(runs.reset());
  NESTRT_RETURN_IF_ERROR(runs.check_no_report("which a reset has ended"));
  NESTRT_RETURN_IF_ERROR(runs.submit(kFirstRun + 1));
  return runs.check_ends_well(kFirstRun + 1);
}

Status keeps_programs_over_reset(const PluginPointer& plugin, const ConformanceProgram& program) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, Subject::open(plugin, program));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> expected, subject.results(1));
  NESTRT_ASSIGN_OR_RETURN(const RawRuns runs, RawRuns::create(subject));
  NESTRT_RETURN_IF_ERROR(runs.reset());
  return subject.check_still_right(1, expected);
}

}  // namespace nestrt::vendor::cases
