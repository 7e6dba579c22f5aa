// SPDX-License-Identifier: Apache-2.0
// nestc calibrate: measures the value ranges of a network and selects quantization exponents.
#include <fmt/core.h>

#include <iostream>
#include <memory>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/quantize/profile_yaml.h"
#include "tools/nestc/command.h"
#include "tools/nestc/commands/sensitivity.h"
#include "tools/nestc/model_files.h"
#include "tools/nestc/options/compile_options.h"
#include "tools/nestc/options/quantize_options.h"
#include "tools/support/text/files.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

using tools::Align;

constexpr std::array kMethods = {CalibrationMethod::kMinMax, CalibrationMethod::kPercentile, CalibrationMethod::kKl,
                                 CalibrationMethod::kMse};

struct CalibrateCommand {
  CompileFlags flags;
  CalibrationOptions options;
  std::string model;
  std::string output;
  std::string method{name(options.method)};
  SensitivityFlags sensitivity;

  Status run();

 private:
  Status check_files() const;
  Status save(const QuantizationProfile& profile) const;
  void print(const QuantizationProfile& profile) const;
};

std::string zeros_of(const ValueProfile& value) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(value.zeros) / static_cast<double>(value.elements));
}

std::string remark_on(const ValueProfile& value) {
  if (value.zeros == value.elements) return "always zero";
  return value.min == value.max ? "constant" : "";
}

void CalibrateCommand::print(const QuantizationProfile& profile) const {
  std::vector<tools::Table::Column> columns = {
      {"value"}, {"min", Align::kRight}, {"max", Align::kRight}, {"zeros", Align::kRight}};
  for (const CalibrationMethod each : kMethods) columns.push_back({std::string(name(each)), Align::kRight});
  columns.push_back({""});
  tools::Table table(std::move(columns));
  for (const ValueProfile& value : profile.values) {
    std::vector<std::string> row = {tools::printable(value.name), fmt::format("{:.4g}", value.min),
                                    fmt::format("{:.4g}", value.max), zeros_of(value)};
    for (const CalibrationMethod each : kMethods)
      row.push_back(fmt::format("{}", choose_exponent(each, value, options.percentile)));
    row.push_back(remark_on(value));
    table.add_row(std::move(row));
  }
  std::cout << table.to_string();
}

Status CalibrateCommand::check_files() const {
  if (output.empty() && !sensitivity.wanted)
    return Status(Code::kInvalidArgument,
                  "nothing to do; add -o PROFILE.yaml to save the profile, or --sensitivity to rank layers");
  for (const std::string& file : {output, sensitivity.json}) {
    if (file.empty()) continue;
    NESTRT_RETURN_IF_ERROR(check_not_model(file, model));
    for (const std::string& data : {options.samples.npy, options.samples.images})
      NESTRT_RETURN_IF_ERROR(tools::check_not_input(file, data));
    NESTRT_RETURN_IF_ERROR(flags.check_output(file));
    NESTRT_RETURN_IF_ERROR(
        tools::check_writable(file, file == output ? tools::Written::kProfile : tools::Written::kJson));
  }
  if (output.empty() || output != sensitivity.json) return {};
  return Status(Code::kInvalidArgument, "the profile and the JSON are the same file; name another file");
}

Status CalibrateCommand::save(const QuantizationProfile& profile) const {
  if (output.empty()) return {};
  NESTRT_RETURN_IF_ERROR(save_profile(profile, output));
  print(profile);
  std::cout << fmt::format("{}: {} values over {} samples, exponents by {}\n", output, profile.values.size(),
                           profile.samples, method);
  return {};
}

Status CalibrateCommand::run() {
  NESTRT_RETURN_IF_ERROR(check_files());
  NESTRT_RETURN_IF_ERROR(flags.require_one_shape("calibrate"));
  NESTRT_ASSIGN_OR_RETURN(options.compile, flags.options());
  options.method = *calibration_method(method);
  NESTRT_ASSIGN_OR_RETURN(const Calibration calibration, calibrate_with_progress(model, options));
  NESTRT_RETURN_IF_ERROR(save(calibration.profile));
  return sensitivity.wanted ? report_sensitivity(model, options, calibration.profile, sensitivity) : Status();
}

}  // namespace

void add_calibrate_command(tools::Cli& cli) {
  auto command = std::make_shared<CalibrateCommand>();
  tools::Command app =
      cli.add_command("calibrate", "observe a network's values over sample data and choose exponents to quantize them",
                      {"nestc calibrate squeezenet1.1.onnx --images images --mean 123.675,116.28,103.53 "
                       "--scale 0.0171,0.0175,0.0174 --resize 256 -o squeezenet.yaml",
                       "nestc calibrate keywords.onnx --npy recordings.npy --method percentile -o keywords.yaml",
                       "nestc calibrate keywords.onnx --npy recordings.npy --sensitivity --json layers.json"},
                      [command]() -> Result<tools::ExitCode> {
                        NESTRT_RETURN_IF_ERROR(command->run());
                        return tools::ExitCode::kOk;
                      });
  CalibrationOptions& options = command->options;
  app.add_option("model", command->model, "the ONNX or TensorFlow Lite file").required();
  app.add_option("-o,--output", command->output, "the quantization profile to write (YAML)").not_empty();
  const tools::Option images =
      app.add_option("--images", options.samples.images, "a folder of JPEG, PNG or BMP images");
  app.add_option("--npy", options.samples.npy, "a NumPy file of N inputs: N x the input's shape").excludes(images);
  app.add_option("--limit", options.samples.limit, "use at most N samples, spread evenly over all").positive();
  app.add_flag("--skip-unreadable", options.samples.skip_unreadable,
               "skip images that are unreadable or too small, instead of failing");
  app.add_option("--method", command->method, "how exponents are chosen")
      .one_of({"minmax", "percentile", "kl", "mse"})
      .show_default();
  app.add_option("--percentile", options.percentile,
                 "percentage of elements, 50 to 100, that --method percentile keeps unclipped")
      .between(50, 100)
      .show_default();
  SensitivityFlags& sensitivity = command->sensitivity;
  const tools::Option wanted = app.add_flag("--sensitivity", sensitivity.wanted,
                                            "rank the layers by their sensitivity to 8 bits, measured with each layer "
                                            "as the only one in s8 and as the only one in f32");
  app.add_option("--sensitivity-samples", sensitivity.samples,
                 "number of samples for --sensitivity, spread evenly over all")
      .needs(wanted)
      .positive()
      .show_default();
  app.add_option("--json", sensitivity.json,
                 "file for the same values: samples, all, and layers with name, kind, mac_share, only_it and "
                 "all_but_it; each score has agreement and snr_db, which is null if nothing differs")
      .needs(wanted)
      .not_empty();
  command->flags.add_to(app);
}

}  // namespace nestrt::compiler
