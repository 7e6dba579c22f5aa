// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/options/noise_options.h"

#include <fmt/ranges.h>

#include <iostream>

#include "tools/support/text/files.h"
#include "tools/support/text/progress.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

constexpr double kMaxDecibel = 100;  // higher than 8 bits can reach

// Prints the result of a bound.
void print_bound(const NoiseReport& report, double min_decibel) {
  if (!report.met) {
    std::cerr << fmt::format("nestc: no choice of operators in f32 reaches --min-snr {}; no plan is written\n",
                             min_decibel);
  } else if (!report.kept.empty()) {
    std::cout << tools::printable_message(
                     fmt::format("kept in f32 for --min-snr {}: {}", min_decibel, fmt::join(report.kept, ", ")))
              << "\n";
  }
}

}  // namespace

void NoiseFlags::add_to(tools::Command command) {
  command
      .add_option("--min-snr", min_decibel_,
                  "keep operators in f32, the noisiest first, until every output has a signal-to-noise ratio of at "
                  "least N dB; exits with code 1 and writes no plan if that is impossible")
      .between(0, kMaxDecibel)
      .needs("--quantize");
  command
      .add_option("--snr-data", samples_path_,
                  "samples for estimating the signal-to-noise ratio: a folder of images or FILE.npy (default: a part "
                  "of those of --calibrate, not used to choose the exponents of the estimate)")
      .needs("--quantize")
      .not_empty();
}

Status NoiseFlags::check(const QuantizeFlags& quantize) const {
  if (!min_decibel_ || !samples_path_.empty() || !quantize.data_is_profile()) return {};
  return Status(
      Code::kInvalidArgument,
      fmt::format("--min-snr needs samples to measure on, and --calibrate {} is a profile: add --snr-data DIR "
                  "or FILE.npy",
                  quantize.data()));
}

Status NoiseFlags::check_output(const std::string& output) const {
  return tools::check_not_input(output, samples_path_);
}

NoiseSource NoiseFlags::source(const QuantizeFlags& quantize, std::optional<HeldOut> held_out) const {
  NoiseSource source{
      quantize.samples_of(samples_path_.empty() ? quantize.data() : samples_path_), samples_path_.empty(), {}};
  if (!source.have_calibrated) return source;
  source.samples.limit = quantize.limit();
  source.held_out = std::move(held_out);
  return source;
}

Result<std::optional<NoiseReport>> NoiseFlags::estimate(const std::string& model, CompileOptions& compile,
                                                        const QuantizeFlags& quantize,
                                                        const NoiseSource& source) const {
  if (samples_path_.empty() && quantize.data_is_profile()) {
    std::cerr << "nestc: note: a profile has no samples, so the signal-to-noise ratio is not estimated; add --snr-data "
                 "DIR or FILE.npy\n";
    return std::optional<NoiseReport>();
  }
  tools::ProgressBars bars;
  const auto show = [&bars](std::string_view what, size_t done, size_t total) { bars.show(what, done, total); };
  NESTRT_ASSIGN_OR_RETURN(NoiseReport report,
                          bound_noise(model, compile, source, {.min_decibel = min_decibel_, .progress = show}));
  bars.clear();
  if (const std::string text = describe(report); !text.empty()) std::cout << tools::printable_message(text) << "\n";
  if (const std::string warning = warning_about(report, "--keep-f32 {}", ",", "--min-snr 20"); !warning.empty())
    std::cerr << "nestc: warning: " << tools::printable_message(warning) << "\n";
  if (min_decibel_) print_bound(report, *min_decibel_);
  compile.quantization->options.keep_f32.insert(report.kept.begin(), report.kept.end());
  return std::optional(std::move(report));
}

tools::Json to_json(const NoiseReport& report) {
  tools::Json outputs = tools::Json::array(), noisy = tools::Json::array();
  for (const OutputNoise& output : report.outputs)
    outputs.push_back({{"name", output.name}, {"snr_db", output.decibel}});
  for (const NoisyLayer& layer : report.noisy) noisy.push_back({{"name", layer.name}, {"snr_db", layer.decibel}});
  return {{"samples", report.samples}, {"have_calibrated", report.have_calibrated},   {"outputs", std::move(outputs)},
          {"noisy", std::move(noisy)}, {"kept_f32", tools::Json::array(report.kept)}, {"met", report.met}};
}

}  // namespace nestrt::compiler
