// SPDX-License-Identifier: Apache-2.0
// Runs a plan over the images of a task and counts the results.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/nestrt/evaluation/evaluation_task.h"

namespace nestrt::command {

struct TaskRun {
  std::string plan;
  UnitChoice units;
  tools::ImageFlags preprocessing;
  size_t limit = 0;  // evaluate only N images, evenly spaced; 0: all
};

// Returns the indices of the images to evaluate.
std::vector<size_t> selected_images(const EvaluationTask& task, size_t limit);

// Runs the selected images, in batches of the plan. Calls `progress(done, total)` after each batch.
// Errors: as for ImageRunner; kInvalidArgument if the outputs do not fit the task or an image is invalid.
Status run_task(EvaluationTask& task, const TaskRun& run, const std::function<void(size_t, size_t)>& progress);

}  // namespace nestrt::command
