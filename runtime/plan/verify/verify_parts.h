// The parts of the structural verifier, in the order in which they run: each relies on those before it.
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
  std::vector<Extent> extents = {};               // by tensor; filled by verify_tensors
  std::vector<Write> writes = {};                 // filled by verify_dataflow; none empty
  std::vector<bool> views = {};                   // by operator, is_view(); filled by verify_dataflow
  std::vector<Extents> computed = {};             // by branch; filled by verify_programs
  Budget compared = budget_of_uses(data.size());  // for quantizations that are compared with one another
};

// How many there are, and the length of their names.
Status verify_targets(Context& context);
Status verify_buffers(Context& context);
Status verify_tensors(Context& context);
// Inputs, outputs, preprocessing.
Status verify_interface(Context& context);
// Operands, order, and who writes what.
Status verify_dataflow(Context& context);
// No byte of a buffer is computed twice. With verify_dataflow(): what an operator reads was written by operators that
// precede it in the graph, whatever the order in which the others run.
Status verify_writes(Context& context);
// The number of dependencies.
Status verify_dependencies(Context& context);
// How much operators read of what there is once (operand_uses.h).
Status verify_operand_uses(Context& context);
// Attributes, types and shapes by the operators' own rules, whichever unit runs them.
Status verify_operators(Context& context);
// Lifetimes and places in the arena.
Status verify_memory(Context& context);
// Branches and programs.
Status verify_programs(Context& context);
// Costs of the host and overheads.
Status verify_stated_costs(Context& context);
// How much programs use of what there is once (operand_uses.h).
Status verify_program_uses(Context& context);
// A program of instructions may write all that its branch computes for others.
Status verify_results(Context& context);

// Of all shapes of a plan, each of which is right by itself: they are one network, for different inputs.
Status verify_shapes(const plan::Tables& plan);

// Branches that units beside the host may run compute nowhere where they read.
Status verify_branch_memory(Context& context);

// Refuses operators whose output shares bytes with an input in another way than views.h describes, and adds to
// context.writes what it computes. One operator.
Status verify_aliasing(Context& context, uint32_t index);

// The bytes of its tensor that a range of a program is, or more where it is in another layout or of some channels.
Extent bytes_of(const Context& context, const plan::Program& program, const plan::ProgramRange& range);

// Those of the ranges that a program writes, in the order of the ranges.
std::vector<Extent> written_bytes(const Context& context, const plan::Program& program);

// "tensor 3 'conv1_w'" and the like.
std::string tensor_name(const plan::Tables& plan, uint64_t index);
std::string operator_name(const plan::Tables& plan, uint64_t index);

}  // namespace nestrt::plan_verify
