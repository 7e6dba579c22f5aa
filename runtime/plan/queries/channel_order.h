// Which branches may be computed channel by channel: some channels of the one while others of the one before are not
// complete.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

inline constexpr uint32_t kNoBranch = UINT32_MAX;

// By branch, the one whose result it reads channel by channel, so that a part of its channels needs only these to be
// complete; kNoBranch where there is none. Both are single operators that can be divided
// (runtime/plan/queries/channels.h), with as many channels, and the one before has a program for some of them. That one
// has no such predecessor itself. Such branches may overlap: what the later one writes shares no bytes with anything of
// the one before in the memory plan for any schedule. Requires: a verified plan.
std::vector<uint32_t> channel_predecessors(const plan::Tables& plan);

// The same by what branches read alone, for a plan that has no memory plans yet.
std::vector<uint32_t> channel_readers(const plan::Tables& plan);

}  // namespace nestrt
