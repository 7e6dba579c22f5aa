// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/emit/drop_partial_programs.h"

#include <catch2/catch.hpp>

using namespace nestrt;
using namespace nestrt::compiler;

namespace {

// Returns a layer with a host program, a unit program and `count` partial programs of the unit.
BranchPrograms layer(uint64_t cycles, uint32_t count) {
  BranchPrograms result;
  result.entries.push_back({nullptr, UnitProgram(plan::ProgramKind::kKernels)});
  for (uint32_t i = 0; i <= count; ++i) {
    UnitProgram program(plan::ProgramKind::kInstructions);
    program.cycles = i == 0 ? cycles : cycles / 2;
    if (i > 0) program.channels = ChannelRange{0, 16 * i};
    result.entries.push_back({nullptr, std::move(program)});
  }
  return result;
}

std::vector<size_t> sizes(const std::vector<BranchPrograms>& programs) {
  std::vector<size_t> result;
  for (const BranchPrograms& branch : programs) result.push_back(branch.entries.size());
  return result;
}

}  // namespace

TEST_CASE("Partial programs are dropped layer by layer, starting with the shortest, and whole programs are kept") {
  std::vector<BranchPrograms> programs = {layer(500, 3), layer(100, 2), layer(50, 0), layer(100, 4)};
  REQUIRE(drop_partial_programs(programs));
  CHECK(sizes(programs) == std::vector<size_t>{5, 2, 2, 6});
  REQUIRE(drop_partial_programs(programs));
  CHECK(sizes(programs) == std::vector<size_t>{5, 2, 2, 2});
  REQUIRE(drop_partial_programs(programs));
  CHECK(sizes(programs) == std::vector<size_t>{2, 2, 2, 2});
  CHECK_FALSE(drop_partial_programs(programs));
}
