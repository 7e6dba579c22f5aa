// Results: what a branch computes for other branches, or for the caller, is in memory that each of its programs of
// instructions may write. That a program writes all of it is for its driver to check.
#include <fmt/core.h>

#include <algorithm>

#include "runtime/plan/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

constexpr uint32_t kNoBranch = UINT32_MAX;

// By tensor: whether an operator of another branch reads it, or the caller.
std::vector<bool> used_elsewhere(const plan::Tables& plan) {
  std::vector<uint32_t> computed_in(plan.tensors.size(), kNoBranch);
  std::vector<bool> used(plan.tensors.size(), false);
  for (uint32_t branch = 0; branch < plan.branches.size(); ++branch) {
    for (const uint32_t op : plan.branches[branch].operators) {
      for (const int32_t input : plan.operators[op].inputs)
        if (input >= 0 && computed_in[static_cast<uint32_t>(input)] != branch)
          used[static_cast<uint32_t>(input)] = true;
      for (const int32_t output : plan.operators[op].outputs) computed_in[static_cast<uint32_t>(output)] = branch;
    }
  }
  for (const uint32_t output : plan.outputs) used[output] = true;
  return used;
}

// The bytes of its tensor that a range is. Those in other layouts, and those of some channels, have sizes of their own,
// which verify_programs() has compared with the tensor's.
Extent bytes_of(const Context& context, const plan::Program& program, const plan::ProgramRange& range) {
  Extent bytes = context.extents[static_cast<uint32_t>(range.tensor)];
  if (range.layout == Layout::kPlain && program.channels == 0) bytes.end = bytes.begin + range.size;
  return bytes;
}

// What the program may write; ascending, apart.
std::vector<Extent> writable(const Context& context, const plan::Program& program) {
  std::vector<Extent> ranges;
  for (const plan::ProgramRange& range : program.ranges)
    if (range.tensor >= 0 && range.access != plan::RangeAccess::kRead)
      ranges.push_back(bytes_of(context, program, range));
  std::sort(ranges.begin(), ranges.end());
  std::vector<Extent> merged;
  for (const Extent& range : ranges) append(range, merged);
  return merged;
}

bool holds(const std::vector<Extent>& ascending, const Extent& bytes) {
  const auto after = std::upper_bound(ascending.begin(), ascending.end(), bytes);
  if (bytes.begin == bytes.end) return true;
  return after != ascending.begin() && (after - 1)->buffer == bytes.buffer && bytes.end <= (after - 1)->end;
}

bool is_computed(const Context& context, uint32_t tensor) {
  const plan::BufferKind kind = context.plan.buffers[context.extents[tensor].buffer].kind;
  return kind == plan::BufferKind::kArena || kind == plan::BufferKind::kOutput;
}

}  // namespace

Status verify_results(Context& context) {
  const plan::Tables& plan = context.plan;
  const std::vector<bool> used = used_elsewhere(plan);
  for (uint32_t branch = 0; branch < plan.branches.size(); ++branch) {
    for (const plan::Program& program : plan.branches[branch].programs) {
      if (program.kind != plan::ProgramKind::kInstructions) continue;
      const std::vector<Extent> written = writable(context, program);
      for (const uint32_t op : plan.branches[branch].operators) {
        for (const int32_t output : plan.operators[op].outputs) {
          const auto tensor = static_cast<uint32_t>(output);
          if (used[tensor] && is_computed(context, tensor) && !holds(written, context.extents[tensor]))
            return damaged_plan(fmt::format("branch {}: has a program for unit '{}' that does not write {}", branch,
                                            program.unit, tensor_name(plan, tensor)));
        }
      }
    }
  }
  return {};
}

}  // namespace nestrt::plan_verify
