// SPDX-License-Identifier: Apache-2.0
// Budgets for repeated use of constants, quantization parameters and segments. Every use of quantization is checked
// against rules, and units check, copy or repack segments for every use, and constants for every operator with another
// operator_key(). Without a budget, a plan that shares data excessively would need time and memory out of proportion to
// its file size. Operators with equal keys share one kernel, so the steps of an unrolled loop count once.
#pragma once

#include <cstdint>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/status.h"
#include "runtime/core/budget.h"

namespace nestrt {

// Returns the budget in bytes: 192 MB plus sixteen times the size of the data area.
Budget budget_of_uses(uint64_t data_bytes);

// Returns the charge for one use; 0 for an absent operand.
uint64_t bytes_of_quantization(const plan::Tensor& tensor);

// Checks that operators and programs stay within the budget and that the operators have at most
// plan_format::kMaxOperands operands in total. Requires: operands are tensor indices; tensors have existing buffers
// that contain them. Errors: kInvalidPlan.
Status check_operand_uses(const plan::Tables& plan, uint64_t data_bytes);
// Checks selected weights against the budget of constants, and programs against two more budgets. One covers the bytes
// of segments and ranges, at least one page each; for tensors other than constants it counts only the bytes by which a
// program's ranges exceed the buffer. The other covers instruction streams: 2 MB plus the size of the data area, at
// least 4 KB per stream. Requires: verified programs.
Status check_program_uses(const plan::Tables& plan, uint64_t data_bytes);

}  // namespace nestrt
