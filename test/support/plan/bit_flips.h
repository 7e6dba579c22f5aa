// SPDX-License-Identifier: Apache-2.0
// Single-bit errors in plans.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "test/support/evta/evta_configuration.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {

struct SmallPlan {
  std::string what;
  std::string units;  // units for which the plan has programs
  PlanFile file;
};

// Returns one plan of each kind: f32, s8 with packed weights, and with programs for an accelerator.
inline std::vector<SmallPlan> small_plans() {
  return {{"f32", "cpu", blocked_plan().build()},
          {"s8", "cpu", divisible_plan(20).build()},
          {"evta", "cpu,evta:sim", evta::test::random_network(evta::test::stock_configuration(), 6, 1).build()}};
}

// Calls use(file, at, bit) for every `stride`-th bit with that bit flipped: bit `bit` of byte `at`. Returns the number
// of calls. An odd stride reaches all bits of a byte.
template <typename Use>
size_t for_each_flipped_bit(const PlanFile& original, size_t stride, Use use) {
  size_t flips = 0;
  PlanFile file = original;
  for (size_t i = 0; i < file.bytes().size() * 8; i += stride, ++flips) {
    file.mutable_bytes()[i / 8] ^= std::byte{1} << (i % 8);
    use(file, i / 8, i % 8);
    std::ranges::copy(original.bytes(), file.mutable_bytes().begin());
  }
  return flips;
}

}  // namespace nestrt::test
