// SPDX-License-Identifier: Apache-2.0
#include "python/src/compile.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/graph/rounding.h"
#include "compiler-lite/quantize/kept_reasons.h"
#include "compiler-lite/quantize/profile_yaml.h"
#include "compiler-lite/tuning/evaluator.h"
#include "compiler-lite/tuning/noise.h"
#include "compiler-lite/tuning/reconstruct.h"
#include "compiler-lite/tuning/search.h"
#include "compiler-lite/tuning/sensitivity.h"
#include "python/src/arrays.h"
#include "python/src/errors.h"
#include "python/src/plan.h"
#include "python/src/text.h"
#include "python/src/unit_choice.h"
#include "runtime/plan/queries/views.h"
#include "tools/nestc/model_files.h"
#include "tools/nestc/options/compile_options.h"
#include "tools/nestc/options/quantize_options.h"
#include "tools/support/image/preprocessing_warnings.h"
#include "tools/support/page/precisions.h"
#include "tools/support/text/files.h"

namespace nestrt::python {
namespace {

namespace nb = nanobind;
using compiler::CompileOptions;
using compiler::QuantizationProfile;
using Progress = std::function<void(std::string, size_t, size_t)>;

struct ProfileHandle {
  QuantizationProfile profile;
  double percentile = compiler::kDefaultPercentile;
  std::vector<std::string> skipped;
  std::string where = "the calibration";  // for messages
  std::optional<compiler::HeldOut> held_out;
};

Status read_shapes(const nb::dict& values, std::map<std::string, Shape>& shapes) {
  std::map<std::string, std::vector<int64_t>> stated;
  read(values, "input_shapes", stated);
  for (const auto& [name, dims] : stated) {
    const bool fits = dims.size() <= static_cast<size_t>(Shape::kMaxRank) &&
                      std::all_of(dims.begin(), dims.end(), [](int64_t dim) { return dim > 0; });
    if (!fits)
      return Status(Code::kInvalidArgument, "input_shapes: input '" + name + "': expected up to " +
                                                std::to_string(Shape::kMaxRank) + " positive dimensions");
    shapes.emplace(name, Shape(dims));
  }
  return {};
}

Status read_import(const nb::dict& values, compiler::ImportOptions& options) {
  NESTRT_RETURN_IF_ERROR(read_shapes(values, options.input_shapes));
  if (values.contains("qdq_rounding"))
    options.qdq_rounding = compiler::rounding_named(nb::cast<std::string>(values["qdq_rounding"]));
  if (values.contains("computed_constants"))
    options.limits.folded_bytes = nb::cast<int64_t>(values["computed_constants"]) << 20;
  if (values.contains("bindings"))
    for (const auto& [name, array] : nb::cast<nb::dict>(values["bindings"])) {
      const auto text = nb::cast<std::string>(name);
      tools::Array copy = copy_array(array, "bindings: '" + text + "'");
      options.bindings[text] = {copy.type, copy.shape, std::move(copy.bytes)};
    }
  return {};
}

CompileOptions compile_options(const nb::dict& values) {
  CompileOptions options;
  check(read_import(values, options.import), "compile");
  if (values.contains("preprocessing") && !values["preprocessing"].is_none())
    options.preprocessing = preprocessing_of(nb::cast<nb::dict>(values["preprocessing"]));
  if (options.preprocessing) tools::warn_about_preprocessing(*options.preprocessing);
  compiler::CompileChoice choice;
  read(values, "expose", choice.exposed);
  read(values, "layout", choice.layout);
  read(values, "disabled_passes", choice.disabled_passes);
  read(values, "target", choice.target);
  read(values, "partial_programs", choice.num_partial_programs);
  read(values, "tuning_cache", choice.tuning_cache);
  check(choice.add_to(options), choice.target);
  std::vector<nb::dict> others;
  read(values, "other_shapes", others);
  for (const nb::dict& other : others) {
    compiler::OtherShape& shape = options.other_shapes.emplace_back();
    nb::dict stated;
    stated["input_shapes"] = other;
    check(read_shapes(stated, shape.input_shapes), "compile");
    shape.backends = checked(choice.backends(), choice.target);
  }
  return options;
}

compiler::QuantizeOptions quantize_options(const nb::dict& values) {
  compiler::QuantizeChoice choice;
  read(values, "scales", choice.scales);
  read(values, "per_tensor", choice.per_tensor);
  read(values, "rounding", choice.rounding);
  read(values, "corrections", choice.corrections);
  read(values, "keep_f32", choice.keep_f32);
  return choice.options();
}

compiler::SampleOptions sample_options(const nb::dict& values) {
  compiler::SampleOptions samples;
  read(values, "images", samples.images);
  read(values, "npy", samples.npy);
  read(values, "limit", samples.limit);
  read(values, "skip_unreadable", samples.skip_unreadable);
  return samples;
}

// Returns a function that reports progress to Python. An exception there ends the work.
auto reporter(Interruptible& work, const std::optional<Progress>& progress) {
  return [&](std::string_view what, size_t done, size_t total) {
    work.poll([&] {
      if (progress) (*progress)(std::string(what), done, total);
    });
  };
}

ProfileHandle calibrate(const std::string& model, const nb::dict& compile, const nb::dict& samples,
                        const std::string& method, double percentile, const std::optional<Progress>& progress) {
  compiler::CalibrationOptions options;
  options.compile = compile_options(compile);
  options.samples = sample_options(samples);
  options.method = *compiler::calibration_method(method);
  options.percentile = percentile;
  Interruptible work;
  const auto report = reporter(work, progress);
  options.progress = [&](size_t done, size_t total) { report("calibrating", done, total); };
  compiler::Calibration result = work.run([&] { return compiler::calibrate(model, options); }, model);
  return {std::move(result.profile), percentile, std::move(result.skipped), "the calibration",
          std::move(result.held_out)};
}

ProfileHandle load_profile(const std::string& path, const std::string& method, std::optional<double> percentile) {
  return {checked(compiler::complete_profile(path, method, percentile), path),
          percentile.value_or(compiler::kDefaultPercentile),
          {},
          path,
          {}};
}

// Returns the partial profile as bytes, with unescaped names, and the reasons for samples that could not be read.
nb::tuple observe_part(const std::string& model, const nb::dict& compile, const nb::dict& samples, int threads) {
  compiler::CalibrationOptions options;
  options.compile = compile_options(compile);
  options.samples = sample_options(samples);
  options.threads = threads;
  Interruptible work;
  options.progress = [&](size_t, size_t) { work.poll([] {}); };
  const compiler::Calibration part = work.run([&] { return compiler::observe_part(model, options); }, model);
  const std::string text = compiler::format_profile(part.profile);
  return nb::make_tuple(nb::bytes(text.data(), text.size()), nb::cast(part.skipped));
}

ProfileHandle merge_parts(const std::vector<nb::bytes>& texts, const std::vector<std::string>& skipped,
                          const std::string& method, double percentile) {
  std::vector<QuantizationProfile> parts;
  for (const nb::bytes& text : texts)
    parts.push_back(checked(compiler::parse_profile({text.c_str(), text.size()}, "a part"), "calibrate"));
  const compiler::CalibrationMethod how = *compiler::calibration_method(method);
  auto merged = compiler::merge(parts, how, percentile);
  return {checked(std::move(merged), "calibrate"), percentile, skipped, "the calibration",
          compiler::hold_out(parts, how, percentile)};
}

nb::dict summary_of(const ProfileHandle& self) {
  nb::list values;
  for (const compiler::ValueProfile& value : self.profile.values) {
    nb::dict row;
    row["name"] = value.name;
    row["min"] = value.min;
    row["max"] = value.max;
    row["elements"] = value.elements;
    row["zeros"] = value.zeros;
    row["exponent"] = value.exponent ? nb::cast(*value.exponent) : nb::none();
    values.append(row);
  }
  nb::dict result;
  result["model_digest"] = self.profile.model_digest;
  result["method"] = std::string(compiler::name(self.profile.method));
  result["samples"] = self.profile.samples;
  result["preprocessing"] = as_dict(self.profile.preprocessing ? &*self.profile.preprocessing : nullptr);
  result["skipped"] = nb::cast(self.skipped);
  result["values"] = values;
  return result;
}

nb::dict as_dict(const compiler::Score& score) {
  nb::dict row;
  row["samples"] = score.samples;
  row["rows"] = score.rows;
  row["agreeing"] = score.agreeing;
  row["right"] = score.right ? nb::cast(*score.right) : nb::none();
  row["right_in_f32"] = score.right_in_f32 ? nb::cast(*score.right_in_f32) : nb::none();
  row["loss"] = score.loss();
  row["agreement"] = score.rows > 0 ? nb::cast(score.agreement()) : nb::none();
  row["snr_db"] = std::isfinite(score.decibel) ? nb::cast(score.decibel) : nb::none();
  row["f32_share"] = score.f32_share;
  row["plan_bytes"] = score.plan_bytes;
  return row;
}

compiler::Score score_of(const nb::dict& row) {
  compiler::Score score;
  read(row, "samples", score.samples);
  read(row, "rows", score.rows);
  read(row, "agreeing", score.agreeing);
  if (!row["right"].is_none()) score.right = nb::cast<uint64_t>(row["right"]);
  if (!row["right_in_f32"].is_none()) score.right_in_f32 = nb::cast<uint64_t>(row["right_in_f32"]);
  score.decibel = std::numeric_limits<double>::infinity();
  if (!row["snr_db"].is_none()) score.decibel = nb::cast<double>(row["snr_db"]);
  read(row, "f32_share", score.f32_share);
  read(row, "plan_bytes", score.plan_bytes);
  return score;
}

nb::dict as_dict(const compiler::Trial& trial) {
  nb::dict row = as_dict(trial.score);
  row["options"] = trial.settings.text();
  return row;
}

// Returns the settings as the keywords that quantize_options() and EvaluatorHandle::evaluate() read.
nb::dict as_dict(const compiler::QuantizationSettings& settings) {
  const compiler::QuantizeOptions& options = settings.options;
  std::vector<std::string> corrections;
  if (options.corrections.equalisation) corrections.emplace_back("equalisation");
  if (options.corrections.weights) corrections.emplace_back("weights");
  if (options.corrections.bias) corrections.emplace_back("bias");
  if (corrections.empty()) corrections.emplace_back("none");
  nb::dict values;
  values["method"] = std::string(compiler::name(settings.method));
  values["percentile"] = settings.percentile;
  values["corrections"] = corrections;
  values["scales"] = options.scales == compiler::Scales::kSingle ? "single" : "tensor";
  values["per_tensor"] = !options.per_channel;
  values["rounding"] = std::string(ops::name(options.rounding));
  values["keep_f32"] = std::vector<std::string>(options.keep_f32.begin(), options.keep_f32.end());
  return values;
}

// Returns a function that measures quantizations on workers. measure(settings, samples, done) returns a list of scores,
// with None for impossible settings.
auto measured_by(const nb::object& measure, Interruptible& work) {
  return [&](std::span<const compiler::QuantizationSettings> settings, size_t samples,
             const std::function<void(size_t)>& done) -> Result<compiler::Scores> {
    compiler::Scores scores;
    work.poll([&] {
      nb::list asked;
      for (const compiler::QuantizationSettings& each : settings) asked.append(as_dict(each));
      const nb::object found = measure(asked, samples, nb::cpp_function([&](size_t count) { done(count); }));
      for (const nb::handle row : found)
        scores.push_back(row.is_none() ? std::nullopt : std::optional(score_of(nb::cast<nb::dict>(row))));
    });
    return scores;
  };
}

// Searches for a quantization within the loss limit and stores the best in `options` and `report`. Returns whether it
// meets the limit.
bool search(const std::string& model, const ProfileHandle& profile, const nb::dict& values, CompileOptions& options,
            Interruptible& work, const std::optional<Progress>& progress, nb::dict& report) {
  compiler::EvaluationOptions evaluation;
  evaluation.compile = options;
  evaluation.samples = sample_options(values);
  read(values, "labels", evaluation.labels);
  read(values, "offset", evaluation.offset);
  compiler::SearchOptions how;
  read(values, "max_loss", how.max_loss);
  read(values, "budget", how.budget);
  how.progress = reporter(work, progress);
  nb::object measure = nb::none();
  read(values, "measure", measure);
  if (!measure.is_none()) how.measure_all = measured_by(measure, work);
  const compiler::QuantizationSettings first{profile.profile.method, profile.percentile, options.quantization->options};
  const compiler::SearchResult result = work.run(
      [&]() -> Result<compiler::SearchResult> {
        NESTRT_ASSIGN_OR_RETURN(compiler::Evaluator measure, compiler::Evaluator::create(model, evaluation));
        compiler::SearchRecord record;
        return compiler::search(measure, profile.profile, first, how, record);
      },
      model);
  nb::list trials;
  for (const compiler::Trial& trial : result.trials) trials.append(as_dict(trial));
  report["trials"] = trials;
  report["chosen"] = result.chosen;
  options.quantization = compiler::as_quantization(profile.profile, first, result.trials[result.chosen].settings);
  return result.met;
}

// Returns, for each unit, the number of operators that its programs compute completely.
nb::dict units_of(const Plan& plan) {
  const plan::Tables& tables = plan.tables();
  std::map<std::string, size_t> counts;
  for (const plan::Branch& branch : tables.branches) {
    const auto computing =
        std::ranges::count_if(branch.operators, [&](uint32_t op) { return !is_view(tables, tables.operators[op]); });
    std::set<std::string> units;
    for (const plan::Program& program : branch.programs)
      if (program.channels.all()) units.insert(program.unit);
    for (const std::string& unit : units) counts[unit] += static_cast<size_t>(computing);
  }
  nb::dict units;
  for (const auto& [unit, count] : counts) units[unit.c_str()] = count;
  return units;
}

nb::dict as_dict(const compiler::QuantizationReport& made, const plan::Tables& tables) {
  nb::dict quantization, kept;
  const auto entries = tools::precisions(tables, compiler::kept_reasons(made));
  for (size_t i = 0; i < entries.size(); ++i)
    if (!entries[i].reason.empty())
      kept[nb::cast(tables.operators[i].name)] =
          entries[i].remedy.empty() ? entries[i].reason : entries[i].reason + "; " + entries[i].remedy;
  quantization["s8_operators"] = tools::count_of(entries, "s8");
  quantization["kept_f32"] = kept;
  return quantization;
}

std::shared_ptr<const Plan> compile_plan(const std::string& model, CompileOptions options, Interruptible& work,
                                         const std::optional<Progress>& progress, nb::dict& report) {
  std::optional<compiler::QuantizationReport> made;
  if (options.quantization)
    options.quantization->observer = [&](const compiler::QuantizationReport& given) { made = given; };
  const auto report_progress = reporter(work, progress);
  options.progress = [&](std::string_view stage) { report_progress(stage, 0, 0); };
  auto plan = work.run(
      [&]() -> Result<std::shared_ptr<const Plan>> {
        NESTRT_ASSIGN_OR_RETURN(const compiler::PlanBytes bytes, compiler::compile(model, options));
        return plan_of_bytes(bytes.span(), {});
      },
      model);
  if (made) report["quantization"] = as_dict(*made, plan->tables());
  report["units"] = units_of(*plan);
  tools::warn_about_input_range(plan->tables());
  return plan;
}

nb::dict as_dict(const compiler::NoiseReport& made) {
  nb::list outputs, noisy;
  const auto row_of = [](const std::string& name, double decibel) {
    nb::dict row;
    row["name"] = name;
    row["snr_db"] = std::isfinite(decibel) ? nb::cast(decibel) : nb::none();
    return row;
  };
  for (const compiler::OutputNoise& output : made.outputs) outputs.append(row_of(output.name, output.decibel));
  for (const compiler::NoisyLayer& layer : made.noisy) noisy.append(row_of(layer.name, layer.decibel));
  nb::dict noise;
  noise["samples"] = made.samples;
  noise["have_calibrated"] = made.have_calibrated;
  noise["outputs"] = outputs;
  noise["noisy"] = noisy;
  noise["kept_f32"] = nb::cast(made.kept);
  noise["met"] = made.met;
  return noise;
}

// Reconstructs the layers unless that increases the noise.
Status reconstruct(const std::string& model, const compiler::NoiseSource& source,
                   const compiler::SampleOptions& samples, CompileOptions& options, Interruptible& work,
                   const std::optional<Progress>& progress) {
  compiler::ReconstructionOptions how;
  how.samples = samples;
  const auto report_progress = reporter(work, progress);
  how.progress = [&](size_t done, size_t total) { report_progress("reconstructing layers", done, total); };
  return compiler::reconstruct_if_better(model, options, source, how).error();
}

// Measures the noise of the quantization and adds the operators that must stay in f32 to meet the bound to `options`.
// Returns whether the bound is met.
bool bound_noise(const std::string& model, const ProfileHandle& profile, const nb::dict& values,
                 CompileOptions& options, Interruptible& work, const std::optional<Progress>& progress,
                 nb::dict& report) {
  compiler::NoiseSource source{sample_options(values), nb::cast<bool>(values["have_calibrated"]), {}};
  if (source.have_calibrated) source.held_out = profile.held_out;
  compiler::NoiseOptions how;
  if (values.contains("min_snr")) how.min_decibel = nb::cast<double>(values["min_snr"]);
  how.progress = reporter(work, progress);
  std::optional<compiler::SampleOptions> reconstructing;
  if (values.contains("reconstruct")) reconstructing = sample_options(nb::cast<nb::dict>(values["reconstruct"]));
  const compiler::NoiseReport made = work.run(
      [&]() -> Result<compiler::NoiseReport> {
        if (reconstructing)
          NESTRT_RETURN_IF_ERROR(reconstruct(model, source, *reconstructing, options, work, progress));
        return compiler::bound_noise(model, options, source, how);
      },
      model);
  report["noise"] = as_dict(made);
  report["noise"]["warning"] = compiler::warning_about(made, "keep_f32=['{}']", "', '", "min_snr=20");
  options.quantization->options.keep_f32.insert(made.kept.begin(), made.kept.end());
  return made.met;
}

// Returns the plan, or None if no quantization meets the limits, and a report.
nb::tuple compile(const std::string& model, const nb::dict& values, const ProfileHandle* profile,
                  const nb::dict& quantize, const nb::object& searched, const nb::object& noise,
                  const std::optional<Progress>& progress) {
  CompileOptions options = compile_options(values);
  nb::dict report;
  nb::list notes;
  Interruptible work;
  if (profile != nullptr) {
    options.quantization.emplace();
    options.quantization->profile = profile->profile;
    options.quantization->options = quantize_options(quantize);
    options.quantization->percentile = profile->percentile;
    check(compiler::agree_with(profile->profile, profile->where, options,
                               [&](const std::string& text) { notes.append(text); }),
          model);
    if (!searched.is_none() && !search(model, *profile, nb::cast<nb::dict>(searched), options, work, progress, report))
      return nb::make_tuple(nb::none(), report);
    if (!noise.is_none() && !bound_noise(model, *profile, nb::cast<nb::dict>(noise), options, work, progress, report))
      return nb::make_tuple(nb::none(), report);
  }
  report["notes"] = notes;
  const auto plan = compile_plan(model, std::move(options), work, progress, report);
  return nb::make_tuple(PlanHandle{plan, model, ""}, report);
}

compiler::QuantizationProfile profile_of(const std::string& model, const nb::dict& compile, const std::string& text) {
  compiler::QuantizationProfile profile = checked(compiler::parse_profile(text, "the calibration"), model);
  const auto digest = compiler::model_digest(model, compile_options(compile).import.bindings);
  check(compiler::require_model(profile, checked(digest, model)), "the calibration");
  return profile;
}

// Returns the name and kind of each layer that becomes s8, in execution order.
std::vector<std::pair<std::string, std::string>> quantized_layers(const std::string& model, const nb::dict& compile,
                                                                  const std::string& profile,
                                                                  const nb::dict& quantize) {
  const compiler::Quantization quantization{profile_of(model, compile, profile), quantize_options(quantize), {}};
  const compiler::Graph graph = checked(compiler::quantizable_graph(model, compile_options(compile)), model);
  std::vector<std::pair<std::string, std::string>> result;
  for (const compiler::Node* layer : checked(compiler::quantized_layers(graph, quantization), model))
    result.emplace_back(layer->name, std::string(ops::name(layer->kind())));
  return result;
}

// Measures the loss of quantizations over samples that are read once.
class EvaluatorHandle {
 public:
  EvaluatorHandle(const std::string& model, const nb::dict& compile, const nb::dict& samples,
                  const std::string& profile, double percentile, int threads)
      : evaluator_(make(model, compile, samples, threads)), profile_(profile_of(model, compile, profile)) {
    base_settings_.method = profile_.method;
    base_settings_.percentile = percentile;
  }

  // Measures over N samples; 0 uses all.
  nb::dict evaluate(const nb::dict& values, size_t samples) {
    compiler::QuantizationSettings settings = base_settings_;
    settings.options = quantize_options(values);
    read(values, "percentile", settings.percentile);
    if (values.contains("method"))
      settings.method = *compiler::calibration_method(nb::cast<std::string>(values["method"]));
    const size_t count = samples == 0 ? evaluator_.num_samples() : samples;
    Interruptible work;
    return as_dict(work.run(
        [&] { return evaluator_.evaluate(compiler::as_quantization(profile_, base_settings_, settings), count); },
        "evaluation"));
  }

 private:
  static compiler::Evaluator make(const std::string& model, const nb::dict& compile, const nb::dict& samples,
                                  int threads) {
    compiler::EvaluationOptions options;
    options.compile = compile_options(compile);
    options.samples = sample_options(samples);
    options.threads = threads;
    read(samples, "labels", options.labels);
    read(samples, "offset", options.offset);
    options.needs_classes = !options.labels.empty();  // a search has already checked this
    Interruptible work;
    return work.run([&] { return compiler::Evaluator::create(model, options); }, model);
  }

  compiler::Evaluator evaluator_;
  QuantizationProfile profile_;
  compiler::QuantizationSettings base_settings_;
};

void bind_evaluator(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<EvaluatorHandle>(module, "Evaluator", "Measures the loss of quantizations; used by workers.")
      .def(nb::init<const std::string&, const nb::dict&, const nb::dict&, const std::string&, double, int>(), "model"_a,
           "options"_a, "samples"_a, "profile"_a, "percentile"_a, "threads"_a)
      .def("evaluate", &EvaluatorHandle::evaluate, "settings"_a, "samples"_a);
}

// Checks before and after a long computation that `path` is writable and not one of `inputs`. An existing file must be
// of `kind` "plan", "profile" or "json".
void check_output(const std::string& path, const std::vector<std::string>& inputs, const std::string& kind) {
  static const std::map<std::string, tools::Written> kKinds = {
      {"plan", tools::Written::kPlan}, {"profile", tools::Written::kProfile}, {"json", tools::Written::kJson}};
  for (const std::string& input : inputs) check(compiler::check_not_model(path, input), path);
  check(tools::check_writable(path, kKinds.at(kind)), path);
}

}  // namespace

void bind_compile(nb::module_& module) {
  using nb::literals::operator""_a;
  bind_evaluator(module);
  module.def("quantized_layers", &quantized_layers, "model"_a, "options"_a, "profile"_a, "quantize"_a);
  module.def("observe_part", &observe_part, "model"_a, "options"_a, "samples"_a, "threads"_a);
  module.def("merge_parts", &merge_parts, "parts"_a, "skipped"_a, "method"_a, "percentile"_a);
  module.attr("SAMPLES_OF_PART") = compiler::kSamplesOfPart;
  module.attr("MAX_PARTIAL_PROGRAMS") = compiler::evta::kDefaultPartialPrograms;
  nb::class_<ProfileHandle>(module, "Profile", "Calibration statistics; see nestrt.Calibration.")
      .def("_summary", &summary_of)
      .def("_text", [](const ProfileHandle& self) { return compiler::format_profile(self.profile); })
      .def_ro("_percentile", &ProfileHandle::percentile)
      .def("_save", [](const ProfileHandle& self, const std::string& path) {
        check_output(path, {}, "profile");
        check(compiler::save_profile(self.profile, path), path);
      });
  module.def("calibrate", &calibrate, "model"_a, "options"_a, "samples"_a, "method"_a, "percentile"_a,
             "progress"_a.none());
  module.def("load_profile", &load_profile, "path"_a, "method"_a, "percentile"_a = nb::none());
  module.def("compile", &compile, "model"_a, "options"_a, "profile"_a.none(), "quantize"_a, "search"_a.none(),
             "noise"_a.none(), "progress"_a.none());
  module.def("check_output", &check_output, "path"_a, "inputs"_a, "kind"_a = "plan");
  module.def("write_plan", [](const PlanHandle& plan, const std::string& path) {
    check_output(path, {}, "plan");
    check(tools::write_file(path, plan.plan->bytes()), path);
  });
}

}  // namespace nestrt::python
