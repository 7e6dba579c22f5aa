// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/unit_conformance.h"

#include <fmt/core.h>

#include <random>
#include <thread>

#include "runtime/plan/queries/program_for.h"
#include "runtime/plan/verify/computed_bytes.h"
#include "runtime/platform/aligned_memory.h"
#include "runtime/platform/guard.h"
#include "tools/support/report/branch_memory.h"

namespace nestrt::tools {
namespace {

using Bytes = std::vector<std::byte>;

// Far longer than any terminating program runs.
constexpr std::chrono::seconds kLongEnough{60};

Status broken(std::string what) { return Status(Code::kDeviceFault, std::move(what)); }

// The unit's program under test.
struct Subject {
  std::shared_ptr<const Plan> plan;
  Unit& unit;
  uint32_t branch = 0;
  const plan::Program* program = nullptr;
  plan_verify::Extents computed;  // of the branch
};

// The prepared program and its memory.
class Copy {
 public:
  static Result<std::unique_ptr<Copy>> make(const Subject& subject) {
    std::unique_ptr<Copy> copy(new Copy(subject));
    NESTRT_RETURN_IF_ERROR(copy->memory_.allocate());
    NESTRT_ASSIGN_OR_RETURN(copy->executable_,
                            subject.unit.prepare({subject.plan, subject.branch, subject.program, {}}));
    NESTRT_ASSIGN_OR_RETURN(copy->scratch_,
                            AlignedMemory::allocate(copy->executable_->scratch_bytes(), "scratch memory"));
    return copy;
  }

  void set_inputs(uint32_t seed) {
    std::mt19937 random(seed);
    memory_.randomize(random);
  }
  // Returns the status of a run, which another thread may cancel at any time.
  Status run(Submission submission = {}, bool is_cancelled = false) {
    submission.bindings = {memory_.addresses(), scratch_.data()};
    submission.unit_deadline = SteadyClock::now() + kLongEnough;
    submission.completion = &completion_;
    submission.generation = completion_.arm();
    std::thread canceller;
    if (is_cancelled) canceller = std::thread([&] { executable_->cancel(submission.generation); });
    executable_->submit(submission);
    const Status status = completion_.wait();
    if (canceller.joinable()) canceller.join();
    return status;
  }
  // Returns the results for inputs derived from `seed`.
  Result<Bytes> results(uint32_t seed) {
    set_inputs(seed);
    NESTRT_RETURN_IF_ERROR(run());
    return memory_.results();
  }
  Status check_still_right(uint32_t seed, const Bytes& expected) {
    NESTRT_ASSIGN_OR_RETURN(const Bytes again, results(seed));
    return again == expected ? Status() : broken("the same inputs produce different results in a later run");
  }
  const BranchMemory& memory() const { return memory_; }

 private:
  explicit Copy(const Subject& subject) : memory_(*subject.plan, subject.branch, subject.computed) {}

  BranchMemory memory_;
  AlignedMemory scratch_;
  Event completion_;
  std::unique_ptr<Executable> executable_;
};

// --- Results ---------------------------------------------------------------------------------------------------------

Status computes_the_same(const Subject& subject) {
  NESTRT_ASSIGN_OR_RETURN(const auto copy, Copy::make(subject));
  NESTRT_ASSIGN_OR_RETURN(const Bytes expected, copy->results(1));
  for (int round = 0; round < 5; ++round) NESTRT_RETURN_IF_ERROR(copy->check_still_right(1, expected));
  return {};
}

Status check_runs_are_independent(const Subject& subject) {
  NESTRT_ASSIGN_OR_RETURN(const auto copy, Copy::make(subject));
  NESTRT_ASSIGN_OR_RETURN(const Bytes first, copy->results(1));
  NESTRT_ASSIGN_OR_RETURN(const Bytes second, copy->results(2));
  NESTRT_RETURN_IF_ERROR(copy->check_still_right(1, first));
  return copy->check_still_right(2, second);
}

Status keeps_programs_apart(const Subject& subject) {
  NESTRT_ASSIGN_OR_RETURN(const auto one, Copy::make(subject));
  NESTRT_ASSIGN_OR_RETURN(const Bytes expected, one->results(1));
  {
    NESTRT_ASSIGN_OR_RETURN(const auto other, Copy::make(subject));
    NESTRT_ASSIGN_OR_RETURN(const Bytes others, other->results(2));
    NESTRT_RETURN_IF_ERROR(one->check_still_right(1, expected));
    NESTRT_RETURN_IF_ERROR(other->check_still_right(2, others));
  }
  return one->check_still_right(1, expected);
}

// Runs twice, with different initial contents of the results. A byte that is not written keeps its initial value in
// each run.
Status writes_all_results(const Subject& subject) {
  NESTRT_ASSIGN_OR_RETURN(const auto copy, Copy::make(subject));
  NESTRT_ASSIGN_OR_RETURN(const Bytes expected, copy->results(1));
  copy->memory().spoil_results();
  Submission submission;
  submission.is_checked = true;
  NESTRT_RETURN_IF_ERROR(copy->run(submission));
  return copy->memory().results() == expected ? Status() : broken("results contain previous contents of their memory");
}

Status writes_results_only(const Subject& subject) {
  NESTRT_ASSIGN_OR_RETURN(const auto copy, Copy::make(subject));
  copy->set_inputs(1);
  const Bytes before = copy->memory().others();
  NESTRT_RETURN_IF_ERROR(copy->run());
  return copy->memory().others() == before ? Status() : broken("bytes outside the results were changed");
}

// --- How runs end ----------------------------------------------------------------------------------------------------

Status keeps_deadlines(const Subject& subject) {
  NESTRT_ASSIGN_OR_RETURN(const auto copy, Copy::make(subject));
  NESTRT_ASSIGN_OR_RETURN(const Bytes expected, copy->results(1));
  Submission late;
  late.deadline = SteadyClock::now() - std::chrono::seconds(1);
  const Status status = copy->run(late);
  if (status.code() != Code::kDeadlineExceeded)
    return broken(fmt::format("a run that was submitted after its deadline ends with: {}", status.to_string()));
  return copy->check_still_right(1, expected);
}

Status cancels_at_any_time(const Subject& subject) {
  NESTRT_ASSIGN_OR_RETURN(const auto copy, Copy::make(subject));
  NESTRT_ASSIGN_OR_RETURN(const Bytes expected, copy->results(1));
  for (int round = 0; round < 20; ++round) {
    copy->set_inputs(1);
    const Status status = copy->run({}, true);
    if (!status.ok() && status.code() != Code::kCancelled)
      return broken(fmt::format("a run that was cancelled ends with: {}", status.to_string()));
    if (status.ok() && copy->memory().results() != expected)
      return broken("a run that was cancelled ends with OK but without results");
  }
  return copy->check_still_right(1, expected);
}

Status works_after(const Subject& subject, Status (Unit::*action)()) {
  NESTRT_ASSIGN_OR_RETURN(const auto copy, Copy::make(subject));
  NESTRT_ASSIGN_OR_RETURN(const Bytes expected, copy->results(1));
  for (int round = 0; round < 3; ++round) {
    NESTRT_RETURN_IF_ERROR((subject.unit.*action)());
    NESTRT_RETURN_IF_ERROR(copy->check_still_right(1, expected));
  }
  return {};
}

Status works_after_reset(const Subject& subject) { return works_after(subject, &Unit::reset); }

Status works_after_probe(const Subject& subject) { return works_after(subject, &Unit::probe); }

struct UnitCase {
  std::string_view name;
  Status (*test)(const Subject& subject);
};

constexpr UnitCase kCases[] = {
    {"the same inputs produce the same results", computes_the_same},
    {"results do not depend on earlier runs", check_runs_are_independent},
    {"two programs on one unit are independent", keeps_programs_apart},
    {"every byte of every result is written", writes_all_results},
    {"nothing but results is written", writes_results_only},
    {"a run that is submitted after its deadline ends without results, and the next one is correct", keeps_deadlines},
    {"a run cancelled at any time either completes with the correct results or reports that it was cancelled",
     cancels_at_any_time},
    {"a unit produces the same results after a reset", works_after_reset},
    {"a probe succeeds, and programs run after it", works_after_probe},
};

Result<Subject> find_program(const std::shared_ptr<const Plan>& plan, Unit& unit) {
  const plan::Tables& tables = plan->tables();
  NESTRT_ASSIGN_OR_RETURN(const auto computed, computed_bytes(tables));
  for (uint32_t branch = 0; branch < tables.branches.size(); ++branch)
    if (const plan::Program* const program = program_for(tables.branches[branch], unit.info()))
      return Subject{plan, unit, branch, program, computed[branch]};
  return Status(Code::kInvalidArgument,
                fmt::format("the plan has no program for unit '{}' ({})", unit.info().name, unit.info().configuration));
}

}  // namespace

Result<std::vector<UnitConformanceResult>> run_unit_conformance(
    const std::shared_ptr<const Plan>& plan, Unit& unit,
    const std::function<void(const UnitConformanceResult&)>& done) {
  NESTRT_ASSIGN_OR_RETURN(const Subject subject, find_program(plan, unit));
  std::vector<UnitConformanceResult> results;
  for (const UnitCase& tested : kCases) {
    results.push_back({tested.name, guarded([&] { return tested.test(subject); })});
    if (done) done(results.back());
  }
  return results;
}

}  // namespace nestrt::tools
