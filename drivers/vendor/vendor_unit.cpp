// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/vendor_unit.h"

#include <fmt/core.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "drivers/queue/queue.h"
#include "drivers/vendor/plugin_device.h"
#include "drivers/vendor/program.h"
#include "drivers/vendor/staged_program.h"
#include "nestrt/driver/plan_tables.h"

namespace nestrt::vendor {
namespace {

using drivers::Queue;

class ProgramJob final : public Queue::Job {
 public:
  // `ports`: ports of the program, inputs first.
  ProgramJob(std::vector<Port> ports, std::unique_ptr<StagedProgram> program)
      : ports_(std::move(ports)), program_(std::move(program)) {}

  Status run(const Submission& submission, Deadline deadline, const std::atomic<bool>& stop) override {
    for (size_t i = 0; i < ports_.size(); ++i)
      addresses_[i] = submission.bindings.buffers[ports_[i].buffer] + ports_[i].offset;
    return program_->run({addresses_.data(), ports_.size()}, deadline, stop);
  }

  uint64_t copied() const { return program_->copied(); }

 private:
  const std::vector<Port> ports_;
  std::array<std::byte*, NESTRT_VENDOR_MAX_PORTS> addresses_{};
  const std::unique_ptr<StagedProgram> program_;
};

struct ProbeJob final : Queue::Job {
  explicit ProbeJob(Device& its_device) : device(its_device) {}
  Status run(const Submission&, Deadline, const std::atomic<bool>&) override { return device.self_test(); }

  Device& device;
};

class VendorExecutable final : public Executable {
 public:
  VendorExecutable(std::shared_ptr<Device> device, std::shared_ptr<Queue> queue, BranchSpec branch,
                   std::unique_ptr<ProgramJob> job)
      : device_(std::move(device)), queue_(std::move(queue)), branch_(std::move(branch)), job_(std::move(job)) {
    job_->operators = operators();
    queue_->add(job_.get());
  }
  ~VendorExecutable() override { queue_->remove(job_.get()); }

  size_t scratch_bytes() const override { return 0; }
  Traffic traffic() const override { return {job_->copied(), 0}; }
  void submit(const Submission& submission) override { queue_->submit(job_.get(), submission); }
  void cancel(uint64_t generation) override { queue_->cancel(job_.get(), generation); }

  std::vector<KernelChoice> kernel_choices() const override {
    std::vector<KernelChoice> choices;
    for (const uint32_t op : operators()) choices.push_back({op, "vendor.blob", false});
    return choices;
  }

 private:
  std::span<const uint32_t> operators() const { return branch_.plan->tables().branches[branch_.branch].operators; }

  const std::shared_ptr<Device> device_;
  const std::shared_ptr<Queue> queue_;
  const BranchSpec branch_;  // keeps the plan and thus the blob alive
  const std::unique_ptr<ProgramJob> job_;
};

class VendorUnit final : public Unit {
 public:
  VendorUnit(UnitInfo info, std::shared_ptr<Device> device, std::shared_ptr<Queue> queue)
      : info_(std::move(info)), device_(std::move(device)), queue_(std::move(queue)) {}

  const UnitInfo& info() const override { return info_; }

  Result<std::unique_ptr<Executable>> prepare(const BranchSpec& branch) override {
    Result<std::unique_ptr<Executable>> prepared = prepare_program(branch);
    if (prepared) return prepared;
    return prepared.error().with_context(fmt::format("branch {}", branch.branch));
  }

  Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(uint64_t bytes) override {
    if (!device_->shares_memory_with_sessions()) return std::shared_ptr<HostVisibleMemory>();
    return device_->allocate_shared(bytes);
  }

  Status reset() override {
    queue_->reset();
    return {};
  }

  Status probe() override {
    ProbeJob job(*device_);
    return queue_->probe(job);
  }

 private:
  Result<std::unique_ptr<Executable>> prepare_program(const BranchSpec& branch) {
    if (!branch.channels.all())
      return Status(Code::kUnsupported,
                    fmt::format("unit '{}' does not support programs for some of the channels", info_.kind));
    NESTRT_ASSIGN_OR_RETURN(PortedProgram source, read_program(*branch.plan, *branch.program, info_.configuration));
    std::vector<Port> ports = source.ports;
    NESTRT_ASSIGN_OR_RETURN(auto program, StagedProgram::load(*device_, std::move(source)));
    auto job = std::make_unique<ProgramJob>(std::move(ports), std::move(program));
    return std::unique_ptr<Executable>(std::make_unique<VendorExecutable>(device_, queue_, branch, std::move(job)));
  }

  const UnitInfo info_;
  const std::shared_ptr<Device> device_;
  const std::shared_ptr<Queue> queue_;
};

// Separates the number from a kind that ends with a digit.
std::string numbered(const std::string& kind, uint32_t instance) {
  const bool ends_with_digit = !kind.empty() && kind.back() >= '0' && kind.back() <= '9';
  return fmt::format("{}{}{}", kind, ends_with_digit ? ":" : "", instance);
}

}  // namespace

Result<std::shared_ptr<Unit>> make_vendor_unit(std::shared_ptr<Device> device, uint32_t instance,
                                               std::string_view kind) {
  const Description& description = device->description();
  if (!kind.empty() && kind != description.kind)
    return Status(Code::kInvalidArgument,
                  fmt::format("plug-in '{}' is for unit '{}', not '{}'", device->file(), description.kind, kind));
  UnitInfo info;
  info.kind = description.kind;
  info.name = numbered(info.kind, instance);
  info.configuration = description.configuration;
  info.is_steady = description.is_steady;
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Queue> queue,
                          Queue::create(info.name, [raw = device.get()] { raw->interrupt(); }));
  auto unit = std::make_shared<VendorUnit>(std::move(info), std::move(device), std::move(queue));
  NESTRT_RETURN_IF_ERROR(unit->probe());
  return std::shared_ptr<Unit>(std::move(unit));
}

Result<std::shared_ptr<Unit>> open_vendor_unit(std::shared_ptr<const Plugin> plugin, uint32_t instance,
                                               std::string_view kind) {
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Device> device, PluginDevice::open(std::move(plugin), instance));
  return make_vendor_unit(std::move(device), instance, kind);
}

}  // namespace nestrt::vendor
