// SPDX-License-Identifier: Apache-2.0
// Tests that every exclusion in the table of units refers to an existing case.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "test/drivers/conformance/units_under_test.h"

namespace nestrt::test {
namespace {

std::set<std::string> conformance_cases() {
  std::set<std::string> statements;
  for (const Catch::TestCase& test : Catch::getRegistryHub().getTestCaseRegistry().getAllTests())
    if (test.name.starts_with(kCasePrefix)) statements.insert(test.name.substr(kCasePrefix.size()));
  return statements;
}

TEST_CASE("Every exclusion from the conformance suite has a reason and names existing cases once") {
  const std::set<std::string> cases = conformance_cases();
  REQUIRE(cases.contains("a unit describes itself"));
  for (const UnitUnderTest& row : units_under_test()) {
    std::set<std::string> excluded;
    for (const Exclusion& exclusion : row.exclusions) {
      CAPTURE(row.name, exclusion.reason);
      CHECK_FALSE(exclusion.reason.empty());
      CHECK_FALSE(exclusion.cases.empty());
      for (const std::string_view statement : exclusion.cases) {
        CAPTURE(statement);
        CHECK(cases.contains(std::string(statement)));
        CHECK(excluded.insert(std::string(statement)).second);
      }
    }
  }
}

TEST_CASE("The units of the conformance suite have different names") {
  std::set<std::string> names;
  for (const UnitUnderTest& row : units_under_test()) CHECK(names.insert(row.name).second);
}

}  // namespace
}  // namespace nestrt::test
