// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/noise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler-lite/tuning/sensitivity.h"

namespace nestrt::compiler {
namespace {

// Number of samples for ranking operators.
constexpr size_t kRankingSamples = 4;
// Number of operators that a warning names.
constexpr size_t kMaxNamed = 8;

double noise_share(double decibel) { return std::pow(10, -decibel / 10); }

double lowest(const std::vector<OutputNoise>& outputs) {
  double result = std::numeric_limits<double>::infinity();
  for (const OutputNoise& output : outputs) result = std::min(result, output.decibel);
  return result;
}

class NoiseBounder {
 public:
  NoiseBounder(Evaluator& evaluator, const Quantization& quantization, const NoiseOptions& options)
      : evaluator_(evaluator),
        quantization_(quantization),
        options_(options),
        samples_(std::min(options.samples, evaluator.num_samples())) {}

  Result<NoiseReport> run() {
    report_.samples = samples_;
    NESTRT_ASSIGN_OR_RETURN(report_.outputs, measure({}, samples_));
    const double limit = std::max(kLowDecibel, options_.min_decibel.value_or(kLowDecibel));
    if (lowest(report_.outputs) >= limit || (!options_.ranks && !options_.min_decibel)) return std::move(report_);
    NESTRT_ASSIGN_OR_RETURN(const std::vector<NoisyLayer> ranking, rank());
    if (options_.min_decibel) NESTRT_RETURN_IF_ERROR(keep_until_met(ranking));
    name_noisy(ranking);
    return std::move(report_);
  }

 private:
  using Names = std::set<std::string, std::less<>>;

  Result<std::vector<OutputNoise>> measure(const Names& kept, size_t samples) {
    Quantization quantization = quantization_;
    quantization.options.keep_f32.insert(kept.begin(), kept.end());
    return evaluator_.output_noise(quantization, samples);
  }

  bool met() const { return lowest(report_.outputs) >= *options_.min_decibel; }

  // Returns the s8 layers, noisiest first. Measures each as the only one in s8.
  Result<std::vector<NoisyLayer>> rank() {
    NESTRT_ASSIGN_OR_RETURN(const auto layers, quantized_layers(evaluator_.graph(), quantization_));
    Names names;
    for (const Node* layer : layers) names.insert(layer->name);
    std::vector<NoisyLayer> result;
    for (const Node* layer : layers) {
      show("ranking operators", result.size(), layers.size());
      Names others = names;
      others.erase(layer->name);
      NESTRT_ASSIGN_OR_RETURN(const auto outputs, measure(others, std::min(samples_, kRankingSamples)));
      result.push_back({layer->name, lowest(outputs)});
    }
    show("ranking operators", layers.size(), layers.size());
    std::stable_sort(result.begin(), result.end(),
                     [](const NoisyLayer& a, const NoisyLayer& b) { return a.decibel < b.decibel; });
    return result;
  }

  // Keeps the first `count` layers of the ranking in f32 and measures the rest. Returns true if the bound is met.
  Result<bool> keep(const std::vector<NoisyLayer>& ranking, size_t count) {
    report_.kept.clear();
    for (size_t i = 0; i < count; ++i) report_.kept.push_back(ranking[i].name);
    NESTRT_ASSIGN_OR_RETURN(report_.outputs, measure({report_.kept.begin(), report_.kept.end()}, samples_));
    show("keeping operators in f32", count, ranking.size());
    return met();
  }

  // Doubles the number of kept layers until the bound is met, then bisects. At least one layer stays s8.
  Status keep_until_met(const std::vector<NoisyLayer>& ranking) {
    if (met()) return {};
    size_t too_few = 0, enough = 0;
    const size_t most = ranking.empty() ? 0 : ranking.size() - 1;
    while (enough == 0 && too_few < most) {
      const size_t next = std::min(std::max<size_t>(2 * too_few, 1), most);
      NESTRT_ASSIGN_OR_RETURN(const bool is_met, keep(ranking, next));
      (is_met ? enough : too_few) = next;
    }
    report_.met = enough > 0;
    if (!report_.met) return {};
    while (enough - too_few > 1) {
      const size_t middle = too_few + (enough - too_few) / 2;
      NESTRT_ASSIGN_OR_RETURN(const bool is_met, keep(ranking, middle));
      (is_met ? enough : too_few) = middle;
    }
    if (report_.kept.size() == enough) return {};
    return keep(ranking, enough).error();
  }

  // Names the noisiest layers that are still s8, at least one, until the noise of the rest adds up to less than the
  // limit.
  void name_noisy(const std::vector<NoisyLayer>& ranking) {
    if (lowest(report_.outputs) >= kLowDecibel) return;
    double remaining = 0;
    for (size_t i = report_.kept.size(); i < ranking.size(); ++i) remaining += noise_share(ranking[i].decibel);
    for (size_t i = report_.kept.size(); i < ranking.size() && report_.noisy.size() < kMaxNamed; ++i) {
      if (!report_.noisy.empty() && remaining <= noise_share(kLowDecibel)) return;
      report_.noisy.push_back(ranking[i]);
      remaining -= noise_share(ranking[i].decibel);
    }
  }

  void show(std::string_view what, size_t done, size_t total) const {
    if (options_.progress) options_.progress(what, done, total);
  }

  Evaluator& evaluator_;
  const Quantization& quantization_;
  const NoiseOptions& options_;
  const size_t samples_;
  NoiseReport report_;
};

// Calibrates with the first three quarters of `num_samples` samples.
Result<HeldOut> hold_out_quarter(const std::string& model, const CompileOptions& compile, const SampleOptions& samples,
                                 size_t num_samples) {
  CalibrationOptions options;
  options.compile = compile;
  options.compile.quantization.reset();
  options.samples = samples;
  const size_t kept = num_calibrating(num_samples);
  options.samples.range = SampleRange{0, kept};
  NESTRT_ASSIGN_OR_RETURN(Calibration part, observe_part(model, options));
  NESTRT_ASSIGN_OR_RETURN(QuantizationProfile profile,
                          merge({&part.profile, 1}, CalibrationMethod::kMse, kDefaultPercentile));
  return HeldOut{std::move(profile), {kept, num_samples}};
}

// Replaces the profile and chooses exponents with the method of the current profile.
void use_profile(QuantizationProfile profile, Quantization& quantization) {
  profile.method = quantization.profile.method;
  choose_exponents(profile, quantization.percentile);
  quantization.profile = std::move(profile);
}

std::string text_of(double decibel) {
  return std::isfinite(decibel) ? fmt::format("{:.1f} dB", decibel) : decibel > 0 ? "no difference" : "not finite";
}

}  // namespace

const OutputNoise* NoiseReport::worst() const {
  const auto found = std::ranges::min_element(outputs, {}, &OutputNoise::decibel);
  return found == outputs.end() ? nullptr : &*found;
}

Result<NoiseReport> bound_noise(Evaluator& evaluator, const Quantization& quantization, const NoiseOptions& options) {
  return NoiseBounder(evaluator, quantization, options).run();
}

Result<NoiseReport> bound_noise(const std::string& model, const CompileOptions& compile, const NoiseSource& source,
                                const NoiseOptions& options) {
  EvaluationOptions evaluation;
  evaluation.compile = compile;
  evaluation.samples = source.samples;
  evaluation.needs_classes = false;
  evaluation.fewer_if_large = true;
  if (source.held_out) evaluation.samples.range = source.held_out->omitted;
  if (!source.have_calibrated) {
    const size_t limit = evaluation.samples.limit;
    evaluation.samples.limit = limit == 0 ? options.samples : std::min(limit, options.samples);
  }
  if (options.progress) options.progress("signal-to-noise", 0, 1);
  NESTRT_ASSIGN_OR_RETURN(Evaluator evaluator, Evaluator::create(model, evaluation));
  std::optional<HeldOut> held_out = source.held_out;
  if (source.have_calibrated && !held_out && evaluator.num_samples() > 1) {
    NESTRT_ASSIGN_OR_RETURN(held_out, hold_out_quarter(model, compile, source.samples, evaluator.num_samples()));
    evaluator.drop_samples(held_out->omitted.begin);
  }
  Quantization quantization = *compile.quantization;
  quantization.observer = {};
  if (held_out) use_profile(std::move(held_out->profile), quantization);
  NESTRT_ASSIGN_OR_RETURN(NoiseReport report, bound_noise(evaluator, quantization, options));
  if (options.progress) options.progress("signal-to-noise", 1, 1);
  report.have_calibrated = source.have_calibrated && !held_out;
  return report;
}

std::string describe(const NoiseReport& report) {
  if (report.outputs.empty()) return "";
  std::vector<std::string> ratios;
  for (const OutputNoise& output : report.outputs)
    ratios.push_back(report.outputs.size() == 1 ? text_of(output.decibel)
                                                : fmt::format("'{}' {}", output.name, text_of(output.decibel)));
  return fmt::format("signal-to-noise against f32 over {} sample{} {} for calibration: {}", report.samples,
                     report.samples == 1 ? "" : "s", report.have_calibrated ? "also used" : "not used",
                     fmt::join(ratios, ", "));
}

std::string warning_about(const NoiseReport& report, std::string_view keep, std::string_view separator,
                          std::string_view bound) {
  const OutputNoise* worst = report.worst();
  if (worst == nullptr || worst->decibel >= kLowDecibel) return "";
  std::vector<std::string_view> names;
  for (const NoisyLayer& layer : report.noisy) names.emplace_back(layer.name);
  const std::string remedy =
      names.empty() ? "compile it in f32"
                    : fmt::format(
                          "the operators that add the most noise, worst first: {}; keep them in f32 with {}, "
                          "or use {}",
                          fmt::join(names, ", "), fmt::format(fmt::runtime(keep), fmt::join(names, separator)), bound);
  return fmt::format(
      "output '{}' has a signal-to-noise ratio of {}, below {:.0f} dB, so results can differ visibly from "
      "f32; {}",
      worst->name, text_of(worst->decibel), kLowDecibel, remedy);
}

}  // namespace nestrt::compiler
