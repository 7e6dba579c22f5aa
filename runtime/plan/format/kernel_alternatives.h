// SPDX-License-Identifier: Apache-2.0
// Returns whether a plan lists several kernels for any operator.
#pragma once

#include <algorithm>

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

inline bool names_alternatives(const plan::Tables& plan) {
  const auto has_some = [](const plan::KernelSelection& selection) { return !selection.alternatives.empty(); };
  return std::ranges::any_of(plan.branches, [&](const plan::Branch& branch) {
    return std::ranges::any_of(branch.programs, [&](const plan::Program& program) {
      return std::ranges::any_of(program.selections, has_some);
    });
  });
}

}  // namespace nestrt
