// SPDX-License-Identifier: Apache-2.0
// Results: every program of a branch, except programs of kernels, has write access to the memory of everything that the
// branch computes for other branches or the caller. The driver checks that a program writes all of it.
#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

constexpr uint32_t kNoBranch = UINT32_MAX;

// Returns, for each tensor, whether an operator of another branch or the caller reads it.
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

// Returns the branch's outputs that are used elsewhere.
std::vector<uint32_t> results_of(const plan::Tables& plan, const plan::Branch& branch, const std::vector<bool>& used) {
  std::vector<uint32_t> results;
  for (const uint32_t op : branch.operators)
    for (const int32_t output : plan.operators[op].outputs)
      if (used[static_cast<uint32_t>(output)]) results.push_back(static_cast<uint32_t>(output));
  return results;
}

Extents bytes_of_all(const Context& context, std::span<const uint32_t> tensors) {
  Extents bytes;
  for (const uint32_t tensor : tensors) bytes.push_back(context.extents[tensor]);
  return make_set(std::move(bytes));
}

class ResultsCheck {
 public:
  ResultsCheck(const Context& context, uint32_t branch, const std::vector<bool>& used)
      : context_(context),
        branch_(branch),
        results_(results_of(context.plan, context.plan.branches[branch], used)),
        expected_(intersection(context.computed[branch], bytes_of_all(context, results_))) {}

  Status program(const plan::Program& program) const {
    const Extents written = make_set(written_bytes(context_, program));
    const auto left = std::ranges::find_if(expected_, [&](const Extent& bytes) { return !holds(written, bytes); });
    if (left == expected_.end()) return {};
    return damaged_plan(fmt::format("branch {}: has a program for unit '{}' that does not write {}", branch_,
                                    program.unit, tensor_name(context_.plan, result_left(written, *left))));
  }

 private:
  // Returns the tensor of the first byte that is not written. Requires: one exists.
  uint32_t result_left(const Extents& written, const Extent& expected) const {
    const uint64_t byte = first_missing(written, expected);
    return *std::ranges::find_if(results_, [&](uint32_t tensor) {
      return context_.extents[tensor].overlaps({expected.buffer, byte, byte + 1});
    });
  }

  const Context& context_;
  const uint32_t branch_;
  const std::vector<uint32_t> results_;
  const Extents expected_;  // the bytes to write
};

}  // namespace

Status verify_results(Context& context) {
  const plan::Tables& plan = context.plan;
  const std::vector<bool> used = used_elsewhere(plan);
  for (uint32_t branch = 0; branch < plan.branches.size(); ++branch) {
    const ResultsCheck check(context, branch, used);
    for (const plan::Program& program : plan.branches[branch].programs)
      if (program.kind != plan::ProgramKind::kKernels) NESTRT_RETURN_IF_ERROR(check.program(program));
  }
  return {};
}

}  // namespace nestrt::plan_verify
