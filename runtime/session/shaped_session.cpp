// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/shaped_session.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "runtime/platform/guard.h"
#include "runtime/session/pipeline_session.h"

namespace nestrt {
namespace {

// Compares shapes only; the session for that shape checks everything else.
bool fits(const Plan& plan, std::span<const ConstTensorView> inputs) {
  return std::ranges::equal(plan.inputs(), inputs, [](const TensorInfo& expected, const ConstTensorView& got) {
    return expected.shape == got.shape;
  });
}

std::string describe_inputs(const Plan& plan) {
  std::string text;
  for (const TensorInfo& input : plan.inputs())
    text += fmt::format("{}{}", text.empty() ? "" : " and ", input.shape.to_string());
  return text;
}

Status no_matching_shape(const Plan& plan, std::span<const ConstTensorView> inputs) {
  std::string given, known;
  for (const ConstTensorView& input : inputs)
    given += fmt::format("{}{}", given.empty() ? "" : " and ", input.shape.to_string());
  for (const auto& shape : plan.shapes())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", describe_inputs(*shape));
  return Status(Code::kInvalidArgument,
                fmt::format("inputs have shape {}; the plan was compiled for {}", given, known));
}

class ShapedSession final : public Session {
 public:
  explicit ShapedSession(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

  Status prepare(const UnitList& units, const SessionOptions& options) {
    for (const auto& shape : plan_->shapes()) {
      Result<std::unique_ptr<PipelineSession>> session = PipelineSession::create(shape, units, options);
      if (!session) return session.error().with_context(fmt::format("shape {}", describe_inputs(*shape)));
      sessions_.push_back(std::move(*session));
    }
    return {};
  }

  Status run(std::span<const ConstTensorView> inputs, std::span<const TensorView> outputs,
             const RunOptions& options) override {
    const std::optional<size_t> shape = shape_for(*plan_, inputs);
    if (!shape) return guarded([&] { return no_matching_shape(*plan_, inputs); });
    last_.store(*shape, std::memory_order_relaxed);
    return sessions_[*shape]->run(inputs, outputs, options);
  }

  void cancel() override {
    for (const auto& session : sessions_) session->cancel();
  }

  uint64_t num_host_fallbacks() const override { return sum_of(&Session::num_host_fallbacks); }
  uint64_t num_reschedules() const override { return sum_of(&Session::num_reschedules); }
  Schedule schedule() const override { return sessions_[0]->schedule(); }
  const Plan& plan() const override { return *plan_; }
  std::vector<OperatorSummary> operators() const override { return sessions_[0]->operators(); }

  // Sums over all shapes, except for the traffic, which is that of the last run.
  SessionMemory memory() const override {
    SessionMemory all;
    for (const auto& session : sessions_) {
      const SessionMemory memory = session->memory();
      all.arena_bytes += memory.arena_bytes;
      all.scratch_bytes += memory.scratch_bytes;
      all.repacked_bytes += memory.repacked_bytes;
    }
    const SessionMemory last = sessions_[last_.load(std::memory_order_relaxed)]->memory();
    all.copied_bytes = last.copied_bytes;
    all.shared_memory_bytes = last.shared_memory_bytes;
    return all;
  }

 private:
  uint64_t sum_of(uint64_t (Session::*count)() const) const {
    uint64_t sum = 0;
    for (const auto& session : sessions_) sum += (session.get()->*count)();
    return sum;
  }

  const std::shared_ptr<const Plan> plan_;
  std::vector<std::unique_ptr<PipelineSession>> sessions_;  // per shape
  std::atomic<size_t> last_{0};                             // index of the last run's session
};

}  // namespace

std::optional<size_t> shape_for(const Plan& plan, std::span<const ConstTensorView> inputs) {
  for (size_t shape = 0; shape < plan.shapes().size(); ++shape)
    if (fits(*plan.shapes()[shape], inputs)) return shape;
  return std::nullopt;
}

Result<std::unique_ptr<Session>> create_shaped_session(std::shared_ptr<const Plan> plan, const UnitList& units,
                                                       const SessionOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Session>> {
    auto session = std::make_unique<ShapedSession>(std::move(plan));
    NESTRT_RETURN_IF_ERROR(session->prepare(units, options));
    return std::unique_ptr<Session>(std::move(session));
  });
}

}  // namespace nestrt
