// SPDX-License-Identifier: Apache-2.0
// Tests which memory a unit may access, and when.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "test/drivers/conformance/guarded_memory.h"
#include "test/drivers/conformance/units_under_test.h"
#include "test/support/process/allocation_counter.h"

namespace nestrt::test {
namespace {

// Uses memory that starts `misalignment` bytes after a multiple of 64.
void check_guarded_run(PreparedCopy& copy, size_t misalignment) {
  CAPTURE(misalignment);
  GuardedMemory memory(copy.plan(), copy.executable().scratch_bytes(), misalignment);
  Submission submission;
  submission.bindings = memory.bindings();
  CHECK(nestrt::run(copy.executable(), submission).ok());
  CHECK(std::ranges::equal(memory.output(), memory.input()));
  CHECK(memory.is_intact());
}

TEST_CASE("Unit conformance: a program writes all of its results and nothing else") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    for (int run = 0; run < 3; ++run) check_guarded_run(copy, 0);
  });
}

TEST_CASE("Unit conformance: inputs and outputs may have any valid alignment") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();  // its tensors have bytes as elements
    for (size_t misalignment = 1; misalignment < 64; ++misalignment) check_guarded_run(copy, misalignment);
  });
}

TEST_CASE("Unit conformance: a complete program no longer accesses its memory") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy(), other = tested.prepare_copy();
    for (int run = 0; run < 20; ++run) {
      CHECK(copy.run().ok());
      copy.renew();  // the memory now has another purpose
      check_runs(other);
      CHECK(tested->reset().ok());
      CHECK(copy.is_unchanged());
    }
  });
}

TEST_CASE("Unit conformance: runs with known buffers allocate no memory") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy copy = tested.prepare_copy();
    REQUIRE(copy.executable().bind(copy.bindings().buffers).ok());
    Submission waits;
    waits.submitter_waits = true;
    bool right = true;
    const AllocationCounter counter;
    for (const Submission& submission : {Submission(), waits, Submission()}) right &= copy.run(submission).ok();
    const int64_t allocations = counter.count();
    CHECK(allocations == 0);
    CHECK((right && copy.is_right()));
  });
}

TEST_CASE("Unit conformance: destroying an executable does not affect the unit") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy stays = tested.prepare_copy();
    {
      PreparedCopy goes = tested.prepare_copy();
      check_runs(goes);
    }
    check_runs(stays);
  });
}

TEST_CASE("Unit conformance: an executable is destroyed with its memory immediately after its submission") {
  for_every_unit([](TestedUnit& tested) {
    PreparedCopy stays = tested.prepare_copy();
    for (int i = 0; i < 20; ++i) {
      PreparedCopy goes = tested.prepare_copy();
      goes.submit();
    }
    check_runs(stays);
  });
}

TEST_CASE("Unit conformance: running and queued programs end with their executables") {
  for_every_unit([](TestedUnit& tested) {
    {
      PreparedCopy waits = tested.prepare_copy(), runs = tested.prepare_copy();
      tested.submit_hanging(runs);
      waits.submit();
    }
    {
      PreparedCopy runs = tested.prepare_copy(), waits = tested.prepare_copy();
      tested.submit_hanging(runs);
      waits.submit();
    }
    PreparedCopy copy = tested.prepare_copy();
    check_runs(copy);
  });
}

}  // namespace
}  // namespace nestrt::test
