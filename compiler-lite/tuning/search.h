// SPDX-License-Identifier: Apache-2.0
// Search for a quantization whose loss stays within a limit. Varies corrections, calibration method, rounding and
// granularity in turn, each from the best settings so far. If that is not sufficient, keeps as few layers as possible
// in f32, those that add the most noise (similar to J. Lee et al., Quantune: Post-training Quantization of
// Convolutional Neural Networks using Extreme Gradient Boosting, 2022). The next trial depends only on earlier results,
// so a search with recorded results resumes where it stopped.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/calibrate/methods.h"
#include "compiler-lite/quantize/quantize.h"
#include "compiler-lite/tuning/score.h"
#include "compiler-lite/tuning/search_file.h"

namespace nestrt::compiler {

class Evaluator;
struct Quantization;

// The settings of a quantization, without its profile.
struct QuantizationSettings {
  CalibrationMethod method = CalibrationMethod::kMse;
  double percentile = kDefaultPercentile;
  QuantizeOptions options;

  // Returns the settings as options of nestc compile. Equal settings have equal texts.
  std::string text() const;
};

// One entry per settings; empty if they cannot be evaluated (kInvalidArgument).
using Scores = std::vector<std::optional<Score>>;

struct SearchOptions {
  double max_loss = 1;  // in percentage points, see Score::loss()
  size_t budget = 32;   // maximum number of evaluated settings, including remembered ones
  // If false, the starting value is kept.
  bool vary_method = true;
  bool vary_percentile = true;
  bool vary_corrections = true;
  bool vary_granularity = true;
  bool vary_rounding = true;
  size_t sensitivity_samples = 8;
  // Called before each evaluation with a description; may be empty.
  std::function<void(std::string_view what, size_t done, size_t total)> progress;
  // Called after each new result in the record; may be empty. Its errors end the search.
  std::function<Status(const SearchRecord& record)> save;
  // Measures independent settings, in parallel if possible, over `samples` samples spread evenly; calls `done` with the
  // number measured. If empty, the evaluator measures them in sequence. Its errors end the search. The trials and the
  // choice are the same in both cases, but the record may contain more results.
  std::function<Result<Scores>(std::span<const QuantizationSettings> settings, size_t samples,
                               const std::function<void(size_t)>& done)>
      measure_all;
};

struct Trial {
  QuantizationSettings settings;
  Score score;
  bool remembered = false;
};

struct SearchResult {
  std::vector<Trial> trials;  // in order of trial; at least one
  // The trial with the least work in f32 (on a tie, the better score) among the trials within max_loss. If no trial
  // qualifies, the best of all trials. Without labels, trials with more noise than the start are excluded in both
  // cases.
  size_t chosen = 0;
  bool met = false;
};

// Tries `start` first. Reads known results from `record` and adds new ones. Errors: those of evaluating the start, and
// of Evaluator::require_better_than_guessing(). Other settings that cannot be compiled are skipped.
// Requires: the profile's exponents come from the start's method or were edited.
Result<SearchResult> search(Evaluator& evaluator, const QuantizationProfile& profile, const QuantizationSettings& start,
                            const SearchOptions& options, SearchRecord& record);

// Returns the quantization for these settings. Exponents are chosen again if the method differs from the start's.
Quantization as_quantization(const QuantizationProfile& profile, const QuantizationSettings& start,
                             const QuantizationSettings& settings);

// Returns a digest of the evaluator's data and the profile, which together with the model identifies a search.
std::string search_digest(const Evaluator& evaluator, const QuantizationProfile& profile);

}  // namespace nestrt::compiler
