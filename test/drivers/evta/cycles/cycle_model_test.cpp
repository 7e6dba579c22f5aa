#include "drivers/evta/cycles/cycle_model.h"

#include <catch2/catch.hpp>

#include "test/drivers/evta/cycles/vta_unit_tests.h"

namespace nestrt::evta::test {
namespace {

const Configuration& configuration() { return kConfigurations[0]; }

TEST_CASE("The cycle model gives the published counts of VTA's instruction tests") {
  for (const VtaUnitTest& test : vta_unit_tests()) {
    CAPTURE(test.name);
    const auto count = count_cycles(configuration(), test.instructions, *find_cycle_profile("chisel2019"));
    REQUIRE(count);
    CHECK(count->cycles == test.published_cycles);
    CHECK(count->lower_bound <= count->cycles);
  }
}

}  // namespace
}  // namespace nestrt::evta::test
