// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/simd/simd.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "kernels/common/gemm_s8/s8_tile.h"

namespace nestrt::kernels {

TEST_CASE("Only the machine's instruction sets can be selected") {
  const InstructionSet before = current_instruction_set();
  const auto supported = supported_instruction_sets();
  REQUIRE(!supported.empty());
  for (int i = 0; i < kNumInstructionSets; ++i) {
    const auto set = static_cast<InstructionSet>(i);
    INFO(name(set));
    const bool runs = std::find(supported.begin(), supported.end(), set) != supported.end();
    CHECK(force_instruction_set(set) == runs);
    CHECK((current_instruction_set() == set) == runs);
    if (!runs) continue;
    CHECK(includes(supported.front(), set));
    CHECK(!s8_tile_kernels(set).empty());
    force_instruction_set(supported.front() == set ? supported.back() : supported.front());
  }
  force_instruction_set(before);
}

}  // namespace nestrt::kernels
