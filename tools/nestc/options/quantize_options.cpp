// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/options/quantize_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "compiler-lite/graph/rounding.h"
#include "compiler-lite/quantize/profile_yaml.h"
#include "tools/nestc/model_files.h"
#include "tools/support/image/image_options.h"
#include "tools/support/image/preprocessing_warnings.h"
#include "tools/support/text/files.h"
#include "tools/support/text/progress.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

bool ends_with(const std::string& path, std::string_view suffix) { return std::string_view(path).ends_with(suffix); }
std::filesystem::path normal(const std::string& path) { return std::filesystem::path(path).lexically_normal(); }
bool is_profile(const std::string& path) { return ends_with(path, ".yaml") || ends_with(path, ".yml"); }

}  // namespace

void QuantizeFlags::add_to(tools::Command command) {
  command_ = command;
  const tools::Option quantize =
      command.add_option("--quantize", type_, "compute in 8-bit integers (docs/concepts/numerics.md)").one_of({"s8"});
  command
      .add_option("--requantize", requantize_,
                  "pow2: give the activations of a quantized model scales that are powers of two, as NPUs need; the "
                  "signal-to-noise ratio is that against the quantized model")
      .one_of({"pow2"})
      .needs(quantize);
  command
      .add_option("--calibrate", data_,
                  "source of the ranges: a folder of images, FILE.npy with N inputs, or the PROFILE.yaml of an "
                  "earlier calibration")
      .needs(quantize);
  command.add_option("--calibration-limit", limit_, "use at most N samples, spread evenly over all")
      .positive()
      .needs(quantize);
  command
      .add_flag("--skip-unreadable", skip_unreadable_,
                "skip calibration images that are unreadable or too small, instead of failing")
      .needs(quantize);
  command
      .add_option("--method", method_,
                  "how exponents are chosen from ranges (default: mse, or the method in PROFILE.yaml)")
      .one_of({"minmax", "percentile", "kl", "mse"})
      .needs(quantize);
  command
      .add_option("--percentile", percentile_,
                  "percentage of elements, 50 to 100, that --method percentile keeps unclipped")
      .between(50, 100)
      .needs(quantize)
      .show_default();
  command.add_option("--save-profile", save_, "also write the calibration to this file (YAML)").needs(quantize);
  command
      .add_option("--scales", choice_.scales, "tensor: a scale for every activation; single: one for the whole network")
      .one_of({"tensor", "single"})
      .needs(quantize)
      .show_default();
  command
      .add_flag("--per-tensor", choice_.per_tensor, "one scale for all output channels of weights, instead of one each")
      .needs(quantize);
  command
      .add_option("--rounding", choice_.rounding,
                  "rounding of shifted integers; NEST-C uses floor, ONNX half_even, which costs time on EVTA")
      .one_of({"half_up", "floor", "half_even"})
      .needs(quantize)
      .show_default();
  command
      .add_option("--corrections", choice_.corrections,
                  "corrections of rounding errors: none, or a list of equalisation (of channels, between layers), "
                  "weights (exponents by squared error), bias (mean error of each channel)")
      .show_default()
      .separated_by(',')
      .one_of({"none", "equalisation", "weights", "bias"})
      .needs(quantize);
  command.add_option("--keep-f32", choice_.keep_f32, "operators that stay in floating point: NODE,...")
      .separated_by(',')
      .needs(quantize);
}

Status QuantizeFlags::check_saved(const std::string& model) const {
  if (save_.empty()) return {};
  NESTRT_RETURN_IF_ERROR(check_not_model(save_, model));
  NESTRT_RETURN_IF_ERROR(tools::check_not_input(save_, data_));
  return tools::check_writable(save_, tools::Written::kProfile);
}

Status QuantizeFlags::check_output(const std::string& output) const {
  NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, data_));
  if (save_.empty() || normal(save_) != normal(output)) return {};
  return Status(Code::kInvalidArgument, "--save-profile names the same file as another output; name another file");
}

bool QuantizeFlags::data_is_profile() const { return is_profile(data_); }

SampleOptions QuantizeFlags::samples_of(const std::string& data) const {
  SampleOptions samples;
  (ends_with(data, ".npy") ? samples.npy : samples.images) = data;
  samples.skip_unreadable = skip_unreadable_;
  return samples;
}

bool QuantizeFlags::given(const std::string& option) const { return command_->given(option); }

Status QuantizeFlags::check() const {
  if (data_.empty()) {
    return Status(Code::kInvalidArgument,
                  "--quantize s8 needs calibration data: --calibrate DIR (images), FILE.npy (N x the input's shape) "
                  "or PROFILE.yaml (of nestc calibrate)");
  }
  if (is_profile(data_) && (limit_ > 0 || skip_unreadable_ || !save_.empty())) {
    return Status(Code::kInvalidArgument,
                  fmt::format("--calibrate {} is a profile; --calibration-limit, --skip-unreadable and "
                              "--save-profile require a folder or a .npy file",
                              data_));
  }
  const bool has_own_method = method_.empty() && is_profile(data_);  // may be percentile
  if (given("--percentile") && method_ != "percentile" && !has_own_method)
    return Status(Code::kInvalidArgument, "--percentile requires --method percentile");
  const bool nothing =
      std::find(choice_.corrections.begin(), choice_.corrections.end(), "none") != choice_.corrections.end();
  if (nothing && choice_.corrections.size() > 1)
    return Status(Code::kInvalidArgument, "--corrections: expected none, or names without none");
  return {};
}

Result<QuantizationProfile> complete_profile(const std::string& path, const std::string& method,
                                             std::optional<double> percentile) {
  NESTRT_ASSIGN_OR_RETURN(QuantizationProfile profile, load_profile(path));
  if (!method.empty()) profile.method = *calibration_method(method);
  if (percentile && profile.method != CalibrationMethod::kPercentile)
    return Status(Code::kInvalidArgument, fmt::format("a percentile requires method percentile; '{}' uses method {}",
                                                      path, name(profile.method)));
  const bool chooses_anew = !method.empty() || percentile;
  for (ValueProfile& value : profile.values)
    if (chooses_anew || !value.exponent)
      value.exponent = choose_exponent(profile.method, value, percentile.value_or(kDefaultPercentile));
  return profile;
}

Status agree_with(const QuantizationProfile& profile, const std::string& data, CompileOptions& compile,
                  const std::function<void(const std::string& text)>& note) {
  if (!profile.preprocessing) return {};
  const std::string options = tools::as_options(*profile.preprocessing);
  if (!compile.preprocessing) {
    note(options.empty() ? fmt::format("images are used as pixels from 0 to 255, as for '{}'", tools::printable(data))
                         : fmt::format("images are preprocessed as for '{}': {}", tools::printable(data), options));
    compile.preprocessing = profile.preprocessing;
    tools::warn_about_preprocessing(*compile.preprocessing);
    return {};
  }
  if (tools::is_same(*compile.preprocessing, *profile.preprocessing)) return {};
  const std::string given = tools::as_options(*compile.preprocessing);
  const auto shown = [](const std::string& text) { return text.empty() ? "unchanged pixels" : text; };
  return Status(
      Code::kInvalidArgument,
      fmt::format("'{}' was calibrated with {}, but the options specify {}: the integers would not fit the values "
                  "of the plan; calibrate again, or omit these options",
                  data, shown(options), shown(given)));
}

Result<Calibration> QuantizeFlags::calibration(const std::string& model, CompileOptions& compile) const {
  if (is_profile(data_)) {
    const auto percentile = given("--percentile") ? std::optional(percentile_) : std::nullopt;
    NESTRT_ASSIGN_OR_RETURN(QuantizationProfile saved, complete_profile(data_, method_, percentile));
    const auto note = [](const std::string& text) { std::cerr << "nestc: note: " << text << "\n"; };
    NESTRT_RETURN_IF_ERROR(agree_with(saved, data_, compile, note));
    return Calibration{std::move(saved), {}, {}};
  }
  CalibrationOptions options;
  options.compile = compile;
  options.compile.progress = nullptr;
  options.samples = samples_of(data_);
  options.samples.limit = limit_;
  if (!method_.empty()) options.method = *calibration_method(method_);
  options.percentile = percentile_;
  NESTRT_ASSIGN_OR_RETURN(Calibration calibration, calibrate_with_progress(model, std::move(options)));
  // The plan must preprocess images as the profile did.
  if (!compile.preprocessing) compile.preprocessing = calibration.profile.preprocessing;
  if (!save_.empty()) NESTRT_RETURN_IF_ERROR(save_profile(calibration.profile, save_));
  return calibration;
}

QuantizeOptions QuantizeChoice::options() const {
  QuantizeOptions options;
  options.scales = scales == "single" ? Scales::kSingle : Scales::kTensor;
  options.per_channel = !per_tensor;
  options.rounding = *rounding_named(rounding);
  const auto corrects = [this](const char* name) {
    return std::find(corrections.begin(), corrections.end(), name) != corrections.end();
  };
  options.corrections = {corrects("equalisation"), corrects("weights"), corrects("bias")};
  options.keep_f32.insert(keep_f32.begin(), keep_f32.end());
  return options;
}

Result<std::optional<Quantization>> QuantizeFlags::quantization(const std::string& model, CompileOptions& compile,
                                                                std::optional<HeldOut>* held_out) const {
  if (type_.empty()) return std::optional<Quantization>();
  NESTRT_RETURN_IF_ERROR(check());
  compile.import.drops_quantization = !requantize_.empty();
  NESTRT_ASSIGN_OR_RETURN(Calibration made, calibration(model, compile));
  if (held_out != nullptr) *held_out = std::move(made.held_out);
  Quantization result{std::move(made.profile), choice_.options(), {}, percentile_};
  return std::optional(std::move(result));
}

Result<Calibration> calibrate_with_progress(const std::string& model, CalibrationOptions options) {
  std::optional<tools::Progress> bar;
  options.progress = [&](size_t done, size_t total) {
    if (done == 0)
      bar.emplace("calibrating", static_cast<int64_t>(total));
    else
      bar->advance();
  };
  auto calibration = calibrate(model, options);
  bar.reset();
  if (!calibration) return calibration.error();
  if (calibration->profile.preprocessing && !options.compile.preprocessing)
    std::cerr
        << "nestc: note: images are used as pixels from 0 to 255; if the network was trained with other values, set "
           "--mean and --scale\n";
  for (const std::string& why : calibration->skipped) std::cerr << "skipped: " << tools::printable(why) << "\n";
  return calibration;
}

}  // namespace nestrt::compiler
