// SPDX-License-Identifier: Apache-2.0
// Flips every bit of small plans. The digests detect the damage; if they are recomputed, the verifier decides.
#include <algorithm>
#include <catch2/catch.hpp>

#include "nestrt/open_units.h"
#include "runtime/plan/format/format.h"
#include "test/support/kernel/guarded_run.h"
#include "test/support/plan/bit_flips.h"
#include "test/support/plan/flat_costs.h"
#include "test/support/plan/plan_fuzz.h"
#include "test/support/process/quiet.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

plan_format::Header header_of(const PlanFile& file) {
  plan_format::Header header;
  std::memcpy(&header, file.bytes().data(), sizeof header);
  return header;
}

TEST_CASE("Every flipped bit is rejected") {
  for (const SmallPlan& plan : small_plans()) {
    const uint64_t tables_end = header_of(plan.file).data_offset;
    size_t accepted = 0;
    const auto load = [&](const PlanFile& damaged, size_t at, size_t) {
      accepted += Plan::from_memory(damaged.bytes(), Verification::kComplete).has_value();
      // Only complete verification checks the content digest.
      const bool in_content_digest =
          at >= offsetof(plan_format::Header, content_digest) && at < sizeof(plan_format::Header);
      if (at < tables_end && !in_content_digest) accepted += Plan::from_memory(damaged.bytes()).has_value();
    };
    const size_t flips = for_each_flipped_bit(plan.file, static_cast<size_t>(by_level(11, 1, 1)), load);
    CAPTURE(plan.what, flips);
    CHECK(flips > 3000);
    CHECK(accepted == 0);
  }
}

struct Outcomes {
  int same = 0;     // the bit belongs to a digest
  int refused = 0;  // rejected by the loader or by a unit
  int ran = 0;
  int wrong = 0;  // wrote outside its memory, or depended on previous contents of the memory
};

// Recomputes the digests and runs the plan unless it is rejected.
void try_flipped(const PlanFile& original, PlanFile file, const UnitList& units, Outcomes* outcomes) {
  file.write_digests();
  if (std::ranges::equal(file.bytes(), original.bytes())) {
    ++outcomes->same;
    return;
  }
  const auto plan = Plan::from_memory(file.bytes(), Verification::kComplete);
  if (!plan) ++outcomes->refused;
  if (!plan || !is_within(RunLimits(), **plan)) return;
  SessionOptions options;
  options.costs.table = flat_costs(**plan, units, [](const UnitInfo&) { return 100; });
  const SteadyRun run = run_twice(*plan, units, options);
  ++(run.ran ? outcomes->ran : outcomes->refused);
  outcomes->wrong += run.overran || !run.steady;
}

TEST_CASE("A plan with a flipped bit and matching digests is rejected or runs within its memory") {
  const Quiet quiet;
  const int stride = by_level(499, 9, 1);
  for (const SmallPlan& plan : small_plans()) {
    const auto units = open_units(plan.units, {.num_threads = 2});
    REQUIRE(units);
    Outcomes outcomes;
    const size_t flips = for_each_flipped_bit(
        plan.file, static_cast<size_t>(stride),
        [&](const PlanFile& file, size_t, size_t) { try_flipped(plan.file, file, *units, &outcomes); });
    CAPTURE(plan.what, flips, outcomes.same, outcomes.refused, outcomes.ran);
    CHECK(flips > 40);
    CHECK(outcomes.refused > 0);
    CHECK(outcomes.ran > 0);
    CHECK(outcomes.wrong == 0);
  }
}

}  // namespace
}  // namespace nestrt::test
