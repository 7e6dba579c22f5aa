// SPDX-License-Identifier: Apache-2.0
// Finds branches that can be computed channel by channel while other channels of their predecessor are incomplete.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

inline constexpr uint32_t kNoBranch = UINT32_MAX;

// Returns, for each branch, the predecessor whose result it reads channel by channel, so that some of its channels need
// only the same channels of the predecessor; or kNoBranch. Both are single operators that can be split
// (runtime/plan/queries/channels.h) and have the same number of channels. The predecessor has a program for some of the
// channels and is not itself computed channel by channel from another branch. Such branches may overlap: in the memory
// plan for any schedule, the later one writes no bytes of the earlier one. Requires: a verified plan.
std::vector<uint32_t> channel_predecessors(const plan::Tables& plan);

// Returns the same for a plan without memory plans, based only on what branches read.
std::vector<uint32_t> channel_readers(const plan::Tables& plan);

}  // namespace nestrt
