// SPDX-License-Identifier: Apache-2.0
#include "nestrt/model_pipeline.h"

#include <deque>

#include "drivers/model/input_binder.h"
#include "nestrt/driver/mutex.h"
#include "nestrt/driver/schedule.h"
#include "runtime/platform/fork_origin.h"
#include "runtime/platform/guard.h"

namespace nestrt {

struct ModelPipeline::State {
  State(UnitList opened, std::unique_ptr<Pipeline> created) : units(std::move(opened)), pipeline(std::move(created)) {
    for (size_t i = 0; i < pipeline->capacity(); ++i) slots.emplace_back(pipeline->plan(), units);
  }

  // Waits until the slot of the next inference is not in use, and returns it. Only submit() increases `submitted`.
  ShapedInputs& wait_for_slot() {
    const MutexLock lock(mutex);
    while (submitted - returned == slots.size()) changed.wait(mutex);
    return slots[submitted % slots.size()];
  }

  Status submit(std::span<const ModelInput> inputs, std::span<const TensorView> outputs) {
    NESTRT_RETURN_IF_ERROR(origin.check("pipeline"));
    ShapedInputs& slot = wait_for_slot();
    NESTRT_ASSIGN_OR_RETURN(const size_t shape, slot.bind(inputs));
    const MutexLock lock(mutex);
    pipeline->submit(slot.views(shape), outputs);  // does not block, because a slot is in use for longer
    ++submitted;
    return {};
  }

  Status next() {
    NESTRT_RETURN_IF_ERROR(origin.check("pipeline"));
    {
      const MutexLock lock(mutex);
      if (submitted == returned) return pipeline->next();  // returns the error
    }
    Status status = pipeline->next();
    const MutexLock lock(mutex);
    ++returned;
    changed.notify_all();
    return status;
  }

  const ForkOrigin origin;
  const UnitList units;
  const std::unique_ptr<Pipeline> pipeline;
  std::deque<ShapedInputs> slots;  // inference N uses slot N % capacity
  Mutex mutex;
  Condition changed;
  uint64_t submitted NESTRT_GUARDED_BY(mutex) = 0;
  uint64_t returned NESTRT_GUARDED_BY(mutex) = 0;
};

ModelPipeline::ModelPipeline(std::unique_ptr<State> state) : state_(std::move(state)) {}
ModelPipeline::ModelPipeline(ModelPipeline&& other) noexcept = default;
ModelPipeline& ModelPipeline::operator=(ModelPipeline&& other) noexcept = default;
ModelPipeline::~ModelPipeline() = default;

Result<ModelPipeline> ModelPipeline::create(std::shared_ptr<const Plan> plan, UnitList units,
                                            const PipelineOptions& options) {
  return guarded([&]() -> Result<ModelPipeline> {
    NESTRT_ASSIGN_OR_RETURN(auto pipeline, Pipeline::create(std::move(plan), units, options));
    return ModelPipeline(std::make_unique<State>(std::move(units), std::move(pipeline)));
  });
}

Status ModelPipeline::submit(std::span<const ModelInput> inputs, std::span<const TensorView> outputs) {
  return guarded([&] { return state_->submit(inputs, outputs); });
}

Status ModelPipeline::next() { return state_->next(); }
bool ModelPipeline::wait_for_next(std::chrono::nanoseconds most) { return state_->pipeline->wait_for_next(most); }
size_t ModelPipeline::capacity() const { return state_->pipeline->capacity(); }
const Plan& ModelPipeline::plan() const { return state_->pipeline->plan(); }
Schedule ModelPipeline::schedule() const { return state_->pipeline->schedule(); }

}  // namespace nestrt
