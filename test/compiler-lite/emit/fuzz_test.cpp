// SPDX-License-Identifier: Apache-2.0
// Tests mutants of a compiled plan, which has packed weights, blocked layouts and buffers that share bytes.
#include <catch2/catch.hpp>

#include "compiler-lite/compile.h"
#include "test/support/example_files.h"
#include "test/support/plan/plan_fuzz.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

TEST_CASE("Mutants of a compiled network are rejected or run within their memory") {
  const auto compiled = compiler::compile(kDemoModel, {});
  INFO(compiled.error().to_string());
  REQUIRE(compiled);
  const PlanFile samples[] = {PlanFile(compiled->span())};
  const int mutants = by_level(300, 3000, 200000);
  const FuzzResult result = fuzz_plans(samples, mutants, 7);
  CHECK(result.overran == 0);
  CHECK(result.unsteady == 0);
  CHECK(result.refused > mutants / 10);
  CHECK(result.ran > mutants / 100);
}

}  // namespace
}  // namespace nestrt::test
