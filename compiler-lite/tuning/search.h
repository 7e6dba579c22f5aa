// The search for a quantization that loses little enough: calibration method, corrections, granularity and rounding
// are varied one after the other, each from the best found so far; if that does not do, the layers that add most noise
// stay in f32, as few as do (in the spirit of J. Lee et al., Quantune: Post-training Quantization of Convolutional
// Neural Networks using Extreme Gradient Boosting, 2022). What is tried next depends on results alone, so a search
// that remembers them continues where it stopped.
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

// A quantization, its profile aside.
struct QuantizationSettings {
  CalibrationMethod method = CalibrationMethod::kMse;
  double percentile = kDefaultPercentile;
  QuantizeOptions options;

  // As options of nestc compile; equal settings have equal texts.
  std::string text() const;
};

// By setting; none where the settings are not to be had, for which the evaluator would give kInvalidArgument.
using Scores = std::vector<std::optional<Score>>;

struct SearchOptions {
  double max_loss = 1;  // in points, as Score::loss()
  size_t budget = 32;   // settings evaluated at most, those remembered included
  // False: as the start has it.
  bool vary_method = true;
  bool vary_percentile = true;
  bool vary_corrections = true;
  bool vary_granularity = true;
  bool vary_rounding = true;
  size_t sensitivity_samples = 8;
  // Called before each evaluation of what is being done; may be empty.
  std::function<void(std::string_view what, size_t done, size_t total)> progress;
  // Called after each result that is new to the record; may be empty. Its errors end the search.
  std::function<Status(const SearchRecord& record)> save;
  // Measures settings that do not depend on each other, at once where it can, over so many samples, evenly from all of
  // the evaluator's; `done` takes how many it has. Empty: the evaluator does, one after the other. Its errors end the
  // search; the trials and what is chosen are the same, the record may hold more.
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
  std::vector<Trial> trials;  // in the order in which they were tried; at least one
  // The trial with the least work in f32 of those that lose at most what is allowed (without labels: and have no more
  // noise than the start), the better one of equals; where there is none, the best of all (without labels: of those
  // that have no more noise than the start).
  size_t chosen = 0;
  bool met = false;
};

// The start is the first to be tried. `record` holds what is known and takes what is found out. Errors: those of
// evaluating the start, and of Evaluator::require_better_than_guessing(); other settings that cannot be compiled count
// as not tried.
// Requires: the profile has the exponents of the start's method, unless somebody has edited them.
Result<SearchResult> search(Evaluator& evaluator, const QuantizationProfile& profile, const QuantizationSettings& start,
                            const SearchOptions& options, SearchRecord& record);

// The quantization that settings stand for: exponents are chosen anew where the method is not the start's.
Quantization as_quantization(const QuantizationProfile& profile, const QuantizationSettings& start,
                             const QuantizationSettings& settings);

// What tells searches apart, beside the model: the evaluator's data and the profile.
std::string search_digest(const Evaluator& evaluator, const QuantizationProfile& profile);

}  // namespace nestrt::compiler
