// SPDX-License-Identifier: Apache-2.0
// ModelPipeline: several inferences of one plan concurrently, with the inputs of Model::run(), such as camera frames.
//
//   auto pipeline = nestrt::ModelPipeline::create(plan, units);
//   nestrt::Status status = pipeline->submit({frame}, outputs);   // repeatedly, from one thread
//   status = pipeline->next();                                    // results in the order of submission
#pragma once

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>

#include "nestrt/model.h"
#include "nestrt/pipeline.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// A pipeline that accepts frames and images (nestrt/pipeline.h explains pipelines).
//
// Conversion: submit() converts frames and images on the calling thread and the host's threads, while earlier
// inferences run.
// Ownership: pixels of frames and images are not read after submit() has returned, so a camera's buffer can be
// reused immediately. Other inputs, and outputs, belong to the caller as in Pipeline::submit().
// Threading: one thread may call submit() while another calls next().
// Memory: each of the `capacity()` inferences has memory for converted inputs, which its first frame allocates. Later
// submissions do not allocate, unless the size of a frame changes.
class ModelPipeline {
 public:
  // Errors: as for Pipeline::create().
  static Result<ModelPipeline> create(std::shared_ptr<const Plan> plan, UnitList units,
                                      const PipelineOptions& options = {});
  ModelPipeline(ModelPipeline&& other) noexcept;
  ModelPipeline& operator=(ModelPipeline&& other) noexcept;
  // Waits for the inferences in progress and drops the queued ones.
  ~ModelPipeline();

  // Submits an inference with inputs as for Model::run(); blocks while the pipeline is full. `outputs`: in the plan's
  // order, valid until next() has returned the status of this inference. If the plan has several shapes, the inputs
  // select the first one that they match. A rejected inference is not in the pipeline.
  // Errors: kInvalidArgument if the inputs do not match, kUnavailable in a child of fork().
  Status submit(std::initializer_list<ModelInput> inputs, std::span<const TensorView> outputs) {
    return submit(std::span(inputs.begin(), inputs.size()), outputs);
  }
  Status submit(std::span<const ModelInput> inputs, std::span<const TensorView> outputs);
  // As Pipeline::next(), wait_for_next() and capacity().
  Status next();
  bool wait_for_next(std::chrono::nanoseconds most);
  size_t capacity() const;

  // Returns the plan that the pipeline runs.
  const Plan& plan() const;
  // Returns the schedule of each inference.
  Schedule schedule() const;

 private:
  struct State;
  explicit ModelPipeline(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace nestrt
