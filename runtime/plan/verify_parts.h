// The parts of the structural verifier, in the order in which they run: each relies on those before it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nestrt/plan_tables.h"
#include "nestrt/status.h"
#include "runtime/plan/operand_uses.h"
#include "runtime/plan/verify.h"

namespace nestrt::plan_verify {

// Bytes [begin, end) of a buffer.
struct Extent {
  uint32_t buffer = 0;
  uint64_t begin = 0;
  uint64_t end = 0;

  bool overlaps(const Extent& other) const {
    return buffer == other.buffer && std::max(begin, other.begin) < std::min(end, other.end);
  }
  // By buffer, then by begin.
  bool operator<(const Extent& other) const {
    return buffer != other.buffer ? buffer < other.buffer : begin < other.begin;
  }
};

// Adds one that does not come before those that are there; what touches the last becomes one with it.
inline void append(const Extent& extent, std::vector<Extent>& ascending) {
  if (!ascending.empty() && ascending.back().buffer == extent.buffer && extent.begin <= ascending.back().end)
    ascending.back().end = std::max(ascending.back().end, extent.end);
  else
    ascending.push_back(extent);
}

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
  Budget compared = budget_of_uses(data.size());  // for quantizations that are compared with one another
};

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
// How much programs use of segments (operand_uses.h).
Status verify_segment_uses(Context& context);
// A program of instructions may write all that its branch computes for others.
Status verify_results(Context& context);

// Refuses operators whose output shares bytes with an input in another way than views.h describes, and adds to
// context.writes what it computes. One operator.
Status verify_aliasing(Context& context, uint32_t index);

// "tensor 3 'conv1_w'" and the like.
std::string tensor_name(const plan::Tables& plan, uint64_t index);
std::string operator_name(const plan::Tables& plan, uint64_t index);

}  // namespace nestrt::plan_verify
