// SPDX-License-Identifier: Apache-2.0
#include "nestrt/pipeline.h"

#include <fmt/core.h>

#include <deque>
#include <vector>

#include "nestrt/driver/mutex.h"
#include "runtime/platform/fork_origin.h"
#include "runtime/platform/guard.h"
#include "runtime/platform/named_thread.h"
#include "runtime/session/pipeline_session.h"
#include "runtime/session/shaped_session.h"

namespace nestrt {
namespace {

constexpr int kMaxInferences = 1024;  // limit for inferences in flight, and for waiting ones

// A reusable slot for one inference in the pipeline.
struct Entry {
  enum class State : uint8_t { kFree, kWaiting, kRunning, kDone };
  State state = State::kFree;
  std::vector<ConstTensorView> inputs;
  std::vector<TensorView> outputs;
  Status status;
};

class PipelineImpl final : public Pipeline {
 public:
  PipelineImpl(std::shared_ptr<const Plan> plan, const PipelineOptions& options, size_t in_flight)
      : plan_(std::move(plan)), capacity_(in_flight + static_cast<size_t>(options.waiting)), entries_(capacity_) {
    for (Entry& entry : entries_) {
      entry.inputs.reserve(plan_->inputs().size());
      entry.outputs.reserve(plan_->outputs().size());
    }
  }

  ~PipelineImpl() override {
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    for (NamedThread& thread : threads_) thread.join();
    inferences_.clear();  // destroy the followers before the session that they follow
  }

  Status start(const UnitList& units, const PipelineOptions& options, size_t in_flight) {
    inferences_.resize(in_flight);
    const auto arbiters = std::make_shared<UnitArbiters>(units.size());
    if (plan_->shapes().empty()) NESTRT_RETURN_IF_ERROR(add_shape(plan_, units, options.session, arbiters));
    for (const std::shared_ptr<const Plan>& shape : plan_->shapes())
      NESTRT_RETURN_IF_ERROR(add_shape(shape, units, options.session, arbiters));
    return start_threads();
  }

  void submit(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs) override {
    if (origin_.in_child()) return;  // next() returns the error
    const MutexLock lock(mutex_);
    Entry& entry = entry_of(submitted_);
    while (entry.state != Entry::State::kFree) changed_.wait(mutex_);
    entry.status = guarded([&]() -> Status {  // allocates if there are more arguments than the plan has
      entry.inputs.assign(inputs.begin(), inputs.end());
      entry.outputs.assign(outputs.begin(), outputs.end());
      return {};
    });
    entry.state = Entry::State::kWaiting;
    ++submitted_;
    changed_.notify_all();
  }

  Status next() override {
    NESTRT_RETURN_IF_ERROR(origin_.check("pipeline"));
    const MutexLock lock(mutex_);
    if (returned_ == submitted_)
      return Status(Code::kInvalidArgument, "the pipeline has no inference to return; submit one first");
    Entry& entry = entry_of(returned_);
    while (entry.state != Entry::State::kDone) changed_.wait(mutex_);
    ++returned_;
    entry.state = Entry::State::kFree;
    changed_.notify_all();
    return std::move(entry.status);
  }

  bool wait_for_next(std::chrono::nanoseconds most) override {
    if (origin_.in_child()) return true;  // next() returns the error
    const auto until = std::chrono::steady_clock::now() + most;
    const MutexLock lock(mutex_);
    const auto has_to_wait = [&]() NESTRT_REQUIRES(mutex_) {
      return returned_ != submitted_ && entry_of(returned_).state != Entry::State::kDone;
    };
    while (has_to_wait())
      if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) return !has_to_wait();
    return true;
  }

  size_t capacity() const override { return capacity_; }
  const Plan& plan() const override { return *plan_; }

  Schedule schedule() const override { return inferences_[0][0]->schedule(); }

 private:
  using Sessions = std::vector<std::unique_ptr<PipelineSession>>;  // per shape

  // Adds one session per inference for a shape. The first one adapts; the others follow it.
  Status add_shape(const std::shared_ptr<const Plan>& plan, const UnitList& units, SessionOptions options,
                   const std::shared_ptr<UnitArbiters>& arbiters) {
    const size_t shape = inferences_[0].size();
    options.schedule.method = ScheduleMethod::kThroughput;
    PipelineSessionOptions role{
        arbiters, [this, shape](const PreparedSchedule& schedule, const CostTable& costs, const CostTable& measured) {
          offer(shape, schedule, costs, measured);
        }};
    for (auto& sessions : inferences_) {
      NESTRT_ASSIGN_OR_RETURN(auto session, PipelineSession::create(plan, units, options, role));
      if (!role.follows) {
        role = {arbiters, {}, true, session->may_change(), session->kernels()};
        options.fixed_schedule = std::make_shared<const Schedule>(session->schedule());
        options.adaptation.drift = 0;
      }
      sessions.push_back(std::move(session));
    }
    return {};
  }

  void offer(size_t shape, const PreparedSchedule& schedule, const CostTable& costs, const CostTable& measured) {
    for (size_t i = 1; i < inferences_.size(); ++i) inferences_[i][shape]->offer(schedule, costs, measured);
  }

  Status start_threads() {
    threads_.reserve(inferences_.size());
    for (size_t i = 0; i < inferences_.size(); ++i) {
      Result<NamedThread> started = start_named_thread("nestrt-pipe", [this, i] { work(inferences_[i]); });
      if (!started)
        return started.error().with_context(
            fmt::format("cannot start thread {} of {} of the pipeline", i + 1, inferences_.size()));
      threads_.push_back(std::move(*started));
    }
    return {};
  }

  Entry& entry_of(uint64_t number) NESTRT_REQUIRES(mutex_) { return entries_[number % entries_.size()]; }

  void work(const Sessions& sessions) {
    const MutexLock lock(mutex_);
    while (true) {
      while (!stopping_ && begun_ == submitted_) changed_.wait(mutex_);
      if (stopping_) return;
      const uint64_t number = begun_++;
      Entry& entry = entry_of(number);
      entry.state = Entry::State::kRunning;
      if (entry.status.ok()) {
        Status status;
        {
          const MutexPause pause(mutex_);
          // The first shape's session rejects inputs that match no shape.
          const size_t shape = shape_for(*plan_, entry.inputs).value_or(0);
          status = sessions[shape]->run(entry.inputs, entry.outputs, RunOptions(), number);
        }
        entry.status = std::move(status);
      }
      entry.state = Entry::State::kDone;
      changed_.notify_all();
    }
  }

  const ForkOrigin origin_;
  const std::shared_ptr<const Plan> plan_;
  const size_t capacity_;
  std::vector<Sessions> inferences_;  // one element per inference in flight

  Mutex mutex_;
  Condition changed_;
  std::deque<Entry> entries_ NESTRT_GUARDED_BY(mutex_);  // except the arguments of a running one
  uint64_t submitted_ NESTRT_GUARDED_BY(mutex_) = 0;
  uint64_t begun_ NESTRT_GUARDED_BY(mutex_) = 0;
  uint64_t returned_ NESTRT_GUARDED_BY(mutex_) = 0;
  bool stopping_ NESTRT_GUARDED_BY(mutex_) = false;

  std::vector<NamedThread> threads_;
};

}  // namespace

Result<std::unique_ptr<Pipeline>> Pipeline::create(std::shared_ptr<const Plan> plan, UnitList units,
                                                   const PipelineOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Pipeline>> {
    if (plan == nullptr) return Status(Code::kInvalidArgument, "a pipeline needs a plan");
    if (options.in_flight < 0 || options.in_flight > kMaxInferences || options.waiting < 0 ||
        options.waiting > kMaxInferences)
      return Status(
          Code::kInvalidArgument,
          fmt::format(
              "PipelineOptions::in_flight and ::waiting must be 0 to {}; in_flight 0 selects the number from the units",
              kMaxInferences));
    const size_t in_flight = options.in_flight > 0 ? static_cast<size_t>(options.in_flight) : 3 * units.size();
    auto pipeline = std::make_unique<PipelineImpl>(std::move(plan), options, in_flight);
    NESTRT_RETURN_IF_ERROR(pipeline->start(units, options, in_flight));
    return std::unique_ptr<Pipeline>(std::move(pipeline));
  });
}

}  // namespace nestrt
