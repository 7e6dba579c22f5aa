// SPDX-License-Identifier: Apache-2.0
// PlanTrace: runs a plan with the same kernels as its session, but with separate memory for every buffer, so all
// intermediate tensors can be read afterwards.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nestrt/plan.h"
#include "runtime/core/function_ref.h"
#include "runtime/platform/aligned_memory.h"
#include "tools/support/text/npy.h"

namespace nestrt {
class Executable;
class Unit;
}  // namespace nestrt

namespace nestrt::compiler {

struct ChannelStatistics {
  double sum = 0;
  float peak = 0;  // largest magnitude
};

class PlanTrace {
 public:
  // Prepares every branch for the CPU. Errors: those of Unit::prepare and kOutOfMemory.
  static Result<PlanTrace> create(std::shared_ptr<const Plan> plan, int threads = 0);
  PlanTrace(PlanTrace&&) noexcept;
  PlanTrace& operator=(PlanTrace&&) noexcept;
  ~PlanTrace();

  // Runs the branches in plan order, as a session does. `inputs`: in the plan's order, with its types and shapes.
  // Errors: kInvalidArgument, and those of the unit.
  Status run(const std::vector<tools::Array>& inputs);

  // Returns a tensor after the last run, in row-major order for any layout. Requires: tensor < number of tensors; not
  // packed.
  tools::Array tensor(uint32_t index) const;

  // Adds the elements of an f32 tensor to `channels` (axis 1). Requires: the preconditions of tensor(), and one element
  // of `channels` per channel.
  void add_channels(uint32_t index, std::span<ChannelStatistics> channels) const;

  // Calls `visit` with the elements of an f32 tensor in blocks, in memory order, until it fails. Requires: the
  // preconditions of tensor().
  Status visit(uint32_t index, FunctionRef<Status(std::span<const float>)> visit) const;

 private:
  explicit PlanTrace(std::shared_ptr<const Plan> plan);
  Status allocate_buffers();
  Status prepare_branches(Unit& unit);
  Status run_branch(Executable& executable);

  std::shared_ptr<const Plan> plan_;
  std::vector<std::shared_ptr<Unit>> units_;
  std::vector<AlignedMemory> memory_;  // for non-constant buffers
  std::vector<std::byte*> buffers_;    // by buffer
  std::vector<std::unique_ptr<Executable>> branches_;
  AlignedMemory scratch_;
};

}  // namespace nestrt::compiler
