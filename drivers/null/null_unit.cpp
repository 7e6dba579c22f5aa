// SPDX-License-Identifier: Apache-2.0
#include "drivers/null/null_unit.h"

#include <fmt/core.h>

#include <cstring>
#include <utility>

#include "drivers/queue/queue.h"
#include "nestrt/driver/plan_tables.h"

namespace nestrt::null {
namespace {

using drivers::Queue;

// A program to run on the device.
struct CopyJob : Queue::Job {
  Status run(const Submission& submission, Deadline deadline, const std::atomic<bool>& stop) override {
    return device->run(program, submission.bindings.buffers, deadline, stop);
  }

  Device* device = nullptr;
  std::span<const Copy> program;
};

// Copies bytes and verifies them.
struct ProbeJob final : CopyJob {
  static constexpr size_t kBytes = 64;

  Status run(const Submission& submission, Deadline deadline, const std::atomic<bool>& stop) override {
    NESTRT_RETURN_IF_ERROR(CopyJob::run(submission, deadline, stop));
    const auto& buffers = submission.bindings.buffers;
    if (std::memcmp(buffers[0], buffers[1], kBytes) == 0) return {};
    return Status(Code::kDeviceFault, "the device computes wrong results");
  }
};

Status probe_device(Queue& queue, Device* device) {
  std::byte from[ProbeJob::kBytes], to[ProbeJob::kBytes] = {};
  for (size_t i = 0; i < ProbeJob::kBytes; ++i) from[i] = static_cast<std::byte>(i + 1);
  std::byte* const buffers[] = {from, to};
  const Copy copy{{0, 0}, {1, 0}, ProbeJob::kBytes};
  ProbeJob job;
  job.device = device;
  job.program = {&copy, 1};
  Submission submission;
  submission.bindings.buffers = buffers;
  return queue.probe(job, submission);
}

class NullExecutable final : public Executable {
 public:
  NullExecutable(std::shared_ptr<Device> device, std::shared_ptr<Queue> queue, BranchSpec branch,
                 std::vector<Copy> program)
      : device_(std::move(device)), queue_(std::move(queue)), branch_(std::move(branch)), program_(std::move(program)) {
    job_.device = device_.get();
    job_.program = program_;
    job_.operators = operators();
    queue_->add(&job_);
  }
  ~NullExecutable() override { queue_->remove(&job_); }

  size_t scratch_bytes() const override { return 0; }
  void submit(const Submission& submission) override { queue_->submit(&job_, submission); }
  void cancel(uint64_t generation) override { queue_->cancel(&job_, generation); }

  std::vector<KernelChoice> kernel_choices() const override {
    std::vector<KernelChoice> choices;
    for (uint32_t op : operators()) choices.push_back({op, "null.copy", false});
    return choices;
  }

 private:
  std::span<const uint32_t> operators() const { return branch_.plan->tables().branches[branch_.branch].operators; }

  const std::shared_ptr<Device> device_;
  const std::shared_ptr<Queue> queue_;
  const BranchSpec branch_;  // keeps the plan alive
  const std::vector<Copy> program_;
  CopyJob job_;
};

class NullUnit final : public Unit {
 public:
  NullUnit(UnitInfo info, std::shared_ptr<Device> device, std::shared_ptr<Queue> queue)
      : info_(std::move(info)), device_(std::move(device)), queue_(std::move(queue)) {}

  const UnitInfo& info() const override { return info_; }

  Result<std::unique_ptr<Executable>> prepare(const BranchSpec& branch) override {
    const std::string where = fmt::format("branch {}", branch.branch);
    if (!branch.channels.all())
      return Status(Code::kUnsupported,
                    fmt::format("{}: unit 'null' does not support programs for some of the channels", where));
    Result<std::vector<Copy>> program = read_program(*branch.plan, *branch.program);
    if (!program) return program.error().with_context(where);
    return std::unique_ptr<Executable>(std::make_unique<NullExecutable>(device_, queue_, branch, std::move(*program)));
  }

  Status reset() override {
    queue_->reset();
    return {};
  }
  Status probe() override { return probe_device(*queue_, device_.get()); }

 private:
  const UnitInfo info_;
  const std::shared_ptr<Device> device_;
  const std::shared_ptr<Queue> queue_;
};

}  // namespace

Result<std::shared_ptr<Unit>> open_null_unit(int instance, std::shared_ptr<Device> device) {
  UnitInfo info;
  info.kind = kUnitKind;
  info.name = fmt::format("{}{}", kUnitKind, instance);
  info.configuration = kConfiguration;
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Queue> queue,
                          Queue::create(info.name, [raw = device.get()] { raw->interrupt(); }));
  NESTRT_RETURN_IF_ERROR(probe_device(*queue, device.get()));
  return std::shared_ptr<Unit>(std::make_shared<NullUnit>(std::move(info), std::move(device), std::move(queue)));
}

}  // namespace nestrt::null
