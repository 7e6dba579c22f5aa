// copy_plan prepared on a unit, with memory of its own.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <vector>

#include "nestrt/plan_tables.h"
#include "nestrt/unit.h"
#include "test/support/copy_plan.h"

namespace nestrt::evta::test {

class PreparedCopy {
 public:
  explicit PreparedCopy(Unit& unit, const Configuration& configuration = kConfigurations[0])
      : file_(copy_plan(configuration).build()) {
    auto plan = Plan::from_memory(file_.bytes());
    if (!plan) FAIL(plan.error().to_string());
    plan_ = std::move(*plan);
    for (const plan::Program& program : plan_->tables().branches[0].programs) {
      if (program.unit != unit.info().kind) continue;
      auto executable = unit.prepare({plan_, 0, &program});
      if (!executable) FAIL(executable.error().to_string());
      executable_ = std::move(*executable);
      program_ = &program;
    }
    REQUIRE(executable_ != nullptr);
    const auto bytes = static_cast<size_t>(kCopyRows * configuration.block());
    x.resize(bytes);
    std::iota(x.begin(), x.end(), static_cast<int8_t>(-7));
    y.assign(bytes, kUntouched);
    buffers_.resize(plan_->tables().buffers.size(), nullptr);
    buffers_[plan_->tables().tensors[0].buffer] = reinterpret_cast<std::byte*>(x.data());
    buffers_[plan_->tables().tensors[1].buffer] = reinterpret_cast<std::byte*>(y.data());
    scratch_.resize(executable_->scratch_bytes() + 64);
  }

  // The deadline is the unit's, too. Returns the generation.
  uint64_t submit(Deadline deadline, RunObserver* observer = nullptr) {
    Submission submission;
    submission.deadline = submission.unit_deadline = deadline;
    submission.observer = observer;
    return submit(submission);
  }
  // With memory and a completion.
  uint64_t submit(Submission submission = {}) {
    const auto address = reinterpret_cast<uintptr_t>(scratch_.data());
    submission.bindings = {buffers_, scratch_.data() + (64 - address % 64) % 64};
    submission.completion = &completion;
    submission.generation = completion.arm();
    executable_->submit(submission);
    return submission.generation;
  }
  Status run(Deadline deadline = kNoDeadline, RunObserver* observer = nullptr) {
    submit(deadline, observer);
    return completion.wait();
  }

  Executable& executable() { return *executable_; }
  const Plan& plan() const { return *plan_; }
  const plan::Program& program() const { return *program_; }
  bool untouched() const { return y == std::vector<int8_t>(y.size(), kUntouched); }

  static constexpr int8_t kUntouched = 85;
  std::vector<int8_t> x, y;
  Event completion;

 private:
  nestrt::test::PlanBytes file_;
  std::shared_ptr<const Plan> plan_;
  const plan::Program* program_ = nullptr;  // prepared
  std::vector<std::byte*> buffers_;
  std::vector<std::byte> scratch_;
  std::unique_ptr<Executable> executable_;
};

}  // namespace nestrt::evta::test
