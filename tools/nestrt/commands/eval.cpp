// SPDX-License-Identifier: Apache-2.0
// nestrt eval: measures accuracy over labelled images and agreement with the results of another run.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "nestrt/log.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/image_runner.h"
#include "tools/support/image/classify.h"
#include "tools/support/image/labels.h"
#include "tools/support/image/sample_files.h"
#include "tools/support/text/files.h"
#include "tools/support/text/json.h"
#include "tools/support/text/progress.h"

namespace nestrt::command {
namespace {

using tools::LabelledFile;
using tools::ReferenceResult;
using References = std::unordered_map<std::string, ReferenceResult>;

const std::string kPredictionsHeader = "file\tlabel\ttop1\tlargest\n";

struct Options {
  std::string plan;
  std::string images;
  std::string labels;  // empty: the folders of the images are their classes
  std::string class_names;
  std::string reference;
  std::string predictions;
  std::string json;
  int64_t offset = 0;
  size_t limit = 0;
  tools::ImageFlags preprocessing;
  UnitChoice units;
  double require_agreement = 0;
  double tolerance = -1;
};

struct Score {
  size_t n = 0;
  size_t top1 = 0;
  size_t top5 = 0;
  size_t num_nan = 0;  // inputs with a NaN in the input or the scores; they count as wrong
  size_t agreeing = 0;
  double worst_abs = 0;  // difference between the largest output and the reference's
  double worst_rel = 0;
  double worst_scaled = 0;  // |difference| / max(1, |reference|): absolute for probabilities, relative for logits
  std::string worst_file;
  std::string predictions;  // lines in the format of --reference

  double fraction(size_t count) const { return static_cast<double>(count) / static_cast<double>(n); }
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
  const std::vector<size_t> top = tools::largest(values, 5);
  const auto class_of = [&](size_t index) { return static_cast<int64_t>(index) + offset; };
  const auto is_label = [&](size_t index) { return class_of(index) == image.label; };
  const bool are_numbers =
      runner.input_is_numbers(row) && std::ranges::none_of(values, [](float value) { return std::isnan(value); });
  ++score.n;
  score.num_nan += !are_numbers;
  score.top1 += are_numbers && is_label(top[0]);
  score.top5 += are_numbers && std::any_of(top.begin(), top.end(), is_label);
  // As a double, because the digits of a float would not restore its exact value when read as a double.
  score.predictions +=
      fmt::format("{}\t{}\t{}\t{}\n", image.file, image.label, class_of(top[0]), static_cast<double>(values[top[0]]));
  if (expected != nullptr) compare(score, *expected, class_of(top[0]), values[top[0]]);
}

// Empty if no reference is given.
Result<References> read_references(const Options& options, std::span<const LabelledFile> images) {
  References references;
  if (options.reference.empty()) return references;
  NESTRT_ASSIGN_OR_RETURN(auto rows, tools::read_reference(options.reference));
  for (ReferenceResult& row : rows) references.insert_or_assign(row.file, std::move(row));
  for (const LabelledFile& image : images) {
    if (!references.contains(image.file)) {
      return Status(Code::kInvalidArgument,
                    fmt::format("'{}' has no line for '{}' of '{}'", options.reference, image.file,
                                options.labels.empty() ? options.images : options.labels));
    }
  }
  return references;
}

// The labelled images, and where their labels come from.
struct DataSet {
  std::string folder;
  std::vector<LabelledFile> images;
  size_t num_positions = 0;  // see tools::FolderClasses

  std::string path(size_t index) const { return folder + "/" + images[index].file; }
};

// Names an image in messages: the line of its label, or its path.
std::string place_of(const Options& options, const DataSet& data, size_t index) {
  if (options.labels.empty()) return fmt::format("'{}'", data.path(index));
  return fmt::format("'{}' line {}", options.labels, data.images[index].line);
}

Status check_classes(const Options& options, const DataSet& data, int64_t num_classes) {
  const auto num_folders = static_cast<int64_t>(data.num_positions);
  if (num_folders > 0 && num_folders != num_classes + options.offset)
    return Status(Code::kInvalidArgument,
                  fmt::format("'{}' has {} class folders, but the plan has {} classes; pass --class-names FILE, whose "
                              "lines name the classes in the plan's order",
                              options.images, num_folders, num_classes));
  int64_t largest = 0;
  for (size_t i = 0; i < data.images.size(); ++i) {
    const int64_t label = data.images[i].label;
    largest = std::max(largest, label);
    if (label >= options.offset && label - options.offset < num_classes) continue;
    return Status(Code::kInvalidArgument,
                  fmt::format("{}: expected a class of the plan, {} to {}, got {}; see --offset",
                              place_of(options, data, i), options.offset, options.offset + num_classes - 1, label));
  }
  const std::string remark = tools::remark_on_background(num_classes, options.offset, largest);
  if (!remark.empty()) log(LogLevel::kWarning, remark);
  return {};
}

Result<DataSet> find_images(const Options& options) {
  tools::ClassNames names;
  if (!options.class_names.empty()) {
    NESTRT_ASSIGN_OR_RETURN(names, tools::ClassNames::read(options.class_names));
  }
  if (!options.labels.empty()) {
    NESTRT_ASSIGN_OR_RETURN(auto images, tools::read_labelled_files(options.labels, names));
    return DataSet{options.images, std::move(images)};
  }
  NESTRT_ASSIGN_OR_RETURN(const tools::SampleFiles found, tools::find_samples(options.images));
  NESTRT_ASSIGN_OR_RETURN(tools::FolderClasses classes, tools::classes_of_folders(options.images, found.files, names));
  return DataSet{found.folder, std::move(classes.files), classes.num_positions};
}

// Selects images spread evenly, so that folders of classes are all represented; the first ones of a list of labels.
void limit_images(const Options& options, std::vector<LabelledFile>& images) {
  if (options.limit == 0 || images.size() <= options.limit) return;
  if (options.labels.empty())
    for (size_t i = 0; i < options.limit; ++i) images[i] = images[i * images.size() / options.limit];
  images.resize(options.limit);
}

// Finds the images and checks all files before any image is run.
Result<DataSet> read_images(const Options& options) {
  NESTRT_ASSIGN_OR_RETURN(DataSet data, find_images(options));
  limit_images(options, data.images);
  NESTRT_RETURN_IF_ERROR(check_output_files({options.json, options.predictions},
                                            {options.plan, options.labels, options.class_names, options.reference},
                                            options.units));
  NESTRT_RETURN_IF_ERROR(tools::check_kind(options.predictions, tools::Written::kPredictions));
  NESTRT_RETURN_IF_ERROR(tools::check_kind(options.json, tools::Written::kJson));
  const std::string outputs[] = {options.json, options.predictions, options.units.trace, options.units.cost_file};
  const auto image = [&](size_t index) { return data.path(index); };
  NESTRT_RETURN_IF_ERROR(tools::check_not_inputs(outputs, data.images.size(), image));
  return data;
}

// Runs the images from `first` on that fill a batch, and counts their results.
Status evaluate_batch(const Options& options, const DataSet& data, const References& references, size_t first,
                      ImageRunner& runner, Score& score) {
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
    count(score, runner, row, image, expected == references.end() ? nullptr : &expected->second, options.offset);
  }
  return {};
}

Result<Score> evaluate(const Options& options) {
  NESTRT_ASSIGN_OR_RETURN(const DataSet data, read_images(options));
  NESTRT_ASSIGN_OR_RETURN(const References references, read_references(options, data.images));
  NESTRT_ASSIGN_OR_RETURN(ImageRunner runner, ImageRunner::create(options.plan, options.units, options.preprocessing));
  NESTRT_RETURN_IF_ERROR(runner.require_classes("nestrt eval"));
  NESTRT_RETURN_IF_ERROR(check_classes(options, data, runner.num_classes()));
  tools::Progress progress("images", static_cast<int64_t>(data.images.size()));
  Score score;
  for (size_t first = 0; first < data.images.size(); first += runner.batch_size()) {
    NESTRT_RETURN_IF_ERROR(evaluate_batch(options, data, references, first, runner, score));
    for (size_t row = 0; row < std::min(runner.batch_size(), data.images.size() - first); ++row) progress.advance();
  }
  const std::string remark = tools::remark_on_guessing(score.top1, score.n, runner.num_classes());
  if (!remark.empty()) log(LogLevel::kWarning, remark);
  return score;
}

void print_score(const Score& score, bool with_reference) {
  const auto share = [&](size_t part) {
    return fmt::format("{:.2f} %  ({}/{})", 100 * score.fraction(part), part, score.n);
  };
  Table table({{""}, {""}});
  table.add_row({"top-1", share(score.top1)});
  table.add_row({"top-5", share(score.top5)});
  if (with_reference) {
    table.add_row({"agreement", share(score.agreeing)});
    table.add_row({"largest output", fmt::format("largest deviation {:.3g} ({}); relative {:.3g}", score.worst_abs,
                                                 score.worst_file, score.worst_rel)});
  }
  fmt::print("{}", table.to_string());
  if (score.num_nan > 0)
    log(LogLevel::kWarning,
        fmt::format("{} of {} inputs have NaN elements or scores; they count as wrong", score.num_nan, score.n));
}

Json json_of(const Score& score, bool with_reference) {
  Json json{{"n", score.n},
            {"top1", score.fraction(score.top1)},
            {"top5", score.fraction(score.top5)},
            {"num_nan", score.num_nan}};
  if (with_reference) {
    json.set("agreement", score.fraction(score.agreeing));
    json.set("worst_abs", score.worst_abs);
    json.set("worst_rel", score.worst_rel);
  }
  return json;
}

// Writes both files or none.
Status write_results(const Score& score, const Options& options) {
  tools::NewFiles files;
  if (!options.predictions.empty())
    NESTRT_RETURN_IF_ERROR(files.add_text(options.predictions, kPredictionsHeader + score.predictions));
  if (!options.json.empty())
    NESTRT_RETURN_IF_ERROR(files.add_text(options.json, json_of(score, !options.reference.empty()).to_string()));
  return files.take_places();
}

Result<ExitCode> run_eval(const Options& options) {
  const bool with_reference = !options.reference.empty();
  NESTRT_ASSIGN_OR_RETURN(const Score score, evaluate(options));
  print_score(score, with_reference);
  NESTRT_RETURN_IF_ERROR(write_results(score, options));
  const bool disagrees = with_reference && score.fraction(score.agreeing) < options.require_agreement;
  const bool deviates = with_reference && options.tolerance >= 0 && !(score.worst_scaled <= options.tolerance);
  return disagrees || deviates ? ExitCode::kMismatch : ExitCode::kOk;
}

}  // namespace

void add_eval(tools::Cli& cli) {
  auto options = std::make_shared<Options>();
  tools::Command app = cli.add_command(
      "eval", "Measure a classifier's accuracy over labelled images or arrays",
      {"nestrt eval squeezenet.nest --images imagenet/val",
       "nestrt eval squeezenet.nest --images imagenette/val --class-names imagenet_classes.txt",
       "nestrt eval squeezenet.nest --images imagenet/ --labels imagenet/labels.txt",
       "nestrt eval mobilenet_v2.nest --images imagenet/ --labels labels.txt --offset -1 --json accuracy.json",
       "nestrt eval keywords.nest --images features/ --labels features.txt",
       "nestrt eval squeezenet.nest --images imagenet/ --labels labels.txt --reference fp32.tsv --require-agreement 1"},
      [options] { return run_eval(*options); });
  add_plan_argument(app, options->plan);
  app.add_option("--images", options->images,
                 "folder of the images or .npy inputs; without --labels one subfolder per class, or a text file with "
                 "such paths")
      .required()
      .type_name("DIR");
  app.add_option("--labels", options->labels,
                 "lines file<TAB>class, a number or a class name; a header line is ignored; default: the folders of "
                 "the images: their numbers, or their positions in sorted order")
      .type_name("FILE");
  app.add_option("--class-names", options->class_names,
                 "one class name per line, the first for class 0; for labels and folders that are names")
      .type_name("FILE");
  add_offset_option(app, options->offset);
  const tools::Option reference =
      app.add_option("--reference", options->reference,
                     "expected results: lines file<TAB>label<TAB>top-1 class<TAB>largest output")
          .type_name("FILE");
  app.add_option("--require-agreement", options->require_agreement,
                 "exit with code 1 if the fraction of equal classes is lower")
      .needs(reference)
      .between(0, 1);
  app.add_option("--tolerance", options->tolerance,
                 "exit with code 1 if a largest output deviates more: absolute up to 1, relative above")
      .needs(reference)
      .between(0, std::numeric_limits<double>::max());
  app.add_option("--predictions", options->predictions,
                 "file for the results of this run, in the format of --reference")
      .type_name("FILE");
  options->preprocessing.add_to(app);
  app.add_option("--limit", options->limit,
                 "evaluate only N images: the first ones of --labels, or N spread over all folders; 0: all")
      .in_range(0, 1000000000);
  add_json_option(app, options->json, "n, top1, top5, agreement, worst_abs, worst_rel");
  add_unit_options(app, options->units);
  add_schedule_options(app, options->units);
}

}  // namespace nestrt::command
