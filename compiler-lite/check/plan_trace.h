// PlanTrace: runs a plan as its session would, kernel for kernel, but gives every buffer memory of its own, so that all
// intermediate tensors can be read afterwards.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nestrt/driver/function_ref.h"
#include "nestrt/plan.h"
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

  // Runs the branches in their order in the plan, as a session does. Inputs in the plan's order, of its types and
  // shapes. Errors: kInvalidArgument, and those of the unit.
  Status run(const std::vector<tools::Array>& inputs);

  // A tensor as the last run left it, row-major whatever its layout. Requires: tensor < number of tensors; not packed.
  tools::Array tensor(uint32_t index) const;

  // Adds the elements of an f32 tensor to `channels` (axis 1). The same requirements as tensor(); channels.size() is
  // the number of channels.
  void add_channels(uint32_t index, std::span<ChannelStatistics> channels) const;

  // Calls `visit` with the elements of an f32 tensor, in pieces and in the order in which they lie, until it fails. The
  // same requirements as tensor().
  Status visit(uint32_t index, FunctionRef<Status(std::span<const float>)> visit) const;

 private:
  explicit PlanTrace(std::shared_ptr<const Plan> plan);
  Status allocate_buffers();
  Status prepare_branches(Unit& unit);
  Status run_branch(Executable& executable);

  std::shared_ptr<const Plan> plan_;
  std::vector<std::shared_ptr<Unit>> units_;
  std::vector<AlignedMemory> memory_;  // for the buffers that are no constants
  std::vector<std::byte*> buffers_;    // by buffer
  std::vector<std::unique_ptr<Executable>> branches_;
  AlignedMemory scratch_;
};

}  // namespace nestrt::compiler
