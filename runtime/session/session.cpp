#include "nestrt/session.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "nestrt/log.h"
#include "runtime/core/aligned_memory.h"
#include "runtime/core/guard.h"
#include "runtime/core/text.h"
#include "runtime/plan/tables.h"
#include "runtime/session/arguments.h"
#include "runtime/session/program_for.h"

namespace nestrt {
namespace {

std::optional<size_t> position_of(std::string_view name, std::span<const TensorInfo> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name) return i;
  return std::nullopt;
}

// Other units first, as they are given: the CPU can run everything, they what they are good at.
UnitList by_preference(UnitList units) {
  std::stable_partition(units.begin(), units.end(), [](const std::shared_ptr<Unit>& unit) {
    return unit == nullptr || unit->info().kind != "cpu";
  });
  return units;
}

// kNoDeadline where it lies too far ahead to be told.
Deadline deadline_after(std::chrono::milliseconds time) {
  const SteadyClock::time_point now = SteadyClock::now();
  return time < std::chrono::duration_cast<std::chrono::milliseconds>(kNoDeadline - now) ? now + time : kNoDeadline;
}

// A branch where it will run.
struct PlacedBranch {
  std::shared_ptr<Unit> unit;
  std::unique_ptr<Executable> executable;
  std::unique_ptr<Executable> fallback;  // on the CPU, where it runs elsewhere; null without a CPU
};

class SessionImpl final : public Session {
 public:
  SessionImpl(std::shared_ptr<const Plan> plan, UnitList units, const SessionOptions& options)
      : plan_(std::move(plan)), units_(by_preference(std::move(units))), observer_(options.observer),
        unit_timeout_(options.unit_timeout), arguments_(*plan_) {}

  Status prepare() {
    NESTRT_RETURN_IF_ERROR(check_units());
    const auto& branches = items(plan_->tables().branches());
    for (uint32_t branch = 0; branch < branches.size(); ++branch) NESTRT_RETURN_IF_ERROR(place(branch));
    report_repacking();
    return allocate();
  }

  Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) override {
    const std::lock_guard lock(mutex_);
    NESTRT_RETURN_IF_ERROR(arguments_.check(inputs, outputs));
    bind(inputs, outputs);
    return guarded([&]() -> Status {  // what is said of a failure takes memory
      for (PlacedBranch& branch : branches_) NESTRT_RETURN_IF_ERROR(run_branch(branch));
      return {};
    });
  }

  uint64_t healed_branches() const override { return healed_.load(std::memory_order_relaxed); }
  const Plan& plan() const override { return *plan_; }

  SessionMemory memory() const override {
    SessionMemory memory;
    memory.arena_bytes = arena_.size();
    memory.scratch_bytes = scratch_.size();
    for (const PlacedBranch& branch : branches_) {
      memory.repacked_bytes += branch.executable->repacked_bytes();
      if (branch.fallback != nullptr) memory.repacked_bytes += branch.fallback->repacked_bytes();
    }
    return memory;
  }

  std::vector<OperatorSummary> operators() const override {
    std::vector<OperatorSummary> summaries;
    for (const plan::Operator* op : items(plan_->tables().operators())) {
      OperatorSummary& summary = summaries.emplace_back();
      summary.name = view(op->name());
      summary.kind = plan::EnumNameAttributes(op->attributes_type());
    }
    for (const PlacedBranch& branch : branches_) {
      for (const Executable::KernelChoice& choice : branch.executable->kernel_choices()) {
        OperatorSummary& summary = summaries[choice.operator_index];
        summary.kernel = choice.kernel;
        summary.repacked = choice.repacked;
        summary.unit = branch.unit->info().name;
      }
    }
    return summaries;
  }

 private:
  Status check_units() const {
    if (unit_timeout_ <= std::chrono::milliseconds::zero())
      return Status(Code::kInvalidArgument, "SessionOptions::unit_timeout must be more than no time");
    if (units_.empty()) return Status(Code::kInvalidArgument, "a session needs a unit; open_units(\"cpu\") gives one");
    for (const std::shared_ptr<Unit>& unit : units_)
      if (unit == nullptr) return Status(Code::kInvalidArgument, "a unit of the session is null");
    return {};
  }

  // On the first unit that has a program for the branch; where that is not the CPU, it is ready to step in.
  Status place(uint32_t branch) {
    PlacedBranch placed;
    for (const std::shared_ptr<Unit>& unit : units_) {
      const plan::Program* program = program_for(*items(plan_->tables().branches())[branch], unit->info());
      const bool wanted = placed.unit == nullptr || unit->info().kind == "cpu";
      if (program == nullptr || !wanted) continue;
      NESTRT_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, unit->prepare({plan_, branch, program}));
      (placed.unit == nullptr ? placed.executable : placed.fallback) = std::move(executable);
      if (placed.unit == nullptr) placed.unit = unit;
    }
    if (placed.unit == nullptr) return no_unit_for(branch);
    branches_.push_back(std::move(placed));
    return {};
  }

  void report_repacking() const {
    const size_t bytes = memory().repacked_bytes;
    if (bytes == 0) return;
    log(LogLevel::kInfo, text(view(plan_->tables().model_name()), ": ", bytes,
                              " bytes of weights are packed for another CPU and were packed anew; a plan that "
                              "this version's nestc makes has them in place"));
  }

  static std::string describe(std::string_view kind, std::string_view fingerprint) {
    return fingerprint.empty() ? std::string(kind) : text(kind, " (", fingerprint, ")");
  }

  Status no_unit_for(uint32_t branch) const {
    for (const plan::Program* program : items(items(plan_->tables().branches())[branch]->programs())) {
      for (const std::shared_ptr<Unit>& unit : units_) {  // one of another configuration knows what differs
        if (view(program->unit()) != unit->info().kind) continue;
        if (const auto refused = unit->prepare({plan_, branch, program}); !refused) return refused.error();
      }
    }
    std::string wanted, given;
    for (const plan::Program* program : items(items(plan_->tables().branches())[branch]->programs()))
      wanted += text(wanted.empty() ? "" : ", ", describe(view(program->unit()), view(program->fingerprint())));
    for (const std::shared_ptr<Unit>& unit : units_)
      given += text(given.empty() ? "" : ", ", describe(unit->info().kind, unit->info().fingerprint));
    return Status(Code::kIncompatible,
                  text("branch ", branch, " has programs for ", wanted, ", but the session's units are ", given,
                       "; add a unit or recompile the model for it"));
  }

  Status allocate() {
    const plan::MemoryPlan& memory = *items(plan_->tables().memory_plans())[0];  // sequential
    NESTRT_ASSIGN_OR_RETURN(arena_, AlignedMemory::allocate(memory.arena_bytes(), "the arena"));
    size_t scratch_bytes = 0;
    for (const PlacedBranch& branch : branches_) {
      scratch_bytes = std::max(scratch_bytes, branch.executable->scratch_bytes());
      if (branch.fallback != nullptr) scratch_bytes = std::max(scratch_bytes, branch.fallback->scratch_bytes());
    }
    NESTRT_ASSIGN_OR_RETURN(scratch_, AlignedMemory::allocate(scratch_bytes, "scratch memory"));

    const auto& buffers = items(plan_->tables().buffers());
    buffers_.resize(buffers.size(), nullptr);
    for (uint32_t index = 0; index < buffers.size(); ++index) {
      // Kernels get the addresses of constants as inputs only.
      if (buffers[index]->kind() == plan::BufferKind::constant)
        buffers_[index] = const_cast<std::byte*>(plan_->constant(index).data());
      else if (buffers[index]->kind() == plan::BufferKind::arena)
        buffers_[index] = arena_.data() + items(memory.offsets())[index];
    }
    return {};
  }

  void bind(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) {
    const plan::Plan& tables = plan_->tables();
    const auto buffer_of = [&](uint32_t tensor) { return items(tables.tensors())[tensor]->buffer(); };
    for (uint32_t i = 0; i < inputs.size(); ++i)
      buffers_[buffer_of(items(tables.inputs())[i]->tensor())] =
          static_cast<std::byte*>(const_cast<void*>(inputs[i].data));  // read only: the verifier has proven it
    for (uint32_t i = 0; i < outputs.size(); ++i)
      buffers_[buffer_of(items(tables.outputs())[i])] = static_cast<std::byte*>(outputs[i].data);
  }

  Status run_branch(PlacedBranch& branch) {
    if (branch.unit->info().kind == "cpu") return run_on(*branch.executable, kNoDeadline);
    const Status status = run_on(*branch.executable, deadline_after(unit_timeout_));
    if (status.ok() || branch.fallback == nullptr) return status;
    healed_.fetch_add(1, std::memory_order_relaxed);
    log(LogLevel::kWarning, text("the CPU computes what a unit did not: ", status.message()));
    return run_on(*branch.fallback, kNoDeadline);
  }

  // A unit that misses its deadline says so itself, once it cannot touch the memory of this run any more.
  Status run_on(Executable& executable, Deadline deadline) {
    Submission submission;
    submission.bindings = {buffers_, scratch_.data()};
    submission.deadline = deadline;
    submission.observer = observer_;
    submission.completion = &completion_;
    submission.generation = completion_.arm();
    executable.submit(submission);
    return completion_.wait();
  }

  const std::shared_ptr<const Plan> plan_;
  const UnitList units_;
  RunObserver* const observer_;
  const std::chrono::milliseconds unit_timeout_;
  std::vector<PlacedBranch> branches_;
  AlignedMemory arena_;
  AlignedMemory scratch_;
  std::atomic<uint64_t> healed_{0};

  std::mutex mutex_;  // one run at a time; guards what follows
  Arguments arguments_;
  std::vector<std::byte*> buffers_;  // by buffer of the plan
  Event completion_;
};

}  // namespace

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Plan> plan, UnitList units,
                                                 const SessionOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Session>> {
    if (plan == nullptr) return Status(Code::kInvalidArgument, "a session needs a plan");
    auto session = std::make_unique<SessionImpl>(std::move(plan), std::move(units), options);
    NESTRT_RETURN_IF_ERROR(session->prepare());
    return std::unique_ptr<Session>(std::move(session));
  });
}

std::optional<size_t> Session::find_input(std::string_view name) const { return position_of(name, inputs()); }
std::optional<size_t> Session::find_output(std::string_view name) const { return position_of(name, outputs()); }

}  // namespace nestrt
