// SPDX-License-Identifier: Apache-2.0
// Checks weights that a plan stores in the packing of an instruction set, in addition to the unpacked ones.
#pragma once

#include "nestrt/plan.h"
#include "nestrt/status.h"

namespace nestrt::command {

// Checks that the packed weights have the same values as the operators' own; otherwise results would depend on the CPU.
// Errors: kInvalidPlan if they differ or if too many operators share them.
Status check_packed_weights(const Plan& plan);

}  // namespace nestrt::command
