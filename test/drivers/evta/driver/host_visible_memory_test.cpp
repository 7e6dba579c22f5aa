// SPDX-License-Identifier: Apache-2.0
// Tests sessions whose activations are in an accelerator's host-visible memory.
#include <catch2/catch.hpp>

#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "test/drivers/conformance/tested_plan.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/plan/copy_plan.h"

namespace nestrt::evta {
namespace {

using nestrt::test::TestedPlan;

// Returns how many operands of operators on the unit are the caller's tensors.
uint64_t count_of_callers_on(const Session& session, std::string_view unit) {
  const plan::Tables& tables = session.plan().tables();
  const auto operators = session.operators();
  uint64_t count = 0;
  for (size_t i = 0; i < operators.size(); ++i) {
    if (operators[i].unit != unit) continue;
    for (const auto& tensors : {tables.operators[i].inputs, tables.operators[i].outputs})
      for (const int32_t tensor : tensors)
        count += tables.buffers[tables.tensors[static_cast<size_t>(tensor)].buffer].kind != plan::BufferKind::kArena;
  }
  return count;
}

TEST_CASE("An accelerator provides host-visible memory that the host accesses in place, and the CPU provides none") {
  auto units = open_units("evta:sim");
  REQUIRE(units);
  const auto memory = units->front()->allocate_shared(4096);
  REQUIRE(memory);
  REQUIRE(*memory != nullptr);
  CHECK((*memory)->bytes().size() == 4096);
  CHECK(reinterpret_cast<uintptr_t>((*memory)->bytes().data()) % 64 == 0);
  CHECK((*memory)->is_safe());
  CHECK(*open_units("cpu")->front()->allocate_shared(4096) == nullptr);
}

TEST_CASE("Allocating more host-visible memory than the accelerator has fails") {
  auto units = open_units("evta:sim");
  REQUIRE(units);
  const auto memory = units->front()->allocate_shared(uint64_t{1} << 33);
  REQUIRE_FALSE(memory);
  CHECK(memory.error().code() == Code::kOutOfMemory);
}

TEST_CASE("Only the caller's tensors are copied") {
  const TestedPlan plan(test::copy_plan(test::stock_configuration()).build());
  auto units = open_units("evta:sim");
  REQUIRE(units);
  const auto session = plan.open(*units);
  REQUIRE(plan.is_right(*session, 1));
  const uint64_t in_and_out = session->inputs()[0].size_bytes() + session->outputs()[0].size_bytes();
  CHECK(session->memory().copied_bytes == in_and_out);
  CHECK(session->memory().shared_memory_bytes == in_and_out);
}

TEST_CASE("Results passed between programs of one accelerator are transferred to the host but not back") {
  uint64_t shared = 0, both_ways = 0;
  for (uint32_t seed = 0; seed < 5; ++seed) {
    const TestedPlan plan(test::random_network(test::stock_configuration(), 8, seed).build());
    auto units = open_units("evta:sim,cpu", {.num_threads = 1});
    REQUIRE(units);
    const auto session = plan.open(*units);
    REQUIRE(plan.is_right(*session, seed));
    const uint64_t bytes = session->inputs()[0].size_bytes();  // all tensors have this size
    CHECK(session->memory().copied_bytes == bytes * count_of_callers_on(*session, "evta0"));
    shared += session->memory().shared_memory_bytes;
    both_ways += 2 * bytes * static_cast<uint64_t>(nestrt::test::count_operators_on(*session, "evta0"));
  }
  CHECK(shared < both_ways);
  CHECK(shared >= both_ways / 2);
}

}  // namespace
}  // namespace nestrt::evta
