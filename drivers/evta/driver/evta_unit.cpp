// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/evta_unit.h"

#include <fmt/core.h>

#include <span>

#include "drivers/evta/driver/device.h"
#include "runtime/plan/queries/channels.h"

namespace nestrt::evta {
namespace {

class EvtaExecutable final : public Executable {
 public:
  EvtaExecutable(std::shared_ptr<Device> device, BranchSpec branch, PlacedProgram program)
      : device_(std::move(device)), branch_(std::move(branch)), program_(std::move(program)) {
    job_.program = &program_;
    job_.operators = operators();
  }
  ~EvtaExecutable() override { device_->retire(&job_); }

  size_t scratch_bytes() const override { return 0; }
  Status bind(std::span<std::byte* const> buffers) override { return in_branch(program_.place(buffers)); }
  Traffic traffic() const override { return program_.traffic(); }
  void submit(const Submission& submission) override { device_->submit(&job_, submission); }
  void cancel(uint64_t generation) override { device_->cancel(&job_, generation); }

  std::vector<KernelChoice> kernel_choices() const override {
    std::vector<KernelChoice> choices;
    for (uint32_t op : operators()) choices.push_back({op, "evta.program", false});
    return choices;
  }

 private:
  Status in_branch(Status status) const { return status.with_context(fmt::format("branch {}", branch_.branch)); }
  std::span<const uint32_t> operators() const { return branch_.plan->tables().branches[branch_.branch].operators; }

  const std::shared_ptr<Device> device_;
  const BranchSpec branch_;
  PlacedProgram program_;
  Device::Job job_;
};

class EvtaUnit final : public Unit {
 public:
  EvtaUnit(UnitInfo info, const Configuration& configuration, std::shared_ptr<Device> device)
      : info_(std::move(info)), configuration_(configuration), device_(std::move(device)) {}

  const UnitInfo& info() const override { return info_; }

  Result<std::unique_ptr<Executable>> prepare(const BranchSpec& branch) override {
    if (!branch.channels.all() && branch.channels != branch.program->channels)
      return Status(Code::kInvalidArgument,
                    fmt::format("branch {}: channels {} are requested, but the program computes channels {}",
                                branch.branch, to_string(branch.channels), to_string(branch.program->channels)));
    NESTRT_ASSIGN_OR_RETURN(BoundProgram source,
                            read_program(*branch.plan, branch.branch, *branch.program, configuration_));
    Result<PlacedProgram> program = PlacedProgram::create(device_->memory(), std::move(source), branch.plan);
    if (!program) return program.error().with_context(fmt::format("branch {}", branch.branch));
    return std::unique_ptr<Executable>(std::make_unique<EvtaExecutable>(device_, branch, std::move(*program)));
  }

  Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(uint64_t bytes) override {
    return device_->allocate_shared(bytes);
  }
  Status reset() override { return device_->reset(); }
  Status probe() override { return device_->probe(); }

 private:
  const UnitInfo info_;
  const Configuration& configuration_;
  const std::shared_ptr<Device> device_;
};

}  // namespace

Result<std::shared_ptr<Unit>> open_evta_unit(const EvtaOptions& options, std::unique_ptr<Transport> transport) {
  UnitInfo info;
  info.kind = "evta";
  info.name = fmt::format("evta{}", options.instance);
  info.configuration = options.configuration->name;
  info.is_steady = transport->is_steady();
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Device> device,
                          Device::create(info.name, *options.configuration, std::move(transport)));
  return std::shared_ptr<Unit>(std::make_shared<EvtaUnit>(std::move(info), *options.configuration, std::move(device)));
}

}  // namespace nestrt::evta
