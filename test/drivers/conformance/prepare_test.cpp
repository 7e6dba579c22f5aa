// SPDX-License-Identifier: Apache-2.0
// Tests that units reject damaged programs and programs for other units, because plans are untrusted.
#include <algorithm>
#include <catch2/catch.hpp>

#include "test/drivers/conformance/guarded_memory.h"
#include "test/drivers/conformance/units_under_test.h"

namespace nestrt::test {
namespace {

constexpr Code kRefusals[] = {Code::kInvalidPlan, Code::kIncompatible, Code::kUnsupported, Code::kOutOfMemory};

template <typename Refused>
void check_refusal(const Result<Refused>& refused) {
  CHECK_FALSE(refused);
  if (refused) return;
  CAPTURE(refused.error().to_string());
  CHECK(std::ranges::find(kRefusals, refused.error().code()) != std::end(kRefusals));
  CHECK_FALSE(refused.error().message().empty());
}

plan::Program& program_of(plan::Tables& tables, const Unit& unit) {
  for (plan::Program& program : tables.branches[0].programs)
    if (program.unit == unit.info().kind) return program;
  FAIL("the plan has no program for unit '" << unit.info().kind << "'");
  return tables.branches[0].programs[0];
}

template <typename Damage>
PlanFile damaged_file(TestedUnit& tested, Damage damage) {
  PlanBuilder builder = tested.row().copy_plan();
  damage(builder.tables(), program_of(builder.tables(), *tested));
  return builder.build();
}

// Returns the unit's program after applying `damage`.
template <typename Damage>
ProgramInPlan damaged(TestedUnit& tested, Damage damage) {
  return ProgramInPlan(damaged_file(tested, damage), tested->info().kind);
}

void check_works(TestedUnit& tested) {
  PreparedCopy copy = tested.prepare_copy();
  check_runs(copy);
}

// Returns the buffer that the unit reads the program from.
uint32_t payload_of(const plan::Program& program) {
  REQUIRE_FALSE(program.segments.empty());
  return program.segments[0];
}

TEST_CASE("Unit conformance: a damaged program is rejected with a reason and the unit continues") {
  for_every_unit([](TestedUnit& tested) {
    CHECK_FALSE(tested.row().damages.empty());
    for (const Damage& damage : tested.row().damages) {
      CAPTURE(damage.what);
      const PlanFile file = damaged_file(tested, damage.apply);
      if (const auto plan = Plan::from_memory(file.bytes()); !plan)
        check_refusal(plan);  // it never reaches the unit
      else
        check_refusal(ProgramInPlan(file, tested->info().kind).prepare(*tested));
    }
    check_works(tested);
  });
}

TEST_CASE("Unit conformance: a program for another configuration is rejected") {
  for_every_unit([](TestedUnit& tested) {
    const ProgramInPlan other =
        damaged(tested, [](plan::Tables&, plan::Program& program) { program.configuration = "another"; });
    const auto executable = other.prepare(*tested);
    check_refusal(executable);
    CHECK(executable.error().code() == Code::kIncompatible);
  });
}

TEST_CASE("Unit conformance: a program of another kind is rejected") {
  for_every_unit([](TestedUnit& tested) {
    for (const auto kind : {plan::ProgramKind::kKernels, plan::ProgramKind::kInstructions, plan::ProgramKind::kBlob}) {
      bool is_other = false;
      const ProgramInPlan other = damaged(tested, [&](plan::Tables&, plan::Program& program) {
        is_other = program.kind != kind;
        program.kind = kind;
      });
      CAPTURE(plan::name(kind));
      if (is_other) check_refusal(other.prepare(*tested));
    }
  });
}

TEST_CASE("Unit conformance: channels that a program does not compute are rejected") {
  for_every_unit([](TestedUnit& tested) {
    const ProgramInPlan whole(tested.copy_file(), tested->info().kind);
    const auto executable = whole.prepare(*tested, {0, 16});
    CHECK_FALSE(executable);
    CHECK_FALSE(executable.error().message().empty());
  });
}

TEST_CASE("Unit conformance: a truncated program is rejected") {
  for_every_unit([](TestedUnit& tested) {
    const ProgramInPlan whole(tested.copy_file(), tested->info().kind);
    const uint32_t payload = payload_of(*whole.program);
    const size_t size = whole.plan->constant(payload).size();
    for (size_t bytes = 1; bytes < size; ++bytes) {
      CAPTURE(bytes);
      const ProgramInPlan cut = damaged(tested, [&](plan::Tables& tables, plan::Program&) {
        for (plan::Tensor& tensor : tables.tensors)
          if (tensor.buffer == payload) tensor.shape = Shape{static_cast<int64_t>(bytes)};
        tables.buffers[payload].size = bytes;
      });
      REQUIRE(cut.plan->constant(payload).size() == bytes);
      check_refusal(cut.prepare(*tested));
    }
  });
}

// Checks that the unit writes only its results, whether they are right or wrong, in time or late.
void check_stays_in_its_memory(Executable& executable, const Plan& plan) {
  GuardedMemory memory(plan, executable.scratch_bytes());
  Submission submission;
  submission.bindings = memory.bindings();
  submission.deadline = SteadyClock::now() + std::chrono::milliseconds(100);
  static_cast<void>(nestrt::run(executable, submission));
  CHECK(memory.is_intact());
}

TEST_CASE("Unit conformance: a program with a changed byte is rejected or stays in its memory") {
  for_every_unit([](TestedUnit& tested) {
    const PlanFile file = tested.copy_file();
    const ProgramInPlan whole(file, tested->info().kind);
    const std::span<const std::byte> payload = whole.plan->constant(payload_of(*whole.program));
    const auto begin = static_cast<size_t>(payload.data() - whole.file.bytes().data());
    int refused = 0;
    for (size_t at = begin; at < begin + payload.size(); ++at) {
      for (const auto bits : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
        CAPTURE(at - begin, static_cast<int>(bits));
        PlanFile changed = file;
        changed.mutable_bytes()[at] ^= bits;
        changed.write_digests();
        const ProgramInPlan program(changed, tested->info().kind);
        const auto executable = program.prepare(*tested);
        refused += !executable;
        executable ? check_stays_in_its_memory(**executable, *program.plan) : check_refusal(executable);
      }
    }
    CHECK(refused > 0);
    check_works(tested);
  });
}

}  // namespace
}  // namespace nestrt::test
