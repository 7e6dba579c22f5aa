#include "drivers/vendor/vendor_unit.h"

#include <fmt/core.h>

#include <array>
#include <cstring>
#include <utility>

#include "drivers/queue/queue.h"
#include "drivers/vendor/device.h"
#include "drivers/vendor/program.h"
#include "nestrt/plan_tables.h"
#include "runtime/core/aligned_memory.h"

namespace nestrt::vendor {
namespace {

using drivers::Queue;

// Room for every port of a program: where a run has its memory is not known before.
class StagingMemory {
 public:
  // Errors: kOutOfMemory, and those of Device::lend().
  static Result<StagingMemory> create(Device& device, const PortedProgram& program) {
    const uint64_t alignment = device.description().alignment;
    uint64_t bytes = 0;
    for (const auto* ports : {&program.inputs, &program.outputs})
      for (const Port& port : *ports) bytes += align_up(port.bytes, alignment);
    StagingMemory memory;
    if (device.lends()) {
      NESTRT_ASSIGN_OR_RETURN(memory.lent_, device.lend(bytes));
      memory.begin_ = memory.lent_->bytes().data();
      return memory;
    }
    NESTRT_ASSIGN_OR_RETURN(memory.own_, AlignedMemory::allocate(bytes + alignment, "what a plug-in reads and writes"));
    const auto address = reinterpret_cast<uintptr_t>(memory.own_.data());
    memory.begin_ = memory.own_.data() + (align_up(address, alignment) - address);
    return memory;
  }

  std::byte* begin() const { return begin_; }  // aligned as the device wants it

 private:
  std::shared_ptr<LentMemory> lent_;
  AlignedMemory own_;
  std::byte* begin_ = nullptr;
};

// A program, and memory for the ports that the device would not reach where a run has them.
class ProgramJob final : public Queue::Job {
 public:
  ProgramJob(Device& device, PortedProgram source, std::unique_ptr<LoadedProgram> program, StagingMemory staging)
      : device_(device), source_(std::move(source)), program_(std::move(program)), staging_(std::move(staging)) {}

  Status run(const Submission& submission, Deadline deadline, const std::atomic<bool>& stop) override {
    copied_ = 0;
    place(submission.bindings.buffers);
    give_inputs(submission.bindings.buffers);
    const std::span<void* const> ports(places_.data(), source_.inputs.size() + source_.outputs.size());
    NESTRT_RETURN_IF_ERROR(device_.run(*program_, ports, deadline, stop));
    take_outputs(submission.bindings.buffers);
    return {};
  }

  uint64_t copied() const { return copied_; }

 private:
  static std::byte* address(const Port& port, std::span<std::byte* const> buffers) {
    return buffers[port.buffer] + port.offset;
  }

  template <typename Visit>
  void for_each_port(Visit visit) const {
    size_t index = 0;
    for (const Port& port : source_.inputs) visit(port, index++);
    for (const Port& port : source_.outputs) visit(port, index++);
  }

  void place(std::span<std::byte* const> buffers) {
    std::byte* free = staging_.begin();
    for_each_port([&](const Port& port, size_t index) {
      std::byte* const bytes = address(port, buffers);
      places_[index] = !port.reordered && device_.reaches(bytes, port.bytes) ? bytes : free;
      free += align_up(port.bytes, device_.description().alignment);
    });
  }

  void give_inputs(std::span<std::byte* const> buffers) {
    for (size_t i = 0; i < source_.inputs.size(); ++i) {
      const Port& port = source_.inputs[i];
      if (port.reordered) port.reordered->to_plain(address(port, buffers), static_cast<std::byte*>(places_[i]));
      copy(port, places_[i], address(port, buffers));
    }
  }

  void take_outputs(std::span<std::byte* const> buffers) {
    for (size_t i = 0; i < source_.outputs.size(); ++i) {
      const Port& port = source_.outputs[i];
      const void* const plain = places_[source_.inputs.size() + i];
      if (port.reordered) port.reordered->from_plain(static_cast<const std::byte*>(plain), address(port, buffers));
      copy(port, address(port, buffers), plain);
    }
  }

  // Counts what was reordered, too.
  void copy(const Port& port, void* to, const void* from) {
    if (to == from || port.bytes == 0) return;
    if (!port.reordered) std::memcpy(to, from, port.bytes);
    copied_ += port.bytes;
  }

  Device& device_;
  const PortedProgram source_;
  const std::unique_ptr<LoadedProgram> program_;
  const StagingMemory staging_;
  std::array<void*, NESTRT_VENDOR_MAX_PORTS> places_{};
  uint64_t copied_ = 0;
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
  const BranchSpec branch_;  // keeps the plan, and so the blob
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

  Result<std::shared_ptr<LentMemory>> lend(uint64_t bytes) override {
    if (!device_->lends()) return std::shared_ptr<LentMemory>();
    return device_->lend(bytes);
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
      return Status(Code::kUnsupported, fmt::format("unit '{}' computes all channels or none", info_.kind));
    NESTRT_ASSIGN_OR_RETURN(PortedProgram source, read_program(*branch.plan, *branch.program, info_.configuration));
    NESTRT_ASSIGN_OR_RETURN(auto program, device_->load(source.blob, source.input_bytes(), source.output_bytes()));
    NESTRT_ASSIGN_OR_RETURN(StagingMemory staging, StagingMemory::create(*device_, source));
    auto job = std::make_unique<ProgramJob>(*device_, std::move(source), std::move(program), std::move(staging));
    return std::unique_ptr<Executable>(std::make_unique<VendorExecutable>(device_, queue_, branch, std::move(job)));
  }

  const UnitInfo info_;
  const std::shared_ptr<Device> device_;
  const std::shared_ptr<Queue> queue_;
};

}  // namespace

Result<std::shared_ptr<Unit>> open_vendor_unit(std::shared_ptr<const Plugin> plugin, uint32_t instance,
                                               std::string_view kind) {
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Device> device, Device::open(std::move(plugin), instance));
  const Device::Description& description = device->description();
  if (!kind.empty() && kind != description.kind)
    return Status(Code::kInvalidArgument,
                  fmt::format("plug-in '{}' is for unit '{}', not '{}'", device->file(), description.kind, kind));
  UnitInfo info;
  info.kind = description.kind;
  info.name = fmt::format("{}{}", info.kind, instance);
  info.configuration = description.configuration;
  info.is_steady = description.is_steady;
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Queue> queue,
                          Queue::create(info.name, [raw = device.get()] { raw->interrupt(); }));
  auto unit = std::make_shared<VendorUnit>(std::move(info), std::move(device), std::move(queue));
  NESTRT_RETURN_IF_ERROR(unit->probe());
  return std::shared_ptr<Unit>(std::move(unit));
}

}  // namespace nestrt::vendor
