// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/evaluation/run_task.h"

#include <fmt/core.h>

#include <algorithm>

namespace nestrt::command {
namespace {

// Runs the images `indices` of the task, which fill at most a batch, and counts their results.
Status run_batch(EvaluationTask& task, std::span<const size_t> indices, ImageRunner& runner) {
  const auto place = [&](size_t row) { return fmt::format("'{}'", task.files()[indices[row]]); };
  for (size_t row = 0; row < indices.size(); ++row) {
    const Status loaded = runner.load(task.folder() + "/" + task.files()[indices[row]], row);
    if (!loaded.ok()) return loaded.with_context(place(row));
  }
  NESTRT_RETURN_IF_ERROR(runner.run());
  for (size_t row = 0; row < indices.size(); ++row) {
    const Status counted = task.count(runner, row, indices[row]);
    if (!counted.ok()) return counted.with_context(place(row));
  }
  return {};
}

}  // namespace

std::vector<size_t> selected_images(const EvaluationTask& task, size_t limit) {
  const size_t num_files = task.files().size();
  const size_t count = limit == 0 ? num_files : std::min(limit, num_files);
  std::vector<size_t> indices;
  for (size_t i = 0; i < count; ++i) indices.push_back(i * num_files / count);
  return indices;
}

Status run_task(EvaluationTask& task, const TaskRun& run, const std::function<void(size_t, size_t)>& progress) {
  NESTRT_ASSIGN_OR_RETURN(ImageRunner runner, ImageRunner::create(run.plan, run.units, run.preprocessing));
  runner.split_batch();
  NESTRT_RETURN_IF_ERROR(task.check(runner));
  const std::vector<size_t> indices = selected_images(task, run.limit);
  for (size_t first = 0; first < indices.size(); first += runner.batch_size()) {
    const size_t rows = std::min(runner.batch_size(), indices.size() - first);
    NESTRT_RETURN_IF_ERROR(run_batch(task, std::span(indices).subspan(first, rows), runner));
    progress(first + rows, indices.size());
  }
  return {};
}

}  // namespace nestrt::command
