// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/search.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "compiler-lite/quantize/digest.h"
#include "compiler-lite/quantize/profile_yaml.h"
#include "compiler-lite/tuning/evaluator.h"
#include "compiler-lite/tuning/sensitivity.h"

namespace nestrt::compiler {
namespace {

std::vector<std::string_view> names_of(const Corrections& corrections) {
  std::vector<std::string_view> names;
  if (corrections.equalisation) names.push_back("equalisation");
  if (corrections.weights) names.push_back("weights");
  if (corrections.bias) names.push_back("bias");
  if (names.empty()) names.push_back("none");
  return names;
}

bool same_method(const QuantizationSettings& a, const QuantizationSettings& b) {
  return a.method == b.method && (a.method != CalibrationMethod::kPercentile || a.percentile == b.percentile);
}

class Searcher {
 public:
  Searcher(Evaluator& evaluator, const QuantizationProfile& profile, const QuantizationSettings& start,
           const SearchOptions& options, SearchRecord& record)
      : evaluator_(evaluator), profile_(profile), start_(start), options_(options), record_(record) {}

  Result<SearchResult> run() {
    NESTRT_RETURN_IF_ERROR(vary());
    if (!met(best_)) NESTRT_RETURN_IF_ERROR(mix());
    choose();
    return std::move(result_);
  }

 private:
  using Index = std::optional<size_t>;  // index of a trial; not set if the settings cannot be evaluated

  // Returns true if there are no labels and a trial has more noise than the start. Without labels the loss only counts
  // changed top classes, whose small differences are random, so such a trial is not an improvement.
  bool noisier_than_start(size_t trial) const {
    const Score& score = result_.trials[trial].score;
    return !score.right && score.decibel < result_.trials.front().score.decibel;
  }
  bool met(size_t trial) const {
    return !noisier_than_start(trial) && result_.trials[trial].score.loss() <= options_.max_loss + 1e-9;
  }
  bool exhausted() const { return result_.trials.size() >= options_.budget; }
  const QuantizationSettings& best() const { return result_.trials[best_].settings; }

  // --- One evaluation ---
  const Score* remembered(const std::string& text) const {
    const auto found = std::find_if(record_.tried.begin(), record_.tried.end(), [&](const TriedOptions& tried) {
      return tried.options == text && tried.score.samples == evaluator_.num_samples();
    });
    return found == record_.tried.end() ? nullptr : &found->score;
  }

  Result<Score> evaluate(const QuantizationSettings& settings) {
    NESTRT_ASSIGN_OR_RETURN(const Score score,
                            evaluator_.evaluate(as_quantization(profile_, start_, settings), evaluator_.num_samples()));
    record_.tried.push_back({settings.text(), score});
    if (options_.save) NESTRT_RETURN_IF_ERROR(options_.save(record_));
    return score;
  }

  // Measures candidate settings in parallel through measure_all, if set. try_out() then finds the results in the
  // record.
  Status foresee(std::span<const QuantizationSettings> settings) {
    if (!options_.measure_all) return {};
    std::vector<QuantizationSettings> unknown;
    for (const QuantizationSettings& each : settings)
      if (remembered(each.text()) == nullptr && result_.trials.size() + unknown.size() < options_.budget)
        unknown.push_back(each);
    NESTRT_ASSIGN_OR_RETURN(const Scores scores,
                            options_.measure_all(unknown, evaluator_.num_samples(), [&](size_t done) {
                              tell("configurations", result_.trials.size() + done, options_.budget);
                            }));
    for (size_t i = 0; i < unknown.size(); ++i)
      if (scores[i]) record_.tried.push_back({unknown[i].text(), *scores[i]});
    return options_.save ? options_.save(record_) : Status();
  }

  Result<Index> try_out(const QuantizationSettings& settings) {
    if (exhausted()) return Index();
    tell("configurations", result_.trials.size(), options_.budget);
    Trial trial{settings, {}, false};
    if (const Score* known = remembered(settings.text()); known != nullptr) {
      trial.score = *known, trial.remembered = true;
    } else {
      auto score = evaluate(settings);
      if (!score && (result_.trials.empty() || score.error().code() != Code::kInvalidArgument)) return score.error();
      if (!score) return Index();
      trial.score = *score;
    }
    result_.trials.push_back(std::move(trial));
    return Index(result_.trials.size() - 1);
  }

  // --- Everything in s8 ---
  Status vary() {
    NESTRT_RETURN_IF_ERROR(try_out(start_).error());
    NESTRT_RETURN_IF_ERROR(evaluator_.require_better_than_guessing(result_.trials.front().score));
    for (const auto alternatives : {&Searcher::corrections, &Searcher::methods, &Searcher::granularities}) {
      // all start from the best settings of the earlier dimensions
      const std::vector<QuantizationSettings> next = (this->*alternatives)(best());
      if (!met(best_)) NESTRT_RETURN_IF_ERROR(foresee(next));
      for (const QuantizationSettings& settings : next) {
        if (met(best_)) return {};
        NESTRT_ASSIGN_OR_RETURN(const Index trial, try_out(settings));
        if (!trial || noisier_than_start(*trial)) continue;
        if (result_.trials[*trial].score.better_than(result_.trials[best_].score)) best_ = *trial;
      }
    }
    return {};
  }

  std::vector<QuantizationSettings> corrections(const QuantizationSettings& from) const {
    std::vector<QuantizationSettings> result;
    if (!options_.vary_corrections) return result;
    for (const Corrections& each : {Corrections{true, true, true}, Corrections{false, true, true},
                                    Corrections{true, false, true}, Corrections{false, false, true}}) {
      QuantizationSettings settings = from;
      settings.options.corrections = each;
      if (settings.text() != from.text()) result.push_back(std::move(settings));
    }
    return result;
  }

  std::vector<QuantizationSettings> methods(const QuantizationSettings& from) const {
    std::vector<QuantizationSettings> result;
    const auto add = [&](CalibrationMethod method, double percentile) {
      QuantizationSettings settings = from;
      settings.method = method, settings.percentile = percentile;
      if (!same_method(settings, from)) result.push_back(std::move(settings));
    };
    if (options_.vary_method) {
      for (const auto method : {CalibrationMethod::kMse, CalibrationMethod::kKl, CalibrationMethod::kPercentile,
                                CalibrationMethod::kMinMax})
        add(method, from.percentile);
    }
    const bool percentiles =
        options_.vary_percentile && (options_.vary_method || from.method == CalibrationMethod::kPercentile);
    if (percentiles)
      for (const double percentile : {99.9, 99.999}) add(CalibrationMethod::kPercentile, percentile);
    return result;
  }

  // Returns variants with the other rounding and the other granularity. Weights per tensor and rounding down are less
  // accurate on average, but may be better for a given network.
  std::vector<QuantizationSettings> granularities(const QuantizationSettings& from) const {
    std::vector<QuantizationSettings> result;
    if (options_.vary_rounding) {
      result.push_back(from);
      const bool floor = from.options.rounding == ops::Rounding::kFloor;
      result.back().options.rounding = floor ? ops::Rounding::kHalfUp : ops::Rounding::kFloor;
    }
    if (options_.vary_granularity) {
      result.push_back(from);
      result.back().options.per_channel = !from.options.per_channel;
    }
    return result;
  }

  // --- Some layers in f32 ---
  Result<std::vector<RankedLayer>> ranking() {
    const std::string text = best().text();
    for (const LayerRanking& known : record_.rankings)
      if (known.options == text) return known.layers;
    const Quantization quantization = as_quantization(profile_, start_, best());
    NESTRT_ASSIGN_OR_RETURN(const auto layers, quantized_layers(evaluator_.graph(), quantization));
    NESTRT_ASSIGN_OR_RETURN(const Scores scores, measure_alone(layers));
    LayerRanking ranking{text, {}};
    for (size_t i = 0; i < layers.size(); ++i)
      ranking.layers.push_back({layers[i]->name, scores[i]->decibel, 1 - scores[i]->f32_share});
    std::stable_sort(ranking.layers.begin(), ranking.layers.end(),
                     [](const RankedLayer& a, const RankedLayer& b) { return a.decibel < b.decibel; });
    record_.rankings.push_back(ranking);
    if (options_.save) NESTRT_RETURN_IF_ERROR(options_.save(record_));
    return ranking.layers;
  }

  // Measures each layer as the only one in s8.
  Result<Scores> measure_alone(std::span<const Node* const> layers) {
    std::vector<QuantizationSettings> alone(layers.size(), best());
    for (size_t i = 0; i < layers.size(); ++i)
      for (const Node* other : layers)
        if (other != layers[i]) alone[i].options.keep_f32.insert(other->name);
    const size_t samples = std::min(options_.sensitivity_samples, evaluator_.num_samples());
    const auto done = [&](size_t count) { tell("layers", count, alone.size()); };
    if (!options_.measure_all) return measure_here(alone, samples, done);
    NESTRT_ASSIGN_OR_RETURN(Scores scores, options_.measure_all(alone, samples, done));
    for (size_t i = 0; i < layers.size(); ++i)
      if (!scores[i])
        return Status(Code::kInvalidArgument, fmt::format("layer '{}' cannot be the only one in s8", layers[i]->name));
    return scores;
  }

  Result<Scores> measure_here(std::span<const QuantizationSettings> settings, size_t samples,
                              const std::function<void(size_t)>& done) {
    Scores scores;
    for (const QuantizationSettings& each : settings) {
      done(scores.size());
      NESTRT_ASSIGN_OR_RETURN(const Score score, evaluator_.evaluate(as_quantization(profile_, start_, each), samples));
      scores.emplace_back(score);
    }
    return scores;
  }

  void tell(std::string_view what, size_t done, size_t total) const {
    if (options_.progress) options_.progress(what, done, total);
  }

  Result<Index> try_keeping(const QuantizationSettings& from, std::span<const RankedLayer> layers) {
    QuantizationSettings settings = from;
    for (const RankedLayer& layer : layers) settings.options.keep_f32.insert(layer.name);
    return try_out(settings);
  }

  // Finds the smallest number of noisiest layers to keep in f32: doubles it until the loss is within the limit, then
  // bisects. At least one layer stays s8.
  Status mix() {
    if (exhausted()) return {};
    const QuantizationSettings from = best();
    NESTRT_ASSIGN_OR_RETURN(const std::vector<RankedLayer> layers, ranking());
    const std::span<const RankedLayer> all(layers);
    const size_t most = layers.empty() ? 0 : layers.size() - 1;
    size_t too_few = 0, enough = 0;
    while (enough == too_few) {
      if (too_few == most) return {};
      const size_t next = std::min(std::max<size_t>(2 * too_few, 1), most);
      NESTRT_ASSIGN_OR_RETURN(const Index trial, try_keeping(from, all.first(next)));
      if (!trial) return {};
      enough = next;
      if (!met(*trial)) too_few = next;
    }
    while (enough - too_few > 1) {
      const size_t middle = too_few + (enough - too_few) / 2;
      NESTRT_ASSIGN_OR_RETURN(const Index trial, try_keeping(from, all.first(middle)));
      if (!trial) return {};
      (met(*trial) ? enough : too_few) = middle;
    }
    return prune(from, {layers.begin(), layers.begin() + static_cast<ptrdiff_t>(enough)});
  }

  // Returns layers to s8, those with the most work first, as long as the loss stays within the limit.
  Status prune(const QuantizationSettings& from, std::vector<RankedLayer> kept) {
    std::vector<RankedLayer> candidates = kept;
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const RankedLayer& a, const RankedLayer& b) { return a.mac_share > b.mac_share; });
    for (const RankedLayer& candidate : candidates) {
      if (kept.size() == 1) break;
      std::vector<RankedLayer> rest = kept;
      std::erase_if(rest, [&](const RankedLayer& layer) { return layer.name == candidate.name; });
      NESTRT_ASSIGN_OR_RETURN(const Index trial, try_keeping(from, rest));
      if (!trial) break;
      if (met(*trial)) kept = std::move(rest);
    }
    return {};
  }

  void choose() {
    const auto before = [&](size_t a, size_t b) {
      const Score &first = result_.trials[a].score, &second = result_.trials[b].score;
      if (met(a) != met(b)) return met(a);
      if (noisier_than_start(a) != noisier_than_start(b)) return noisier_than_start(b);
      if (met(a) && first.f32_share != second.f32_share) return first.f32_share < second.f32_share;
      return first.better_than(second);
    };
    for (size_t i = 1; i < result_.trials.size(); ++i)
      if (before(i, result_.chosen)) result_.chosen = i;
    result_.met = met(result_.chosen);
  }

  Evaluator& evaluator_;
  const QuantizationProfile& profile_;
  const QuantizationSettings& start_;
  const SearchOptions& options_;
  SearchRecord& record_;
  SearchResult result_;
  size_t best_ = 0;  // best trial with everything in s8
};

}  // namespace

std::string QuantizationSettings::text() const {
  std::string result = fmt::format("--method {}", name(method));
  if (method == CalibrationMethod::kPercentile) result += fmt::format(" --percentile {}", percentile);
  result += fmt::format(" --corrections {}", fmt::join(names_of(options.corrections), ","));
  if (options.scales == Scales::kSingle) result += " --scales single";
  if (!options.per_channel) result += " --per-tensor";
  if (options.rounding != ops::Rounding::kHalfUp) result += fmt::format(" --rounding {}", ops::name(options.rounding));
  if (!options.keep_f32.empty()) result += fmt::format(" --keep-f32 {}", fmt::join(options.keep_f32, ","));
  return result;
}

Result<SearchResult> search(Evaluator& evaluator, const QuantizationProfile& profile, const QuantizationSettings& start,
                            const SearchOptions& options, SearchRecord& record) {
  if (options.budget == 0)
    return Status(Code::kInvalidArgument, "--search-budget 0 allows no configuration; expected at least 1");
  return Searcher(evaluator, profile, start, options, record).run();
}

Quantization as_quantization(const QuantizationProfile& profile, const QuantizationSettings& start,
                             const QuantizationSettings& settings) {
  Quantization result{profile, settings.options, {}, settings.percentile};
  if (same_method(settings, start)) return result;
  result.profile.method = settings.method;
  choose_exponents(result.profile, settings.percentile);
  return result;
}

std::string search_digest(const Evaluator& evaluator, const QuantizationProfile& profile) {
  const std::string parts = evaluator.data_digest() + format_profile(profile);
  return digest(std::as_bytes(std::span(parts)));
}

}  // namespace nestrt::compiler
