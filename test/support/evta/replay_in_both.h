// SPDX-License-Identifier: Apache-2.0
// Replays test vectors in the reference simulator and in the functional one.
#pragma once

#include "drivers/evta/simulator/replay.h"

namespace nestrt::evta {

// Runs replay(), and the same case in the reference simulator with strict checks. Errors: those of both.
Status replay_in_both(const VectorCase& vector, const Configuration& configuration, OnChip before = OnChip::kUnknown);

}  // namespace nestrt::evta
