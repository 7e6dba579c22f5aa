// SPDX-License-Identifier: Apache-2.0
// nestrt run: runs one inference on arrays, or one per image.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "nestrt/log.h"
#include "tools/nestrt/commands.h"
#include "tools/nestrt/image_runner.h"
#include "tools/support/image/classify.h"
#include "tools/support/image/labels.h"
#include "tools/support/report/plan_shape.h"
#include "tools/support/report/tensor_files.h"
#include "tools/support/text/files.h"

namespace nestrt::command {
namespace {

struct RunOptions {
  std::string plan;
  std::vector<std::string> inputs;
  std::string output_folder;
  std::vector<std::string> images;
  std::string labels;
  std::string saved_input;
  size_t top = 5;
  int64_t offset = 0;
  tools::ImageFlags preprocessing;
  UnitChoice units;
};

// Returns minimum, maximum and mean of a tensor as table cells.
template <typename T>
std::vector<std::string> statistics_of(const TensorView& tensor) {
  const std::span values(static_cast<const T*>(tensor.data), static_cast<size_t>(tensor.shape.num_elements()));
  if (values.empty()) return {"", "", ""};
  double smallest = values[0], largest = values[0], sum = 0;
  for (const T value : values) {
    const auto number = static_cast<double>(value);
    smallest = std::min(smallest, number);
    largest = std::max(largest, number);
    sum += number;
  }
  const auto cell = [](double number) { return fmt::format("{:.6g}", number); };
  return {cell(smallest), cell(largest), cell(sum / static_cast<double>(values.size()))};
}

std::vector<std::string> statistics_of(const TensorView& tensor) {
  switch (tensor.type) {
    case DataType::kF32:
      return statistics_of<float>(tensor);
    case DataType::kS8:
      return statistics_of<int8_t>(tensor);
    case DataType::kU8:
      return statistics_of<uint8_t>(tensor);
    case DataType::kS32:
      return statistics_of<int32_t>(tensor);
    case DataType::kS64:
      return statistics_of<int64_t>(tensor);
    case DataType::kBool:
      return statistics_of<uint8_t>(tensor);
  }
  return {};
}

// Writes all outputs or none. Creates the folder.
Status write_outputs(std::span<const TensorView> outputs, const std::vector<std::string>& paths,
                     const std::string& folder) {
  NESTRT_RETURN_IF_ERROR(tools::make_folder(folder));
  tools::NewFiles files;
  for (size_t i = 0; i < outputs.size(); ++i)
    NESTRT_RETURN_IF_ERROR(files.add(paths[i], tools::format_npy(outputs[i])));
  return files.take_places();
}

// Lists the outputs and writes them if a folder is given.
Status report_outputs(const Plan& plan, std::span<const TensorView> outputs, const std::string& folder) {
  std::vector<std::string> paths(outputs.size());
  if (!folder.empty()) {
    paths = tools::file_names(plan.outputs(), ".npy");
    for (std::string& path : paths) path.insert(0, folder + "/");
    NESTRT_RETURN_IF_ERROR(write_outputs(outputs, paths, folder));
  }
  Table table({{"output"},
               {"type"},
               {"shape"},
               {"min", Align::kRight},
               {"max", Align::kRight},
               {"mean", Align::kRight},
               {folder.empty() ? "" : "file"}});
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorInfo& info = plan.outputs()[i];
    std::vector<std::string> row{tools::printable(info.name), std::string(name(info.type)), info.shape.to_string()};
    for (std::string& cell : statistics_of(outputs[i])) row.push_back(std::move(cell));
    row.push_back(paths[i]);
    table.add_row(std::move(row));
  }
  fmt::print("{}", table.to_string());
  return {};
}

// Checks that no output file is an input of the command.
Status check_outputs(const Plan& plan, const RunOptions& options) {
  std::vector<std::string> inputs = tools::input_files(plan.inputs(), options.inputs);
  inputs.insert(inputs.end(), options.images.begin(), options.images.end());
  inputs.insert(inputs.end(), {options.plan, options.labels});
  NESTRT_RETURN_IF_ERROR(check_output_files({options.saved_input}, inputs, options.units));
  if (options.output_folder.empty()) return {};
  std::vector<std::string> outputs = {options.saved_input, options.units.trace, options.units.cost_file};
  for (const std::string& file : tools::file_names(plan.outputs(), ".npy"))
    outputs.push_back(options.output_folder + "/" + file);
  for (const std::string& path : outputs) NESTRT_RETURN_IF_ERROR(tools::check_not_input(path, inputs));
  for (const std::string& path : outputs) NESTRT_RETURN_IF_ERROR(tools::check_kind(path));
  return tools::check_distinct(outputs);
}

Status report_trace(const LoadedPlan& loaded, const RunOptions& options) {
  return loaded.recorder == nullptr ? Status()
                                    : write_trace(options.units.trace, *loaded.recorder, *loaded.session, loaded.units);
}

std::string class_name(const std::vector<std::string_view>& names, int64_t index) {
  if (names.empty()) return fmt::format("class {}", index);
  if (index < 0 || index >= static_cast<int64_t>(names.size())) return fmt::format("class {} (no label)", index);
  return tools::printable(names[static_cast<size_t>(index)]);
}

// Returns one line per class: its probability, or its score if the output is not a distribution, and its name.
std::string format_classes(std::span<const float> values, const std::vector<std::string_view>& names,
                           const RunOptions& options) {
  const bool distribution = tools::is_distribution(values);
  Table table({{"", Align::kRight}, {""}});
  for (const size_t index : tools::largest(values, options.top)) {
    const float value = values[index];
    table.add_row({distribution ? fmt::format("{:.2f}%", value * 100) : fmt::format("{:.5g}", value),
                   class_name(names, static_cast<int64_t>(index) + options.offset)});
  }
  return table.to_string();
}

// Reads one name per class, starting at class 0. Returns no names if no file is given.
Result<tools::TextLines> read_names(const RunOptions& options, const Plan& plan) {
  if (options.labels.empty()) return tools::TextLines();
  const TensorInfo& output = plan.outputs()[0];
  if (tools::class_rows(plan, 0) != 1) {
    return Status(
        Code::kInvalidArgument,
        fmt::format(
            "--labels requires class scores, but the plan's first output is not a row of class scores (f32 1xN):"
            "\n{}",
            describe(std::span(&output, 1))));
  }
  NESTRT_ASSIGN_OR_RETURN(tools::TextLines names, tools::read_class_names(options.labels));
  const int64_t classes = output.shape.num_elements(), count = static_cast<int64_t>(names.lines().size());
  if (count == classes + options.offset) return names;
  const std::string offset = options.offset == 0 ? "" : fmt::format(" and --offset {}", options.offset);
  const bool background = options.offset == 0 && count == classes - 1;
  return Status(Code::kInvalidArgument,
                fmt::format("'{}' has {} names, but {} classes{} require {}{}", options.labels, count, classes, offset,
                            classes + options.offset,
                            background ? "; pass --offset -1 if the network's first class is background" : ""));
}

// Returns the requested shape, or else the one that the arrays match.
Result<int> find_shape(const RunOptions& options) {
  if (options.units.shape > 0) return options.units.shape;
  NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::map(options.plan, Verification::kTables));
  return tools::shape_of_inputs(*plan, options.inputs);
}

// Integer kernels convert NaN to 0 and f32 kernels propagate it, so the class may be meaningless despite a high score.
void warn_of_nan(std::span<const ConstTensorView> inputs) {
  if (!std::ranges::all_of(inputs, tools::holds_numbers))
    log(LogLevel::kWarning, "an input has NaN elements, so the results are meaningless");
}

Status run_arrays(const RunOptions& options) {
  if (!options.saved_input.empty()) return Status(Code::kInvalidArgument, "--save-input requires --image");
  UnitChoice units = options.units;
  NESTRT_ASSIGN_OR_RETURN(units.shape, find_shape(options));
  NESTRT_ASSIGN_OR_RETURN(const LoadedPlan loaded, load_plan(options.plan, units));
  NESTRT_RETURN_IF_ERROR(check_outputs(*loaded.plan, options));
  NESTRT_ASSIGN_OR_RETURN(const tools::TextLines names, read_names(options, *loaded.plan));
  NESTRT_ASSIGN_OR_RETURN(const auto arrays, tools::read_inputs(loaded.plan->inputs(), options.inputs));
  NESTRT_ASSIGN_OR_RETURN(const TensorSet outputs, TensorSet::create(loaded.plan->outputs()));
  std::vector<ConstTensorView> inputs;
  for (const tools::Array& array : arrays) inputs.push_back(array.view());
  warn_of_nan(inputs);
  NESTRT_RETURN_IF_ERROR(loaded.run(inputs, outputs.views()));
  NESTRT_RETURN_IF_ERROR(report_trace(loaded, options));
  if (!options.labels.empty()) {
    const TensorView& scores = outputs.views()[0];
    const std::span values(static_cast<const float*>(scores.data), static_cast<size_t>(scores.shape.num_elements()));
    fmt::print("{}", format_classes(values, names.lines(), options));
  }
  return report_outputs(*loaded.plan, outputs.views(), options.output_folder);
}

Status check_image_options(const RunOptions& options) {
  if (!options.inputs.empty()) return Status(Code::kInvalidArgument, "pass either --image or --input, not both");
  if (options.images.size() == 1) return {};
  const char* const option = !options.output_folder.empty() ? "--output" : "--save-input";
  if (options.output_folder.empty() && options.saved_input.empty()) return {};
  return Status(Code::kInvalidArgument, fmt::format("{} accepts one image; pass a single --image", option));
}

Status run_images(const RunOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_image_options(options));
  NESTRT_ASSIGN_OR_RETURN(ImageRunner runner, ImageRunner::create(options.plan, options.units, options.preprocessing));
  if (runner.batch_size() > 1)
    return Status(
        Code::kInvalidArgument,
        fmt::format("--image requires a batch of 1, but the plan has a batch of {}; nestrt eval fills batches, "
                    "and --input accepts an array of the whole batch",
                    runner.batch_size()));
  NESTRT_RETURN_IF_ERROR(check_outputs(runner.plan(), options));
  NESTRT_ASSIGN_OR_RETURN(const tools::TextLines names, read_names(options, runner.plan()));
  for (const std::string& path : options.images) {
    NESTRT_RETURN_IF_ERROR(runner.load(path, 0));
    NESTRT_RETURN_IF_ERROR(runner.run());
    if (options.images.size() > 1) fmt::print("{}\n", tools::printable(path));
    if (runner.has_class_scores()) {
      fmt::print("{}", format_classes(runner.scores(0), names.lines(), options));
      if (options.output_folder.empty()) continue;
    } else if (!runner.place().empty()) {
      fmt::print("{}\n", runner.place());
    }
    NESTRT_RETURN_IF_ERROR(report_outputs(runner.plan(), runner.outputs(), options.output_folder));
  }
  if (!options.saved_input.empty())
    NESTRT_RETURN_IF_ERROR(tools::write_npy(options.saved_input, runner.input().view()));
  return report_trace(runner.loaded(), options);
}

}  // namespace

void add_run(tools::Cli& cli) {
  auto options = std::make_shared<RunOptions>();
  tools::Command app =
      cli.add_command("run", "Run a plan on arrays or images",
                      {"nestrt run squeezenet.nest --image cat.jpg --labels imagenet.txt --top 5",
                       "nestrt run mobilenet_v2.nest --image cat.jpg --labels imagenet.txt --offset -1",
                       "nestrt run detector.nest --image street.jpg --output results/",
                       "nestrt run detector.nest --input image=image.npy --output results/"},
                      [options]() -> Result<ExitCode> {
                        NESTRT_RETURN_IF_ERROR(options->images.empty() ? run_arrays(*options) : run_images(*options));
                        return ExitCode::kOk;
                      });
  add_plan_argument(app, options->plan);
  add_input_option(app, options->inputs, "array for an input of the plan");
  app.add_option("--output", options->output_folder, "folder for the outputs, one .npy each")
      .type_name("DIR")
      .not_empty();
  app.add_option(
         "--image", options->images,
         "image to run on, preprocessed as specified at compile time; prints its classes if the plan's first output "
         "is a row of class scores, otherwise statistics of the outputs")
      .repeatable()
      .type_name("FILE.jpg|png|bmp");
  app.add_option("--save-input", options->saved_input, "file for the preprocessed image, in the format of --input")
      .type_name("FILE.npy")
      .not_empty();
  app.add_option("--labels", options->labels, "class names, one per line, as many as the plan has classes")
      .type_name("FILE");
  app.add_option("--top", options->top, "classes to print").in_range(1, 1000000).show_default();
  add_offset_option(app, options->offset);
  options->preprocessing.add_to(app);
  add_unit_options(app, options->units);
  add_schedule_options(app, options->units);
  add_trace_option(app, options->units, "the last inference");
}

}  // namespace nestrt::command
