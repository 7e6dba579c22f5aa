// SPDX-License-Identifier: Apache-2.0
// Tests that the memory plan for any schedule is verified against the graph.
#include <catch2/catch.hpp>
#include <string>

#include "runtime/plan/format/format.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

// Adds a second memory plan, with these offsets of the arena buffers in order.
PlanFile with_offsets(PlanBuilder builder, const std::vector<uint64_t>& offsets) {
  plan::Tables& tables = builder.tables();
  plan::MemoryPlan memory = tables.memory_plans[0];
  memory.kind = plan::MemoryPlanKind::kAnySchedule;
  size_t next = 0;
  for (size_t i = 0; i < tables.buffers.size(); ++i)
    if (tables.buffers[i].kind == plan::BufferKind::kArena) memory.offsets[i] = offsets[next++];
  tables.memory_plans.push_back(std::move(memory));
  return builder.build();
}

std::string verdict(const PlanFile& file, Verification verification = Verification::kComplete) {
  const auto plan = Plan::from_memory(file.bytes(), verification);
  return plan ? "accepted" : std::string(plan.error().message());
}

// Returns a plan for x -> a -> b, x -> c -> d and b + d. In file order, a is dead before c is written.
PlanBuilder two_branches() {
  PlanBuilder builder;
  const int x = builder.input("x", {16});
  const int a = builder.arena("a", {16}), b = builder.arena("b", {16});
  const int c = builder.arena("c", {16}), d = builder.arena("d", {16});
  const int y = builder.output("y", {16});
  builder.op("a", unary(ops::UnaryKind::kRelu), {x}, {a});
  builder.op("b", unary(ops::UnaryKind::kNeg), {a}, {b});
  builder.op("c", unary(ops::UnaryKind::kAbs), {x}, {c});
  builder.op("d", unary(ops::UnaryKind::kNeg), {c}, {d});
  builder.op("y", binary(ops::BinaryKind::kAdd), {b, d}, {y});
  return builder;
}

PlanBuilder chain(size_t length) {
  PlanBuilder builder;
  int last = builder.input("x", {16});
  for (size_t i = 1; i < length; ++i) {
    const int next = builder.arena("t" + std::to_string(i), {16});
    builder.op("op" + std::to_string(i), unary(ops::UnaryKind::kRelu), {last}, {next});
    last = next;
  }
  builder.op("last", unary(ops::UnaryKind::kRelu), {last}, {builder.output("y", {16})});
  return builder;
}

std::vector<uint64_t> alternating(size_t buffers) {
  std::vector<uint64_t> offsets(buffers);
  for (size_t i = 0; i < buffers; ++i) offsets[i] = i % 2 * 64;
  return offsets;
}

TEST_CASE("Buffers whose lifetimes only the file order separates do not share bytes in a plan for any schedule") {
  const PlanFile file = with_offsets(two_branches(), {0, 64, 0, 128});
  const char* const expected = "memory plan 1: buffers 1 and 3 share bytes, but the graph does not order their uses";
  CHECK(verdict(file).find(expected) != std::string::npos);
  CHECK(verdict(file, Verification::kTables) == "accepted");
}

TEST_CASE("Buffers whose lifetimes the graph separates share bytes in a plan for any schedule") {
  CHECK(verdict(with_offsets(two_branches(), {0, 64, 128, 192})) == "accepted");
  CHECK(verdict(with_offsets(chain(5), alternating(4))) == "accepted");
}

TEST_CASE("Very long plans share no bytes in a plan for any schedule") {
  constexpr size_t kMost = plan_format::kMaxOrderedOperators;
  CHECK(verdict(with_offsets(chain(kMost), alternating(kMost - 1))) == "accepted");
  CHECK(verdict(with_offsets(chain(kMost + 1), alternating(kMost))).find("in a plan with more than 4096 operators") !=
        std::string::npos);
}

}  // namespace
}  // namespace nestrt::test
