// SPDX-License-Identifier: Apache-2.0
// KernelProgram: a branch prepared for the CPU. Contains the operators' kernels, with operands resolved to locations in
// buffers. If the branch has a single operator, the program may cover only some output channels.
//
// If only the next operator reads a result, and the result does not fit into a cache, the operators are row-fused
// (kernels/common/framework/row_fusion.h) with bit-identical results. If an observer needs the time of each operator,
// they run one after another.
//
// Threads: submit() from one thread at a time. It completes before it returns and allocates nothing on success.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "drivers/cpu/channel_slice.h"
#include "drivers/cpu/shared_kernels.h"
#include "kernels/common/framework/row_fusion.h"
#include "nestrt/driver/unit.h"
#include "runtime/plan/queries/channels.h"
#include "scheduler/thread_pool/thread_pool.h"

namespace nestrt::drivers {

class KernelProgram final : public Executable {
 public:
  // Errors: kInvalidPlan (an operator violates its rules), kUnsupported (no kernel accepts an operator),
  // kInvalidArgument (an operator cannot be divided into these channels).
  // `pool` is shared with the unit.
  // `kernels` holds the kernels that the unit's programs share.
  static Result<std::unique_ptr<KernelProgram>> prepare(const BranchSpec& branch,
                                                        std::shared_ptr<scheduler::SharedRunner> pool,
                                                        SharedKernels& kernels);

  // Returns the kernel options of a branch, as Unit::kernel_options() does.
  static std::vector<KernelOption> options(const BranchSpec& branch, std::shared_ptr<scheduler::SharedRunner> pool);

  size_t scratch_bytes() const override { return scratch_bytes_; }
  size_t repacked_bytes() const override { return repacked_bytes_; }
  void submit(const Submission& submission) override;
  std::vector<KernelChoice> kernel_choices() const override;

 private:
  // The location of an operand at run time.
  struct Operand {
    static constexpr uint32_t kAbsent = UINT32_MAX;
    uint32_t buffer = kAbsent;
    uint64_t offset = 0;
  };

  struct Step {
    uint32_t operator_index = 0;
    std::string_view kernel_name;
    std::shared_ptr<const Kernel> kernel;  // null if the output uses the input's bytes
    uint32_t num_inputs = 0;
    uint32_t num_outputs = 0;
    size_t shared_scratch = 0;  // bytes; a multiple of 64
    size_t first_operand = 0;
    // Row fusion of this step and the following ones, `chained` in total; null if not fused.
    std::unique_ptr<const kernels::RowFusion> chain;
    size_t chained = 1;
  };

  // The kernel and weights that the plan selects for an operator on this machine.
  struct Selected {
    std::string_view kernel;  // empty for the machine's choice
    int32_t weights = -1;     // tensor that replaces input 1; -1 for the operator's own weights
  };

  static Selected selected_for(const plan::KernelSelection* selection, std::span<const std::string> names, uint32_t op,
                               uint32_t number);

  KernelProgram(std::shared_ptr<const Plan> plan, std::shared_ptr<scheduler::SharedRunner> pool)
      : plan_(std::move(plan)), pool_(std::move(pool)) {}

  const KernelVariant* variant_of(uint32_t operator_index, const Selected& selected);
  Status add(uint32_t operator_index, const Selected& selected, const ChannelRows* part, SharedKernels& kernels);
  Status add_parts(uint32_t branch, const Selected& selected, ChannelRange channels, SharedKernels& kernels);
  const ChannelSlice* resolve_operands(const plan::Operator& op, const Selected& selected, const ChannelRows* part);
  Status prepare_kernel(const OperatorSpec& spec, const Selected& selected, bool is_part, SharedKernels& kernels,
                        Step* step);
  // Sets the kernel of a step and returns whether the kernel was prepared for this step instead of shared.
  Result<bool> set_kernel(const KernelVariant& variant, const OperatorSpec& spec, int32_t weights,
                          SharedKernels* kernels, Step* step);
  Status reserve_scratch(Step* step);
  Status reserve_scratch(const Step& step, ScratchSize size);
  void chain_steps();
  bool feeds_next(size_t step) const;
  TensorSpec spec_of(int32_t tensor) const;
  Operand operand_of(int32_t tensor) const;
  static std::byte* address(const Operand& operand, const Submission& submission);
  Status run(const Submission& submission);
  Status check_may_go_on(const Step& step, const Submission& submission) const;
  void run_step(const Step& step, const Submission& submission);
  bool run_chain(size_t first, const Submission& submission);

  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<scheduler::SharedRunner> pool_;
  std::deque<std::vector<TensorSpec>> specs_;                // kernels may point into them
  std::vector<std::unique_ptr<const ChannelSlice>> slices_;  // referenced by specs_
  std::vector<Step> steps_;
  std::vector<Operand> operands_;         // per step: inputs, then outputs
  std::vector<const std::byte*> inputs_;  // addresses for one step while it runs
  std::vector<std::byte*> outputs_;
  size_t scratch_bytes_ = 0;
  size_t repacked_bytes_ = 0;
};

}  // namespace nestrt::drivers
