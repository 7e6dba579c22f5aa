// SPDX-License-Identifier: Apache-2.0
// nestrt eval: measures accuracy over labelled images and agreement with the results of another run; other metrics are
// in tools/nestrt/evaluation.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>

#include "nestrt/log.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/evaluation/class_figures.h"
#include "tools/nestrt/evaluation/run_task.h"
#include "tools/nestrt/image_runner.h"
#include "tools/support/image/classify.h"
#include "tools/support/image/labels.h"
#include "tools/support/text/files.h"
#include "tools/support/text/json.h"
#include "tools/support/text/progress.h"

namespace nestrt::command {
namespace {

using tools::LabelledFile;
using tools::ReferenceResult;
using References = std::unordered_map<std::string, ReferenceResult>;

const std::string kPredictionsHeader = "file\tlabel\ttop1\tlargest\n";

struct EvalOptions {
  std::string plan;
  TaskOptions data;  // without labels, the folders of the images are their classes
  std::string reference;
  std::string predictions;
  std::string json;
  std::string confusion;
  bool per_class = false;
  size_t limit = 0;
  tools::ImageFlags preprocessing;
  UnitChoice units;
  double require_agreement = 0;
  double tolerance = -1;
};

struct Score {
  tools::ClassificationScore classes;
  ClassTitles names;
  size_t num_nan = 0;  // inputs with a NaN in the input or the scores; they count as wrong
  size_t agreeing = 0;
  double worst_abs = 0;  // difference between the largest output and the reference's
  double worst_rel = 0;
  double worst_scaled = 0;  // |difference| / max(1, |reference|): absolute for probabilities, relative for logits
  std::string worst_file;
  std::string predictions;  // lines in the format of --reference

  size_t n() const { return classes.num_samples(); }
  double fraction(size_t count) const { return static_cast<double>(count) / static_cast<double>(n()); }
};

// Treats NaN as an infinite distance.
double distance(double a, double b) { return std::isnan(a - b) ? INFINITY : std::abs(a - b); }

void compare(Score& score, const ReferenceResult& expected, int64_t top1, double largest) {
  score.agreeing += top1 == expected.top1;
  const double absolute = distance(largest, expected.largest_output);
  const double magnitude = std::abs(expected.largest_output);
  score.worst_rel = std::max(score.worst_rel, absolute == 0 ? 0 : absolute / magnitude);
  score.worst_scaled = std::max(score.worst_scaled, absolute / std::max(1.0, magnitude));
  if (absolute > score.worst_abs || score.worst_file.empty()) score.worst_file = expected.file;
  score.worst_abs = std::max(score.worst_abs, absolute);
}

void count(Score& score, const ImageRunner& runner, size_t row, const LabelledFile& image,
           const ReferenceResult* expected, int64_t offset) {
  const std::span<const float> values = runner.scores(row);
  std::vector<int64_t> top;
  for (const size_t index : tools::largest(values, 5)) top.push_back(static_cast<int64_t>(index) + offset);
  const float most = values[static_cast<size_t>(top[0] - offset)];
  const bool are_numbers =
      runner.input_is_numbers(row) && std::ranges::none_of(values, [](float value) { return std::isnan(value); });
  score.num_nan += !are_numbers;
  score.classes.add(image.label, are_numbers ? top : std::vector<int64_t>());
  // Written as a double: the shortest digits of a float would not give the same value when read as a double.
  score.predictions += fmt::format("{}\t{}\t{}\t{}\n", image.file, image.label, top[0], static_cast<double>(most));
  if (expected != nullptr) compare(score, *expected, top[0], most);
}

// Empty if no reference is given.
Result<References> read_references(const EvalOptions& options, std::span<const LabelledFile> images) {
  References references;
  if (options.reference.empty()) return references;
  NESTRT_ASSIGN_OR_RETURN(auto rows, tools::read_reference(options.reference));
  for (ReferenceResult& row : rows) references.insert_or_assign(row.file, std::move(row));
  for (const LabelledFile& image : images) {
    if (!references.contains(image.file)) {
      return Status(Code::kInvalidArgument,
                    fmt::format("'{}' has no line for '{}' of '{}'", options.reference, image.file,
                                options.data.labels.empty() ? options.data.images : options.data.labels));
    }
  }
  return references;
}

// Names an image in messages: the line of its label, or its path.
std::string place_of(const EvalOptions& options, const LabelledImages& data, size_t index) {
  if (options.data.labels.empty()) return fmt::format("'{}'", data.path(index));
  return fmt::format("'{}' line {}", options.data.labels, data.images[index].line);
}

Status check_classes(const EvalOptions& options, const LabelledImages& data, int64_t num_classes) {
  const auto num_folders = static_cast<int64_t>(data.num_positions);
  if (num_folders > 0 && num_folders != num_classes + options.data.offset)
    return Status(Code::kInvalidArgument,
                  fmt::format("'{}' has {} class folders, but the plan has {} classes; pass --class-names FILE, whose "
                              "lines name the classes in the plan's order",
                              options.data.images, num_folders, num_classes));
  int64_t largest = 0;
  for (size_t i = 0; i < data.images.size(); ++i) {
    const int64_t label = data.images[i].label;
    largest = std::max(largest, label);
    if (label >= options.data.offset && label - options.data.offset < num_classes) continue;
    return Status(
        Code::kInvalidArgument,
        fmt::format("{}: expected a class of the plan, {} to {}, got {}; see --offset", place_of(options, data, i),
                    options.data.offset, options.data.offset + num_classes - 1, label));
  }
  const std::string remark = tools::remark_on_background(num_classes, options.data.offset, largest);
  if (!remark.empty()) log(LogLevel::kWarning, remark);
  return {};
}

// Selects evenly spaced images, so that every class folder is represented. With a list of labels, selects its first
// images.
void limit_images(const EvalOptions& options, std::vector<LabelledFile>& images) {
  if (options.limit == 0 || images.size() <= options.limit) return;
  if (options.data.labels.empty())
    for (size_t i = 0; i < options.limit; ++i) images[i] = images[i * images.size() / options.limit];
  images.resize(options.limit);
}

// Checks that results can be written and do not replace an input.
Status check_outputs(const EvalOptions& options, size_t num_images, const std::function<std::string(size_t)>& image) {
  NESTRT_RETURN_IF_ERROR(check_output_files(
      {options.json, options.predictions, options.confusion},
      {options.plan, options.data.labels, options.data.class_names, options.reference}, options.units));
  NESTRT_RETURN_IF_ERROR(tools::check_kind(options.predictions, tools::Written::kPredictions));
  NESTRT_RETURN_IF_ERROR(tools::check_kind(options.json, tools::Written::kJson));
  const std::string outputs[] = {options.json, options.predictions, options.confusion, options.units.trace,
                                 options.units.cost_file};
  return tools::check_not_inputs(outputs, num_images, image);
}

// Finds the images and checks all files before any image is run.
Result<LabelledImages> read_images(const EvalOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(LabelledImages data, find_labelled_images(options.data));
  limit_images(options, data.images);
  NESTRT_RETURN_IF_ERROR(check_outputs(options, data.images.size(), [&](size_t index) { return data.path(index); }));
  return data;
}

// Runs the images from `first` on that fill a batch, and counts their results.
Status evaluate_batch(const EvalOptions& options, const LabelledImages& data, const References& references,
                      size_t first, ImageRunner& runner, Score& score) {
  const size_t count_of_batch = std::min(runner.batch_size(), data.images.size() - first);
  for (size_t row = 0; row < count_of_batch; ++row) {
    const Status loaded = runner.load(data.path(first + row), row);
    if (!loaded.ok()) return loaded.with_context(place_of(options, data, first + row));
  }
  const Status done = runner.run();
  if (!done.ok()) return done.with_context(place_of(options, data, first));
  for (size_t row = 0; row < count_of_batch; ++row) {
    const LabelledFile& image = data.images[first + row];
    const auto expected = references.find(image.file);
    count(score, runner, row, image, expected == references.end() ? nullptr : &expected->second, options.data.offset);
  }
  return {};
}

Result<Score> evaluate(const EvalOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const LabelledImages data, read_images(options));
  NESTRT_ASSIGN_OR_RETURN(const References references, read_references(options, data.images));
  NESTRT_ASSIGN_OR_RETURN(ImageRunner runner, ImageRunner::create(options.plan, options.units, options.preprocessing));
  NESTRT_RETURN_IF_ERROR(runner.require_classes("nestrt eval"));
  NESTRT_RETURN_IF_ERROR(check_classes(options, data, runner.num_classes()));
  tools::Progress progress("images", static_cast<int64_t>(data.images.size()));
  Score score;
  score.names = data.names;
  for (size_t first = 0; first < data.images.size(); first += runner.batch_size()) {
    NESTRT_RETURN_IF_ERROR(evaluate_batch(options, data, references, first, runner, score));
    for (size_t row = 0; row < std::min(runner.batch_size(), data.images.size() - first); ++row) progress.advance();
  }
  const std::string remark = tools::remark_on_guessing(score.classes.num_top1(), score.n(), runner.num_classes());
  if (!remark.empty()) log(LogLevel::kWarning, remark);
  return score;
}

void print_score(const Score& score, bool with_reference) {
  const auto share = [&](size_t part) {
    return fmt::format("{:.2f} %  ({}/{})", 100 * score.fraction(part), part, score.n());
  };
  Table table({{""}, {""}});
  table.add_row({"top-1", share(score.classes.num_top1())});
  table.add_row({"top-5", share(score.classes.num_top5())});
  table.add_row({"mean of classes", format_fraction(score.classes.balanced_accuracy())});
  if (with_reference) {
    table.add_row({"agreement", share(score.agreeing)});
    table.add_row({"largest output", fmt::format("largest deviation {:.3g} ({}); relative {:.3g}", score.worst_abs,
                                                 score.worst_file, score.worst_rel)});
  }
  fmt::print("{}", table.to_string());
  if (score.num_nan > 0)
    log(LogLevel::kWarning,
        fmt::format("{} of {} inputs have NaN elements or scores; they count as wrong", score.num_nan, score.n()));
}

void print_classes(const Score& score) {
  constexpr size_t kShownErrors = 10;
  fmt::print("\n{}", table_of_classes(score.classes, score.names).to_string());
  const Table errors = table_of_errors(score.classes, score.names, kShownErrors);
  if (!errors.rows().empty()) fmt::print("\n{}", errors.to_string());
}

Json json_of(const Score& score, bool with_reference) {
  Json json = class_figures(score.classes, score.names);
  json.set("num_nan", score.num_nan);
  if (with_reference) {
    json.set("agreement", score.fraction(score.agreeing));
    json.set("worst_abs", score.worst_abs);
    json.set("worst_rel", score.worst_rel);
  }
  return json;
}

// Writes all files or none.
Status write_results(const Score& score, const EvalOptions& options) {
  tools::NewFiles files;
  if (!options.predictions.empty())
    NESTRT_RETURN_IF_ERROR(files.add_text(options.predictions, kPredictionsHeader + score.predictions));
  if (!options.json.empty())
    NESTRT_RETURN_IF_ERROR(files.add_text(options.json, json_of(score, !options.reference.empty()).to_string()));
  if (!options.confusion.empty())
    NESTRT_RETURN_IF_ERROR(files.add_text(options.confusion, confusion_csv(score.classes, score.names)));
  return files.take_places();
}

Result<ExitCode> run_eval(const EvalOptions& options) {
  const bool with_reference = !options.reference.empty();
  NESTRT_ASSIGN_OR_RETURN(const Score score, evaluate(options));
  print_score(score, with_reference);
  if (options.per_class) print_classes(score);
  NESTRT_RETURN_IF_ERROR(write_results(score, options));
  const bool disagrees = with_reference && score.fraction(score.agreeing) < options.require_agreement;
  const bool deviates = with_reference && options.tolerance >= 0 && !(score.worst_scaled <= options.tolerance);
  return disagrees || deviates ? ExitCode::kMismatch : ExitCode::kOk;
}

// Runs all images of a task other than classification, or --limit evenly spaced ones.
Status evaluate_task(const EvalOptions& options, EvaluationTask& task) {
  const std::vector<size_t> indices = selected_images(task, options.limit);
  NESTRT_RETURN_IF_ERROR(check_outputs(
      options, indices.size(), [&](size_t index) { return task.folder() + "/" + task.files()[indices[index]]; }));
  tools::ProgressBars progress;
  return run_task(task, {options.plan, options.units, options.preprocessing, options.limit},
                  [&](size_t done, size_t total) { progress.show("images", done, total); });
}

Result<ExitCode> run_other_task(const EvalOptions& options) {
  if (!options.reference.empty() || !options.predictions.empty() || !options.confusion.empty() || options.per_class)
    return Status(Code::kInvalidArgument,
                  "--reference, --predictions, --per-class and --confusion require --task classes");
  NESTRT_ASSIGN_OR_RETURN(const auto task, make_task(options.data));
  NESTRT_RETURN_IF_ERROR(evaluate_task(options, *task));
  fmt::print("{}", task->to_table().to_string());
  if (!options.json.empty()) NESTRT_RETURN_IF_ERROR(tools::write_json(options.json, task->to_json()));
  return ExitCode::kOk;
}

void add_task_options(tools::Command& app, TaskOptions& data) {
  std::vector<std::string> tasks = evaluation_tasks();
  tasks.insert(tasks.begin(), data.task);
  app.add_option("--task", data.task,
                 "what to measure: classes (top-1, top-5), detection (COCO mAP), segmentation (mIoU), text (character "
                 "error rate of CTC networks), retrieval (recall of embeddings)")
      .one_of(tasks)
      .show_default();
  app.add_option("--boxes", data.boxes,
                 "detection: form of the outputs; rows: left, top, right, bottom, score, class; yolo: centre, size, "
                 "class scores")
      .one_of(box_forms())
      .show_default();
  app.add_flag("--category-ids", data.category_ids,
               "detection: classes plus --offset are category ids; default: positions in the sorted ids");
  app.add_option("--min-score", data.min_score, "detection: ignore boxes with lower scores")
      .between(0, 1)
      .show_default();
  app.add_option("--max-overlap", data.max_overlap,
                 "detection: overlap above which only the best of several boxes of a class is kept (yolo)")
      .between(0, 1)
      .show_default();
  app.add_option("--ignore-class", data.ignored_class, "segmentation: class of pixels that do not count")
      .show_default();
  app.add_option("--blank", data.blank, "text: class of the blank; -1: the last").show_default();
}

}  // namespace

void add_eval(tools::Cli& cli) {
  auto options = std::make_shared<EvalOptions>();
  tools::Command app = cli.add_command(
      "eval", "Measure a network's accuracy over labelled images or arrays",
      {"nestrt eval squeezenet.nest --images imagenet/val",
       "nestrt eval squeezenet.nest --images imagenette/val --class-names imagenet_classes.txt --per-class",
       "nestrt eval squeezenet.nest --images imagenet/ --labels imagenet/labels.txt",
       "nestrt eval mobilenet_v2.nest --images imagenet/ --labels labels.txt --offset -1 --json accuracy.json",
       "nestrt eval keywords.nest --images features/ --labels features.txt",
       "nestrt eval yolo.nest --task detection --images coco/val2017 --labels coco/instances_val2017.json",
       "nestrt eval deeplab.nest --task segmentation --images voc/images --labels voc/masks",
       "nestrt eval reader.nest --task text --images words/ --labels words.txt --class-names characters.txt",
       "nestrt eval faces.nest --task retrieval --images faces/",
       "nestrt eval squeezenet.nest --images imagenet/ --labels labels.txt --reference fp32.tsv --require-agreement 1"},
      [options] { return options->data.task == "classes" ? run_eval(*options) : run_other_task(*options); });
  add_task_options(app, options->data);
  add_plan_argument(app, options->plan);
  app.add_option("--images", options->data.images,
                 "folder of the images or .npy inputs; without --labels one subfolder per class, or a text file with "
                 "such paths")
      .required()
      .type_name("DIR");
  app.add_option("--labels", options->data.labels,
                 "lines file<TAB>class, a number or a class name; a header line is ignored; default: the folders of "
                 "the images: their numbers, or their positions in sorted order. detection: COCO annotations; "
                 "segmentation: folder of masks with the images' names; text: lines file<TAB>text")
      .type_name("FILE");
  app.add_option("--class-names", options->data.class_names,
                 "one class name per line, the first for class 0; for labels and folders that are names; text: the "
                 "characters, with or without the blank")
      .type_name("FILE");
  add_offset_option(app, options->data.offset);
  const tools::Option reference =
      app.add_option("--reference", options->reference,
                     "expected results: lines file<TAB>label<TAB>top-1 class<TAB>largest output")
          .type_name("FILE");
  app.add_option("--require-agreement", options->require_agreement,
                 "exit with code 1 if a smaller fraction of classes is equal")
      .needs(reference)
      .between(0, 1);
  app.add_option("--tolerance", options->tolerance,
                 "exit with code 1 if a largest output deviates by more: absolute for values up to 1, relative above")
      .needs(reference)
      .between(0, std::numeric_limits<double>::max());
  app.add_option("--predictions", options->predictions,
                 "file for the results of this run, in the format of --reference")
      .type_name("FILE");
  app.add_flag("--per-class", options->per_class,
               "classes: also show top-1, top-5, precision and F1 of each class, and the ten most frequent errors");
  app.add_option(
         "--confusion", options->confusion,
         "classes: CSV file for the confusion matrix, one row for each class and one column for each class found")
      .type_name("FILE");
  options->preprocessing.add_to(app);
  app.add_option("--limit", options->limit,
                 "evaluate only N images: the first ones of --labels, or N spread over all folders; 0: all")
      .in_range(0, 1000000000);
  add_json_option(
      app, options->json,
      "n and the figures of the task: top1, top5, balanced_accuracy, macro_f1, classes, confusion, agreement; map, "
      "map50, ar100; miou; cer; recall1");
  add_unit_options(app, options->units);
  add_schedule_options(app, options->units);
}

}  // namespace nestrt::command
