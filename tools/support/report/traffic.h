// SPDX-License-Identifier: Apache-2.0
// The memory traffic of a session: activations and constants of its operators, and the part that row fusion keeps in a
// cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "nestrt/driver/unit.h"
#include "nestrt/session.h"
#include "runtime/plan/queries/statistics.h"

namespace nestrt::tools {

// Returns the work and traffic of an operator; views move nothing. Requires: the preconditions of statistics().
OperatorStatistics moved_by(const plan::Tables& tables, const plan::Operator& op);

struct Traffic {
  size_t num_row_fused = 0;  // operators whose results stay in a cache
  uint64_t macs = 0;
  uint64_t moved_bytes = 0;  // without row fusion
  uint64_t kept_bytes = 0;   // bytes whose write and read are avoided
};

Traffic traffic_of(const Session& session);

// Returns, for example, "6 operators, each with the next: 3.1 MB of results stay in a cache; 11.6 MAC per byte moved,
// 9.6 without", or "none".
std::string describe_row_fusion(const Traffic& traffic);

}  // namespace nestrt::tools
