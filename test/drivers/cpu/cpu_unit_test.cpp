// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "nestrt/open_units.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

// relu_plan prepared on the CPU, with its own memory.
struct PreparedRelu {
  PlanFile file = relu_plan().build();
  std::vector<float> x = {-1, 2, -3, 4, -5, 6}, y = std::vector<float>(6, 9);
  std::byte* buffers[2] = {reinterpret_cast<std::byte*>(x.data()), reinterpret_cast<std::byte*>(y.data())};
  std::unique_ptr<Executable> executable;

  PreparedRelu() {
    const auto plan = Plan::from_memory(file.bytes());
    const auto units = open_units("cpu", {.num_threads = 1});
    REQUIRE(plan);
    REQUIRE(units);
    auto prepared = (*units)[0]->prepare({*plan, 0, &(*plan)->tables().branches[0].programs[0]});
    REQUIRE(prepared);
    executable = std::move(*prepared);
  }

  Status run(Deadline deadline) {
    Submission submission;
    submission.bindings.buffers = buffers;
    submission.deadline = deadline;
    return nestrt::run(*executable, submission);
  }
};

TEST_CASE("A program whose deadline has passed stops before its next operator and names it") {
  PreparedRelu relu;
  const Status status = relu.run(Deadline::min());
  CHECK(status.code() == Code::kDeadlineExceeded);
  CHECK(status.message() == "the deadline passed before operator 0 'relu'");
  CHECK(relu.y == std::vector<float>(6, 9));
}

TEST_CASE("A program that missed a deadline runs again") {
  PreparedRelu relu;
  CHECK_FALSE(relu.run(Deadline::min()).ok());
  CHECK(relu.run(kNoDeadline).ok());
  CHECK(relu.y == std::vector<float>{0, 2, 0, 4, 0, 6});
}

}  // namespace
}  // namespace nestrt::test
