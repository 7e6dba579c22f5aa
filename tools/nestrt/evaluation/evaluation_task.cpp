// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/evaluation/evaluation_task.h"

#include <fmt/core.h>

#include "tools/support/image/sample_files.h"

namespace nestrt::command {
namespace {

struct Entry {
  const char* name;
  Result<std::unique_ptr<EvaluationTask>> (*make)(const TaskOptions& options);
};
constexpr Entry kTasks[] = {{"detection", make_detection},
                            {"segmentation", make_segmentation},
                            {"text", make_text},
                            {"retrieval", make_retrieval}};

}  // namespace

Result<std::unique_ptr<EvaluationTask>> make_task(const TaskOptions& options) {
  for (const Entry& entry : kTasks)
    if (entry.name == options.task) return entry.make(options);
  return Status(Code::kInvalidArgument, fmt::format("unknown task '{}'", options.task));
}

const std::vector<std::string>& evaluation_tasks() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Entry& entry : kTasks) list.emplace_back(entry.name);
    return list;
  }();
  return names;
}

const std::vector<std::string>& box_forms() {
  static const std::vector<std::string> kNames = {"auto", "rows", "yolo", "yolo_objectness", "ssd"};
  return kNames;
}

Result<LabelledImages> find_labelled_images(const TaskOptions& options) {
  tools::ClassNames names;
  if (!options.class_names.empty()) {
    NESTRT_ASSIGN_OR_RETURN(names, tools::ClassNames::read(options.class_names));
  }
  if (!options.labels.empty()) {
    NESTRT_ASSIGN_OR_RETURN(auto images, tools::read_labelled_files(options.labels, names));
    return LabelledImages{options.images, std::move(images), 0, names.by_class()};
  }
  NESTRT_ASSIGN_OR_RETURN(const tools::SampleFiles found, tools::find_samples(options.images));
  NESTRT_ASSIGN_OR_RETURN(tools::FolderClasses classes, tools::classes_of_folders(options.images, found.files, names));
  return LabelledImages{found.folder, std::move(classes.files), classes.num_positions, std::move(classes.names)};
}

Status check_batch(const ImageRunner& runner, size_t index) {
  const TensorInfo& output = runner.plan().outputs()[index];
  if (output.shape.rank() > 0 && output.shape[0] == static_cast<int64_t>(runner.batch_size())) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("output '{}' ({}) does not have the input's batch of {} as its first dimension",
                            output.name, output.shape.to_string(), runner.batch_size()));
}

std::string format_fraction(double fraction) { return fraction >= 0 ? fmt::format("{:.2f} %", 100 * fraction) : "-"; }

}  // namespace nestrt::command
