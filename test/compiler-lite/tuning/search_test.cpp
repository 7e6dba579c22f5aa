// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/search.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <span>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/tuning/evaluator.h"
#include "test/compiler-lite/tuning/small_classifier.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

class SearchWorkshop {
 public:
  SearchWorkshop() : evaluator_(open()) {}
  Evaluator& evaluator() { return evaluator_; }
  const QuantizationProfile& profile() const { return profile_; }
  Result<SearchResult> search(const SearchOptions& options, SearchRecord& record,
                              const QuantizationSettings& start = {}) {
    return compiler::search(evaluator_, profile_, start, options, record);
  }
  SearchResult found(const SearchOptions& options, SearchRecord& record, const QuantizationSettings& start = {}) {
    auto result = search(options, record, start);
    INFO(result.error().to_string());
    REQUIRE(result);
    REQUIRE(result->chosen < result->trials.size());
    return std::move(*result);
  }
  SearchResult found(const SearchOptions& options, const QuantizationSettings& start = {}) {
    SearchRecord record;
    return found(options, record, start);
  }

 private:
  Evaluator open() {
    test::write_small_classifier(folder_.path());
    CalibrationOptions calibration;
    calibration.samples.npy = folder_.path() + "/samples.npy";
    auto calibrated = calibrate(folder_.path() + "/model.onnx", calibration);
    REQUIRE(calibrated);
    profile_ = std::move(calibrated->profile);
    EvaluationOptions options;
    options.samples = calibration.samples;
    auto evaluator = Evaluator::create(folder_.path() + "/model.onnx", options);
    REQUIRE(evaluator);
    return std::move(*evaluator);
  }

  test::TemporaryFolder folder_;
  QuantizationProfile profile_;
  Evaluator evaluator_;
};

// Returns options for a search that only varies the layers kept in f32.
SearchOptions mixing_only(double max_loss) {
  SearchOptions options;
  options.max_loss = max_loss;
  options.vary_method = options.vary_percentile = options.vary_corrections = false;
  options.vary_granularity = options.vary_rounding = false;
  return options;
}

const Trial& chosen(const SearchResult& result) { return result.trials[result.chosen]; }

}  // namespace

TEST_CASE("A start within the loss limit is the only trial") {
  SearchWorkshop workshop;
  SearchOptions options;
  options.max_loss = 100;
  const SearchResult result = workshop.found(options);
  CHECK(result.met);
  REQUIRE(result.trials.size() == 1);
  CHECK(chosen(result).settings.text() == "--method mse --corrections weights,bias");
}

TEST_CASE("Corrections are tried before layers are kept in f32") {
  SearchWorkshop workshop;
  SearchOptions options;
  options.max_loss = 9;
  const SearchResult result = workshop.found(options);
  CHECK(result.met);
  CHECK(chosen(result).settings.options.corrections.equalisation);
  CHECK(chosen(result).score.f32_share == 0);
}

TEST_CASE("The smallest sufficient number of layers stays f32") {
  SearchWorkshop workshop;
  const SearchResult result = workshop.found(mixing_only(9));
  CHECK(result.met);
  CHECK(result.trials.front().score.loss() > 9);
  CHECK(chosen(result).settings.options.keep_f32 == std::set<std::string, std::less<>>{"second"});
  CHECK(chosen(result).score.loss() <= 9);
}

TEST_CASE("Without labels, no trial that is noisier than the start is chosen") {
  SearchWorkshop workshop;
  SearchOptions options;
  options.max_loss = 9;
  const SearchResult result = workshop.found(options);
  CHECK(result.met);
  CHECK(chosen(result).score.decibel >= result.trials.front().score.decibel);
  // The same agreement with more noise is not an improvement. Recorded scores replace measured ones.
  SearchRecord record;
  SearchOptions rounding = mixing_only(9);
  rounding.vary_rounding = true;
  rounding.budget = 2;
  Score start = result.trials.front().score, worse = start;
  worse.agreeing = worse.rows, worse.decibel = start.decibel - 1;
  record.tried = {{QuantizationSettings().text(), start}, {QuantizationSettings().text() + " --rounding floor", worse}};
  const SearchResult noisy = workshop.found(rounding, record);
  REQUIRE(noisy.trials.size() == 2);
  CHECK_FALSE(noisy.met);
  CHECK(noisy.chosen == 0);
}

TEST_CASE("Trials and the choice do not depend on the measuring function") {
  SearchWorkshop workshop;
  SearchOptions options;
  options.max_loss = 0;
  options.budget = 20;
  const SearchResult alone = workshop.found(options);
  size_t calls = 0, most = 0;
  options.measure_all = [&](std::span<const QuantizationSettings> settings, size_t samples,
                            const std::function<void(size_t)>& done) -> Result<Scores> {
    ++calls, most = std::max(most, settings.size());
    Scores scores;
    for (const QuantizationSettings& each : settings) {
      done(scores.size());
      auto score = workshop.evaluator().evaluate(as_quantization(workshop.profile(), {}, each), samples);
      REQUIRE(score);
      scores.emplace_back(*score);
    }
    return scores;
  };
  const SearchResult shared = workshop.found(options);
  CHECK(calls > 1);
  CHECK(most > 1);
  REQUIRE(shared.trials.size() == alone.trials.size());
  CHECK(shared.chosen == alone.chosen);
  for (size_t i = 0; i < alone.trials.size(); ++i) {
    CHECK(shared.trials[i].settings.text() == alone.trials[i].settings.text());
    CHECK(shared.trials[i].score.decibel == alone.trials[i].score.decibel);
    CHECK(shared.trials[i].score.agreeing == alone.trials[i].score.agreeing);
  }
}

TEST_CASE("Errors of the measuring function end the search") {
  SearchWorkshop workshop;
  SearchOptions options;
  options.max_loss = 0;
  SECTION("an error") {
    options.measure_all = [](auto, size_t, const auto&) -> Result<Scores> {
      return Status(Code::kUnavailable, "gone");
    };
    SearchRecord record;
    const auto result = workshop.search(options, record);
    REQUIRE_FALSE(result);
    CHECK(result.error().code() == Code::kUnavailable);
  }
  SECTION("a layer without a score") {
    SearchOptions mixing = mixing_only(9);
    mixing.measure_all = [](auto settings, size_t, const auto&) -> Result<Scores> { return Scores(settings.size()); };
    SearchRecord record;
    const auto result = workshop.search(mixing, record);
    REQUIRE_FALSE(result);
    CHECK_THAT(std::string(result.error().message()), Contains("'first'"));
  }
}

TEST_CASE("The best trial is returned if the limit cannot be met") {
  SearchWorkshop workshop;
  SearchOptions options = mixing_only(9);
  options.budget = 1;
  const SearchResult stopped = workshop.found(options);
  CHECK_FALSE(stopped.met);
  CHECK(stopped.trials.size() == 1);

  QuantizationSettings start;
  start.options.keep_f32 = {"first", "third"};  // only the sensitive layer remains and must stay s8
  const SearchResult impossible = workshop.found(mixing_only(9), start);
  CHECK_FALSE(impossible.met);
  CHECK(impossible.trials.size() == 1);
}

TEST_CASE("Settings fixed by the caller are not varied") {
  SearchWorkshop workshop;
  SearchOptions options;
  options.max_loss = 0;
  options.budget = 12;
  options.vary_method = options.vary_rounding = false;
  QuantizationSettings start;
  start.method = CalibrationMethod::kMinMax;
  start.options.keep_f32 = {"third"};
  for (const Trial& trial : workshop.found(options, start).trials) {
    const std::string text = trial.settings.text();
    INFO(text);
    CHECK_THAT(text, Contains("--method minmax") && Contains("third"));
    CHECK_THAT(text, !Contains("floor"));
  }
}

TEST_CASE("A search with recorded results resumes without repeating measurements") {
  SearchWorkshop workshop;
  SearchOptions options = mixing_only(9);
  int saved = 0;
  options.save = [&](const SearchRecord&) {
    ++saved;
    return Status();
  };
  SearchRecord record;
  options.budget = 1;
  workshop.found(options, record);
  CHECK(saved == 1);
  options.budget = 32;
  const SearchResult first = workshop.found(options, record);
  CHECK(first.trials.front().remembered);
  CHECK_FALSE(chosen(first).remembered);
  const int all = saved;
  CHECK(all == static_cast<int>(first.trials.size()) + 1);  // plus the ranking of the layers
  const SearchResult second = workshop.found(options, record);
  CHECK(saved == all);
  REQUIRE(second.trials.size() == first.trials.size());
  CHECK(second.chosen == first.chosen);
  for (const Trial& trial : second.trials) CHECK(trial.remembered);
}

TEST_CASE("A search ends if its results cannot be saved, and rejects a budget of 0") {
  SearchWorkshop workshop;
  SearchRecord record;
  SearchOptions options;
  options.save = [](const SearchRecord&) { return Status(Code::kIo, "the disk is full"); };
  const auto full = workshop.search(options, record);
  REQUIRE_FALSE(full);
  CHECK_THAT(full.error().to_string(), Contains("the disk is full"));
  options.budget = 0;
  const auto nothing = workshop.search(options, record);
  REQUIRE_FALSE(nothing);
  CHECK_THAT(nothing.error().to_string(), Contains("--search-budget 0"));
}

TEST_CASE("Settings with a different method use the exponents of that method") {
  SearchWorkshop workshop;
  QuantizationSettings start, minmax;
  minmax.method = CalibrationMethod::kMinMax;
  QuantizationProfile edited = workshop.profile();
  edited.values[0].exponent = 1;
  CHECK(as_quantization(edited, start, start).profile.values[0].exponent == 1);
  const Quantization other = as_quantization(edited, start, minmax);
  CHECK(other.profile.method == CalibrationMethod::kMinMax);
  for (const ValueProfile& value : other.profile.values) CHECK(value.exponent == minmax_exponent(value));
  CHECK(search_digest(workshop.evaluator(), edited) != search_digest(workshop.evaluator(), workshop.profile()));
}

}  // namespace nestrt::compiler
