// SPDX-License-Identifier: Apache-2.0
// The programs of VTA's instruction tests (test_vta_insn.py of TVM), whose cycle counts in RTL simulation are published
// (tvm PR 3347).
#pragma once

#include <string_view>
#include <vector>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta::test {

struct VtaUnitTest {
  std::string_view name;
  std::vector<Instruction> instructions;
  uint64_t published_cycles;
};

std::vector<VtaUnitTest> vta_unit_tests();

}  // namespace nestrt::evta::test
