// SPDX-License-Identifier: Apache-2.0
// BranchMemory: separate memory for one branch of a plan, to test units on the branch.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/plan.h"
#include "nestrt/status.h"
#include "runtime/plan/verify/computed_bytes.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::tools {

// Holds the buffers that the branch's operators access, without overlap, so that the order of execution does not
// matter. It holds only the bytes of the branch's tensors, as many branches may share a long buffer.
class BranchMemory {
 public:
  // `computed`: the extents that the branch computes. Both must outlive this object.
  BranchMemory(const Plan& plan, uint32_t branch, const plan_verify::Extents& computed);

  // Errors: kOutOfMemory.
  Status allocate();

  std::span<std::byte* const> addresses() const { return addresses_; }  // by buffer of the plan; null: not accessed

  // Fills everything except constants with random bytes.
  void randomize(std::mt19937& random);
  // Returns the branch's results without the padding of blocked layouts.
  std::vector<std::byte> results() const;
  // Overwrites the results, so that results that are not computed cannot match by chance.
  void spoil_results() const;
  // Returns all bytes that the branch reads or views but does not compute.
  std::vector<std::byte> others() const;

 private:
  plan_verify::Extents operands() const;
  bool is_constant(uint32_t buffer) const { return plan_.tables().buffers[buffer].kind == plan::BufferKind::kConstant; }
  std::span<std::byte> bytes_of(const plan_verify::Extent& extent) const {
    return {addresses_[extent.buffer] + extent.begin, static_cast<size_t>(extent.end - extent.begin)};
  }
  Result<std::byte*> allocate_buffer(uint32_t buffer);
  template <typename Visit>
  void for_each_result(Visit visit) const;

  const Plan& plan_;
  const plan::Branch& branch_;
  const plan_verify::Extents& computed_;
  const plan_verify::Extents touched_;
  const plan_verify::Extents others_;
  std::vector<AlignedMemory> memory_;
  std::vector<std::byte*> addresses_;
};

}  // namespace nestrt::tools
