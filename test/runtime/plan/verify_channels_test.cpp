// Programs for some of the output channels of a convolution: what the verifier takes and what it refuses.
#include <catch2/catch.hpp>
#include <functional>

#include "runtime/session/program_for.h"
#include "test/support/sample_plans.h"

namespace nestrt::test {
namespace {

// Tensors of divisible_plan.
constexpr int kInput = 4, kResidual = 5, kOutput = 6;
constexpr uint64_t kPixels = 30;

plan::ProgramT& program(plan::PlanT& plan) { return *plan.branches[1]->programs[1]; }
plan::ProgramRangeT& range(plan::PlanT& plan, size_t index) { return *program(plan).ranges[index]; }

// A program for the first 64 of 72 channels; its memory is the convolution's, in blocks of 32 if wanted.
PlanBuilder divided_plan(bool wide = false) {
  PlanBuilder builder = divisible_plan(72);
  auto made = std::make_unique<plan::ProgramT>();
  made->unit = "npu";
  made->kind = plan::ProgramKind::instructions;
  made->channels = 64;
  made->segments = {2};
  const auto add = [&](int tensor, uint64_t size, plan::RangeAccess access) {
    made->ranges.push_back(std::make_unique<plan::ProgramRangeT>());
    made->ranges.back()->address = made->ranges.size() * 0x10000;
    made->ranges.back()->size = size;
    made->ranges.back()->tensor = tensor;
    made->ranges.back()->access = access;
    made->ranges.back()->layout = wide ? plan::Layout::blocked32 : plan::Layout::plain;
  };
  add(kInput, 32 * kPixels, plan::RangeAccess::read);
  add(kResidual, 64 * kPixels, plan::RangeAccess::read);
  add(kOutput, 64 * kPixels, plan::RangeAccess::write);
  builder.tables().branches[1]->programs.push_back(std::move(made));
  return builder;
}

void expect_refused(PlanBuilder builder, const std::function<void(plan::PlanT&)>& damage, const char* message) {
  damage(builder.tables());
  const PlanBytes file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  INFO("expected: " << message);
  REQUIRE_FALSE(plan);
  INFO("got: " << plan.error().message());
  CHECK(plan.error().code() == Code::kInvalidPlan);
  CHECK(plan.error().message().find(message) != std::string_view::npos);
}

TEST_CASE("A program for some channels is accepted, and is no program for the branch") {
  for (const bool wide : {false, true}) {
    const PlanBytes file = divided_plan(wide).build();
    const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
    if (!plan) FAIL(plan.error().to_string());
    const plan::Branch& branch = *items((*plan)->tables().branches())[1];
    CHECK(program_for(branch, {"npu", "npu0", "", 1}) == nullptr);
    CHECK(program_for(branch, {"cpu", "cpu", "", 1}) == items(branch.programs())[0]);
    CHECK(can_run(*items(branch.programs())[1], {"npu", "npu0", "", 1}));
  }
}

TEST_CASE("A program for some channels of what cannot be divided is refused") {
  const auto refused = [](const std::function<void(plan::PlanT&)>& damage) {
    expect_refused(divided_plan(), damage, "branch 1: has a program for 64 channels of what cannot be divided");
  };
  const auto conv = [](plan::PlanT& p) { return p.operators[4]->attributes.AsConv(); };
  const auto tensor = [](plan::PlanT& p, int index) { return p.tensors[static_cast<size_t>(index)].get(); };
  refused([&](plan::PlanT& p) { conv(p)->group = 2; });
  refused([&](plan::PlanT& p) { conv(p)->wide_output = true; });
  refused([&](plan::PlanT& p) { tensor(p, kOutput)->quantization.reset(); });
  refused([&](plan::PlanT& p) { tensor(p, kResidual)->shape = {1, 72, 6, 5}; });
  refused([&](plan::PlanT& p) { p.operators[4]->inputs.resize(1); });
  refused([&](plan::PlanT& p) { p.operators[4]->inputs[1] = kInput; });
  refused([&](plan::PlanT& p) { p.operators[4]->inputs[2] = 2; });
  refused([&](plan::PlanT& p) { p.operators[4]->inputs.resize(100, -1); });
}

TEST_CASE("Programs for other numbers of channels than some blocks are refused") {
  for (const uint32_t channels : {8u, 40u, 72u, 80u, 0xFFFFFFF0u})
    expect_refused(divided_plan(), [&](plan::PlanT& p) { program(p).channels = channels; },
                   "of 72 channels: expected whole blocks of 16, and not all");
  expect_refused(divided_plan(), [](plan::PlanT& p) { program(p).kind = plan::ProgramKind::blob; },
                 "only instructions are made for a number of channels");
  expect_refused(divided_plan(), [](plan::PlanT& p) { p.branches[1]->programs[0]->channels = 16; },
                 "only instructions are made for a number of channels");
}

TEST_CASE("A program for some channels that could touch others is refused") {
  for (const uint64_t blocks : {48u, 72u, 80u})
    expect_refused(divided_plan(), [&](plan::PlanT& p) { range(p, 2).size = blocks * kPixels; },
                   "has a program for 64 channels with a range of");
  expect_refused(divided_plan(), [](plan::PlanT& p) { range(p, 1).size = 81 * kPixels; }, "bytes in tensor 5");
  for (const uint64_t blocks : {32u, 96u})
    expect_refused(divided_plan(true), [&](plan::PlanT& p) { range(p, 2).size = blocks * kPixels; },
                   "has a program for 64 channels with a range of");
  expect_refused(divided_plan(true), [](plan::PlanT& p) { program(p).channels = 48; }, "in blocks of 32");
  expect_refused(divided_plan(true), [](plan::PlanT& p) { range(p, 1).size = 48 * kPixels; }, "in blocks of 32");
  expect_refused(divided_plan(true), [](plan::PlanT& p) { range(p, 0).size = 64 * kPixels; }, "in blocks of 32");
}

}  // namespace
}  // namespace nestrt::test
