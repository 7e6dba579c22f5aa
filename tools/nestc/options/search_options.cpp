// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/options/search_options.h"

#include <fmt/core.h>

#include <filesystem>
#include <iostream>

#include "compiler-lite/tuning/evaluator.h"
#include "tools/nestc/model_files.h"
#include "tools/support/text/cli.h"
#include "tools/support/text/files.h"
#include "tools/support/text/progress.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

using tools::Align;

void print(const SearchResult& result) {
  tools::Table table({{"#", Align::kRight},
                      {"loss", Align::kRight},
                      {"SNR dB", Align::kRight},
                      {"MACs in f32", Align::kRight},
                      {"plan", Align::kRight},
                      {""},
                      {"options"}});
  for (size_t i = 0; i < result.trials.size(); ++i) {
    const Trial& trial = result.trials[i];
    const char* remark = i == result.chosen && result.met ? "chosen" : trial.remembered ? "known" : "";
    table.add_row({fmt::format("{}", i + 1), fmt::format("{:.2f}", trial.score.loss()),
                   fmt::format("{:.1f}", trial.score.decibel), fmt::format("{:.1f} %", 100 * trial.score.f32_share),
                   tools::format_bytes(trial.score.plan_bytes), remark, tools::printable(trial.settings.text())});
  }
  std::cout << table.to_string();
}

void print_verdict(const SearchResult& result, double max_loss) {
  const Trial& chosen = result.trials[result.chosen];
  const std::string kind = chosen.score.right && chosen.score.right_in_f32
                               ? fmt::format("correct: {}, in f32: {}", *chosen.score.right, *chosen.score.right_in_f32)
                               : "top class differs from f32";
  const std::string loss =
      fmt::format("{:.2f} points over {} samples ({})", chosen.score.loss(), chosen.score.samples, kind);
  if (result.met) {
    std::cout << "loss: " << loss << "\n";
    return;
  }
  std::cout << fmt::format(
      "none of the {} configurations tried loses at most {} points; the best loses {}\n"
      "to compile it: nestc compile ... --quantize s8 {}\n",
      result.trials.size(), max_loss, loss, tools::printable_message(chosen.settings.text()));
}

}  // namespace

void SearchFlags::add_to(tools::Command command) {
  const tools::Option wanted =
      command
          .add_option("--max-loss", max_loss_,
                      "search for a quantization that loses at most N points of top-1 accuracy, with as little "
                      "as possible in f32; exits with code 1 and writes no plan if no configuration reaches it")
          .between(0, 100)
          .needs("--quantize");
  command
      .add_option("--search-data", data_,
                  "samples for measuring the loss: a folder of images or FILE.npy (default: those of --calibrate)")
      .needs(wanted)
      .not_empty();
  command.add_option("--search-limit", limit_, "measure on at most N samples, spread evenly over all")
      .needs(wanted)
      .positive()
      .show_default();
  const tools::Option labels =
      command
          .add_option("--labels", labels_,
                      "lines image<TAB>class: the loss is the difference in accuracy to f32; "
                      "default: the fraction of samples with a different top class than in f32")
          .needs(wanted)
          .not_empty();
  command.add_option("--offset", offset_, "added to the index of an output to get its class")
      .needs(labels)
      .in_range(-1000000, 1000000);
  command.add_option("--search-budget", budget_, "maximum number of configurations to try")
      .needs(wanted)
      .positive()
      .show_default();
  command
      .add_option("--search-file", file_,
                  "file that stores results (YAML), from which a later search of this model and data continues")
      .needs(wanted)
      .not_empty();
}

Status SearchFlags::check_output(const std::string& output, const std::string& model) const {
  for (const std::string& file : {data_, labels_, file_}) NESTRT_RETURN_IF_ERROR(tools::check_not_input(output, file));
  if (file_.empty()) return {};
  const auto normal = [](const std::string& path) { return std::filesystem::path(path).lexically_normal(); };
  if (normal(file_) == normal(output))
    return Status(Code::kInvalidArgument, "--search-file and the plan are the same file; name another file");
  NESTRT_RETURN_IF_ERROR(check_not_model(file_, model));
  for (const std::string& file : {data_, labels_}) NESTRT_RETURN_IF_ERROR(tools::check_not_input(file_, file));
  return tools::check_writable(file_);
}

Status SearchFlags::check(const QuantizeFlags& quantize) const {
  if (!wanted()) return {};
  if (data_.empty() && quantize.data_is_profile()) {
    return Status(Code::kInvalidArgument,
                  fmt::format("--max-loss needs samples to measure on, and --calibrate {} is a profile: add "
                              "--search-data DIR or FILE.npy",
                              quantize.data()));
  }
  if (file_.empty()) return {};
  NESTRT_RETURN_IF_ERROR(quantize.check_output(file_));
  return load_search(file_).error();
}

Result<Evaluator> SearchFlags::evaluator(const std::string& model, const CompileOptions& compile,
                                         const QuantizeFlags& quantize) const {
  EvaluationOptions options;
  options.compile = compile;
  options.samples = quantize.samples_of(data_.empty() ? quantize.data() : data_);
  options.samples.limit = limit_;
  options.labels = labels_;
  options.offset = offset_;
  return Evaluator::create(model, options);
}

SearchOptions SearchFlags::options(const QuantizeFlags& quantize) const {
  SearchOptions options;
  options.max_loss = *max_loss_;
  options.budget = budget_;
  options.vary_method = !quantize.given("--method");
  options.vary_percentile = !quantize.given("--percentile");
  options.vary_corrections = !quantize.given("--corrections");
  options.vary_granularity = !quantize.given("--per-tensor");
  options.vary_rounding = !quantize.given("--rounding");
  return options;
}

Result<std::optional<Quantization>> SearchFlags::search(const std::string& model, const CompileOptions& compile,
                                                        const QuantizeFlags& quantize) const {
  const Quantization& start = *compile.quantization;
  std::vector<SearchRecord> records;
  if (!file_.empty()) {
    NESTRT_ASSIGN_OR_RETURN(records, load_search(file_));
  }
  NESTRT_ASSIGN_OR_RETURN(Evaluator measure, evaluator(model, compile, quantize));
  // The calibration has already reported its own skipped samples.
  if (!data_.empty())
    for (const std::string& why : measure.skipped()) std::cerr << "skipped: " << tools::printable(why) << "\n";
  SearchRecord& record = find_or_add(records, measure.model_digest(), search_digest(measure, start.profile));
  SearchOptions search_options = options(quantize);
  tools::ProgressBars bars;
  search_options.progress = [&bars](std::string_view what, size_t done, size_t total) { bars.show(what, done, total); };
  search_options.save = [&](const SearchRecord&) { return file_.empty() ? Status() : save_search(records, file_); };
  const QuantizationSettings first{start.profile.method, quantize.percentile(), start.options};
  NESTRT_ASSIGN_OR_RETURN(const SearchResult result,
                          compiler::search(measure, start.profile, first, search_options, record));
  bars.clear();
  print(result);
  print_verdict(result, *max_loss_);
  if (!result.met) return std::optional<Quantization>();
  return std::optional(as_quantization(start.profile, first, result.trials[result.chosen].settings));
}

}  // namespace nestrt::compiler
