// SPDX-License-Identifier: Apache-2.0
// The parts of the structural verifier, in execution order. Each relies on the previous ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/status.h"
#include "runtime/plan/queries/extents.h"
#include "runtime/plan/verify/operand_uses.h"
#include "runtime/plan/verify/verify.h"

namespace nestrt::plan_verify {

// Bytes that an operator computes.
struct Write {
  Extent bytes;
  uint32_t operator_index = 0;
};

struct Context {
  const plan::Tables& plan;
  std::span<const std::byte> data;                // the data area
  std::vector<Extent> extents = {};               // per tensor; filled by verify_tensors
  std::vector<Write> writes = {};                 // filled by verify_dataflow; never contains empty ones
  std::vector<bool> views = {};                   // per operator, is_view(); filled by verify_dataflow
  std::vector<Extents> computed = {};             // per branch; filled by verify_programs
  Budget compared = budget_of_uses(data.size());  // for comparing quantizations with each other
};

// Checks the number of targets and the length of their names.
Status verify_targets(Context& context);
Status verify_buffers(Context& context);
Status verify_tensors(Context& context);
// Checks inputs, outputs and preprocessing.
Status verify_interface(Context& context);
// Checks operands, order, and the writer of each tensor.
Status verify_dataflow(Context& context);
// Checks that no byte of a buffer is computed twice. Together with verify_dataflow() this ensures that the operators
// which compute an operand precede its reader in the graph, regardless of the order of the others.
Status verify_writes(Context& context);
// Checks the number of dependencies.
Status verify_dependencies(Context& context);
// Checks the budgets for operands of operators (operand_uses.h).
Status verify_operand_uses(Context& context);
// Checks attributes, types and shapes against the operators' rules, independently of the unit.
Status verify_operators(Context& context);
// Checks lifetimes and offsets in the arena.
Status verify_memory(Context& context);
// Checks branches and programs.
Status verify_programs(Context& context);
// Checks the segments of vendors' blobs and the vendors' facts about them.
Status verify_vendor_programs(Context& context);
// Checks costs of the host and overheads.
Status verify_stated_costs(Context& context);
// Checks the budgets for programs (operand_uses.h).
Status verify_program_uses(Context& context);
// Checks that every program of instructions has write access to all results of its branch.
Status verify_results(Context& context);

// Checks that all shapes of a plan, each of which is valid, describe one network for different inputs.
Status verify_shapes(const plan::Tables& plan);

// Checks that branches that accelerators may run do not write bytes that they read.
Status verify_branch_memory(Context& context);

// Rejects operators whose output shares bytes with an input, except as defined in views.h, and adds the bytes that the
// operator computes to context.writes.
Status verify_aliasing(Context& context, uint32_t index);

// Returns the bytes of the tensor that a program's range covers, or more if the range has another layout or contains
// only some channels.
Extent bytes_of(const Context& context, const plan::Program& program, const plan::ProgramRange& range);

// Returns the bytes of the ranges that a program writes, in the order of the ranges.
std::vector<Extent> written_bytes(const Context& context, const plan::Program& program);

// Returns the name of a tensor for messages, such as "tensor 3 'conv1_w'".
std::string tensor_name(const plan::Tables& plan, uint64_t index);
std::string operator_name(const plan::Tables& plan, uint64_t index);

}  // namespace nestrt::plan_verify
