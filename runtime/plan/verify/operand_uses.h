// How much operators and programs use of what a plan has once: constants, numbers of quantization, segments, each use
// counted. Rules are checked, and units check, copy or repack, for every one that uses them: a plan that shares them
// beyond reason would take more than in proportion to its file.
#pragma once

#include <cstdint>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/status.h"
#include "runtime/core/budget.h"

namespace nestrt {

// What uses may take, in bytes: 192 MB, and sixteen times those of the data area.
Budget budget_of_uses(uint64_t data_bytes);

// As a use of it is charged; 0 where it is absent.
uint64_t bytes_of_quantization(const plan::Tensor& tensor);

// Errors: kInvalidPlan where operators and programs use more than that, or operators have more than
// plan_format::kMaxOperands operands. Requires: operands are indices of tensors, tensors have
// buffers that exist and that hold them.
Status check_operand_uses(const plan::Tables& plan, uint64_t data_bytes);
// The same for programs, in budgets of their own: the bytes of their segments and of their ranges, a page for each at
// least, but for tensors beside constants, of which counts what a program has in its ranges beyond the size of their
// buffer; and those of streams of instructions, of which there may be 2 MB and as much as the data area has, 4 KB each
// at least. Requires: programs that have been verified.
Status check_program_uses(const plan::Tables& plan, uint64_t data_bytes);

}  // namespace nestrt
