// SPDX-License-Identifier: Apache-2.0
// Determines which operators of a plan can share one prepared kernel.
#pragma once

#include <cstdint>
#include <string>

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

// Returns a key that is equal for operators with equal attributes whose operands have equal types, shapes, layouts,
// packings and quantizations, and whose constants are stored at the same place. The steps of an unrolled loop have
// equal keys. `weights`: tensor that replaces input 1, or -1. Requires: operands are tensor indices or -1.
std::string operator_key(const plan::Tables& plan, const plan::Operator& op, int32_t weights = -1);

// Returns true if an input of the operator is a constant. Requires: as above.
bool reads_constants(const plan::Tables& plan, const plan::Operator& op);

}  // namespace nestrt
