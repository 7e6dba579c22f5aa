#include "drivers/null/null_unit.h"

#include <fmt/core.h>

#include <utility>

#include "drivers/null/queue.h"
#include "nestrt/plan_tables.h"

namespace nestrt::null {
namespace {

class NullExecutable final : public Executable {
 public:
  NullExecutable(std::shared_ptr<Queue> queue, BranchSpec branch, std::vector<Copy> program)
      : queue_(std::move(queue)), branch_(std::move(branch)), program_(std::move(program)) {
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

  const std::shared_ptr<Queue> queue_;
  const BranchSpec branch_;  // keeps the plan
  const std::vector<Copy> program_;
  Queue::Job job_;
};

class NullUnit final : public Unit {
 public:
  NullUnit(UnitInfo info, std::shared_ptr<Queue> queue) : info_(std::move(info)), queue_(std::move(queue)) {}

  const UnitInfo& info() const override { return info_; }

  Result<std::unique_ptr<Executable>> prepare(const BranchSpec& branch) override {
    const std::string where = fmt::format("branch {}", branch.branch);
    if (!branch.channels.all())
      return Status(Code::kUnsupported,
                    fmt::format("{}: unit 'null' computes all channels of an operator or none", where));
    Result<std::vector<Copy>> program = read_program(*branch.plan, *branch.program);
    if (!program) return program.error().with_context(where);
    return std::unique_ptr<Executable>(std::make_unique<NullExecutable>(queue_, branch, std::move(*program)));
  }

  Status reset() override {
    queue_->reset();
    return {};
  }
  Status probe() override { return queue_->probe(); }

 private:
  const UnitInfo info_;
  const std::shared_ptr<Queue> queue_;
};

}  // namespace

Result<std::shared_ptr<Unit>> open_null_unit(int instance, std::shared_ptr<Device> device) {
  UnitInfo info;
  info.kind = kUnitKind;
  info.name = fmt::format("{}{}", kUnitKind, instance);
  info.configuration = kConfiguration;
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<Queue> queue, Queue::create(info.name, std::move(device)));
  NESTRT_RETURN_IF_ERROR(queue->probe());
  return std::shared_ptr<Unit>(std::make_shared<NullUnit>(std::move(info), std::move(queue)));
}

}  // namespace nestrt::null
