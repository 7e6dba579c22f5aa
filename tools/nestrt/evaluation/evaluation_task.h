// SPDX-License-Identifier: Apache-2.0
// Metrics of `nestrt eval` for networks other than classifiers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/nestrt/commands.h"
#include "tools/nestrt/image_runner.h"
#include "tools/support/image/labels.h"

namespace nestrt::command {

struct TaskOptions {
  std::string task = "classes";
  std::string images;
  std::string labels;
  std::string class_names;
  int64_t offset = 0;
  // Detection.
  std::string boxes = "auto";
  bool category_ids = false;
  double min_score = 0.001;
  double max_overlap = 0.7;
  // Segmentation.
  int64_t ignored_class = 255;
  // Text.
  int64_t blank = 0;
};

// A data set with the metric of its task. Errors: kInvalidArgument names the file.
class EvaluationTask {
 public:
  virtual ~EvaluationTask() = default;

  // The images and their location.
  virtual const std::string& folder() const = 0;
  virtual const std::vector<std::string>& files() const = 0;
  // Checks that the plan's outputs have the form that the task requires. Called once, before count().
  virtual Status check(const ImageRunner& runner) = 0;
  // Counts the results of image `index` of files(), in row `row` of the runner's outputs.
  virtual Status count(const ImageRunner& runner, size_t row, size_t index) = 0;
  // Return the figures over all images that were counted.
  virtual Json to_json() const = 0;
  virtual Table to_table() const = 0;
};

// Reads the labels of the task. Requires: the task is one of evaluation_tasks().
Result<std::unique_ptr<EvaluationTask>> make_task(const TaskOptions& options);
// The names of all tasks except "classes".
const std::vector<std::string>& evaluation_tasks();
// The values of TaskOptions::boxes.
const std::vector<std::string>& box_forms();

Result<std::unique_ptr<EvaluationTask>> make_detection(const TaskOptions& options);
Result<std::unique_ptr<EvaluationTask>> make_segmentation(const TaskOptions& options);
Result<std::unique_ptr<EvaluationTask>> make_text(const TaskOptions& options);
Result<std::unique_ptr<EvaluationTask>> make_retrieval(const TaskOptions& options);

// The labelled images, and where their labels come from.
struct LabelledImages {
  std::string folder;
  std::vector<tools::LabelledFile> images;
  size_t num_positions = 0;              // see tools::FolderClasses
  std::map<int64_t, std::string> names;  // of the classes, if known

  std::string path(size_t index) const { return folder + "/" + images[index].file; }
};
// Finds images with classes: by `labels`, or by their folders.
Result<LabelledImages> find_labelled_images(const TaskOptions& options);

// Checks that output `index` of the plan has the batch of the input as its first dimension. Errors: kInvalidArgument.
Status check_batch(const ImageRunner& runner, size_t index);

// "41.23 %", or "-" if the fraction is NaN or negative.
std::string format_fraction(double fraction);

}  // namespace nestrt::command
