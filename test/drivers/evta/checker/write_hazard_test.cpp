#include "drivers/evta/checker/write_hazard.h"

#include <catch2/catch.hpp>

#include "test/support/random_program.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using evta::Loop;
using evta::MicroOp;

TEST_CASE("Write hazards are found exactly where going through all steps finds them") {
  std::mt19937 random(1);
  int hazards = 0;
  const int count = by_level(2000, 20000, 200000);
  for (int i = 0; i < count; ++i) {
    const auto up_to = [&](uint32_t most) { return static_cast<uint32_t>(random() % (most + 1)); };
    std::vector<MicroOp> micro_ops(1 + up_to(4));
    for (MicroOp& micro_op : micro_ops) micro_op.dst = up_to(7);
    const Loop loop{.uop_end = static_cast<uint32_t>(micro_ops.size()),
                    .iter_out = 1 + up_to(4),
                    .iter_in = 1 + up_to(4),
                    .dst_factor_out = up_to(6),
                    .dst_factor_in = up_to(4)};
    const bool expected = test::has_write_hazard(loop, micro_ops);
    REQUIRE(evta::has_write_hazard(loop, micro_ops) == expected);
    hazards += expected;
  }
  CHECK(hazards > count / 10);
  CHECK(hazards < count * 9 / 10);
}

}  // namespace
}  // namespace nestrt::test
