// SPDX-License-Identifier: Apache-2.0
// nestc check: compares a plan, or a model in parts, with ONNX Runtime or LiteRT.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/check/check.h"
#include "compiler-lite/parts/check_parts.h"
#include "compiler-lite/tuning/noise.h"
#include "tools/nestc/command.h"
#include "tools/nestc/model_files.h"
#include "tools/nestc/options/import_options.h"
#include "tools/support/image/image_options.h"
#include "tools/support/page/page.h"
#include "tools/support/report/plan_shape.h"
#include "tools/support/text/files.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

using tools::Align;
using tools::ExitCode;
using tools::Table;

struct CheckCommand {
  CheckOptions options;
  CheckPartsOptions parts;  // options of models in parts
  SampleOptions samples;
  tools::ImageFlags images;
  std::vector<std::string> inputs;
  std::optional<double> tolerance;
  std::string html;

  Result<ExitCode> run();

 private:
  Status parse_inputs();
  Status check_runs() const;
  Status check_page() const;
  Status read_samples();
  Result<ExitCode> run_plan();
  Result<ExitCode> run_shape();
  Result<ExitCode> run_parts();
  Table output_table(const CheckReport& report) const;
  Table layer_table(const CheckReport& report) const;
  void print_layers(const CheckReport& report) const;
  tools::Page page_of(const CheckReport& report) const;
};

std::string top_classes(const OutputSummary& output) {
  const Difference& difference = output.difference;
  if (output.gives_places) return fmt::format("{} of {}", difference.elements_equal, difference.elements);
  if (output.rows.are_scores)
    return fmt::format("{} of {} steps, {:.1f} % of sequence", difference.rows_agreeing, difference.rows,
                       100 * output.rows.sequence_agreement());
  if (output.rows.are_embeddings) return fmt::format("cosine {:.4f}", output.rows.least_cosine);
  if (!output.has_class_scores) return "";
  if (difference.rows != 1) return fmt::format("{} of {}", difference.rows_agreeing, difference.rows);
  if (difference.actual_top == difference.expected_top)
    return fmt::format("{} = {}", difference.actual_top, difference.expected_top);
  return fmt::format("{} instead of {}", difference.actual_top, difference.expected_top);
}

// Returns the largest error of a quantized tensor in steps of its scale.
std::string steps(const Difference& difference) {
  return difference.step > 0 ? fmt::format("{:.2f}", difference.max_absolute / difference.step) : "";
}

std::string verdict(bool matches) { return matches ? "ok" : "MISMATCH"; }

Status CheckCommand::parse_inputs() {
  for (const std::string& text : inputs) {
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return Status(Code::kInvalidArgument, "--input " + text + ": expected NAME=FILE.npy");
    }
    options.inputs[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return {};
}

// Returns a note that operators were compared on the first input only; empty if there was only one input.
std::string of_first_run(const CheckReport& report) {
  const size_t runs = report.summaries.empty() ? 0 : report.summaries.front().runs;
  return runs > 1 ? fmt::format("Operators were compared on the first of {} inputs only.\n", runs) : "";
}

Table CheckCommand::output_table(const CheckReport& report) const {
  Table table({{"output"},
               {"max abs error", Align::kRight},
               {"relative to largest", Align::kRight},
               {"in steps", Align::kRight},
               {"cosine", Align::kRight},
               {"SNR dB", Align::kRight},
               {"agree", Align::kRight},
               {"judged by"},
               {""}});
  for (const OutputSummary& output : report.summaries) {
    const Difference& difference = output.difference;
    table.add_row({tools::printable(output.name), fmt::format("{:.3g}", difference.max_absolute),
                   fmt::format("{:.3g}", difference.relative()), steps(difference),
                   fmt::format("{:.5f}", difference.cosine()), fmt::format("{:.1f}", difference.decibel()),
                   top_classes(output), std::string(name(output.metric(report.quantized))), verdict(output.matches)});
  }
  return table;
}

Table CheckCommand::layer_table(const CheckReport& report) const {
  Table table({{"#", Align::kRight},
               {"operator"},
               {"kind"},
               {"value"},
               {"max abs error", Align::kRight},
               {"relative to largest", Align::kRight},
               {"in steps", Align::kRight},
               {""}});
  for (const CheckedLayer& layer : report.layers) {
    table.add_row(
        {fmt::format("{}", layer.operator_index), tools::printable(layer.operator_name), layer.kind,
         tools::printable(layer.tensor), fmt::format("{:.3g}", layer.difference.max_absolute),
         fmt::format("{:.3g}", layer.difference.relative()), steps(layer.difference),
         verdict(layer.difference.within(report.tolerance, options.absolute.value_or(CheckOptions::kAbsolute)))});
  }
  return table;
}

void CheckCommand::print_layers(const CheckReport& report) const {
  fmt::print("\n{}{}", of_first_run(report), layer_table(report).to_string());
  if (!report.first_divergence) {
    fmt::print("no operator diverges; {} values compared\n", report.layers.size());
    return;
  }
  const CheckedLayer& first = report.layers[*report.first_divergence];
  fmt::print("the first diverging operator is {} ({}), at element {} of {}\n", tools::printable(first.operator_name),
             first.kind, first.difference.at, tools::printable(first.tensor));
}

Table noise_table(const CheckReport& report) {
  Table table({{"#", Align::kRight},
               {"operator"},
               {"kind"},
               {"value"},
               {"SNR dB", Align::kRight},
               {"of its inputs", Align::kRight}});
  for (const LayerNoise& layer : report.noise) {
    table.add_row({fmt::format("{}", layer.operator_index), tools::printable(layer.operator_name), layer.kind,
                   tools::printable(layer.value), fmt::format("{:.1f}", layer.decibel),
                   layer.input_decibel ? fmt::format("{:.1f}", *layer.input_decibel) : ""});
  }
  return table;
}

void print_noise(const CheckReport& report) {
  fmt::print("\n{}{}", of_first_run(report), noise_table(report).to_string());
  if (const LayerNoise* worst = noisiest(report.noise); worst != nullptr) {
    fmt::print("{} adds the most noise; compute it in f32 with nestc compile ... --keep-f32 {}\n",
               tools::printable(worst->operator_name), tools::printable(worst->operator_name));
  }
}

// Returns the signal-to-noise ratios in the plan's order. Values without differences have no bar.
std::vector<tools::PageBar> noise_bars(const CheckReport& report) {
  std::vector<const LayerNoise*> layers;
  for (const LayerNoise& layer : report.noise)
    if (std::isfinite(layer.decibel)) layers.push_back(&layer);
  std::ranges::stable_sort(layers, {}, &LayerNoise::operator_index);
  std::vector<tools::PageBar> bars;
  for (const LayerNoise* layer : layers)
    bars.push_back({layer->operator_name, layer->decibel, layer->kind, {{"value", layer->value}}});
  return bars;
}

std::vector<tools::PageBar> error_bars(const CheckReport& report) {
  std::vector<tools::PageBar> bars;
  for (const CheckedLayer& layer : report.layers)
    bars.push_back({layer.operator_name, layer.difference.relative(), layer.kind, {{"value", layer.tensor}}});
  return bars;
}

tools::Page CheckCommand::page_of(const CheckReport& report) const {
  tools::Page page(
      tools::file_name(options.plan) + " against " + tools::file_name(options.model),
      fmt::format("nestc check: the plan {} {}", report.matches ? "matches" : "does not match", report.reference));
  page.add_table("Outputs", output_table(report));
  if (!options.layers) return page;
  if (report.quantized) {
    page.add_bars("Signal to noise by operator", "dB", noise_bars(report),
                  of_first_run(report) +
                      "Signal to noise of each value after quantization, in the order of the plan; 6 dB are one bit.");
    page.add_table("Noise by operator", noise_table(report), "The worst first.");
  } else {
    page.add_bars("Largest error by operator", "of the largest element", error_bars(report));
    page.add_table("Operators", layer_table(report), of_first_run(report));
  }
  return page;
}

// Returns the allowed differences of outputs that are not judged by their noise.
std::string allowed(const std::vector<OutputSummary>& outputs) {
  double most = 0;
  for (const OutputSummary& output : outputs)
    if (output.metric(true) == Metric::kSignalToNoise) most = std::max(most, output.absolute);
  if (most <= CheckOptions::kAbsolute) return "";
  return fmt::format(", or to differ by no more than {:.2g}", most);
}

// Returns the rules for a quantized plan. A floating-point plan has tolerances.
std::string rules(const CheckOptions& options, const CheckReport& report) {
  if (!report.quantized) return "";
  const auto& outputs = report.summaries;
  const auto classes = std::ranges::count_if(outputs, &OutputSummary::has_class_scores);
  const auto places = std::ranges::count_if(outputs, &OutputSummary::gives_places);
  std::vector<std::string> rules;
  if (classes > 0) {
    rules.push_back(fmt::format("{:g} % of the top classes must agree", 100 * options.min_agreement));
    if (options.min_agreement <= CheckOptions::kMinAgreement)
      rules.back() += fmt::format(", or signal to noise must be {:g} dB", CheckOptions::kDecibelOfRows);
  }
  const bool has_sequences =
      std::ranges::any_of(outputs, [](const OutputSummary& output) { return output.rows.are_scores; });
  if (has_sequences)
    rules.push_back(fmt::format("{:g} % of the decoded classes must be right", 100 * options.min_agreement));
  const auto embeddings =
      std::ranges::count_if(outputs, [](const OutputSummary& output) { return output.rows.are_embeddings; });
  if (embeddings > 0) rules.push_back(fmt::format("embeddings must have a cosine of {:.4g}", options.min_cosine()));
  if (places > 0)
    rules.push_back(fmt::format("{:g} % of the integer elements must be equal", 100 * options.min_agreement));
  if (classes + places + embeddings < std::ssize(outputs))
    rules.push_back(fmt::format("{}outputs must have {:g} dB of signal to noise{}", rules.empty() ? "" : "other ",
                                options.min_decibel.value_or(CheckOptions::kMinDecibel), allowed(outputs)));
  return fmt::format("; for a quantized plan, {}", fmt::join(rules, ", and "));
}

Status CheckCommand::check_runs() const {
  const bool has_samples = !samples.images.empty() || !samples.npy.empty();
  if (has_samples || !inputs.empty() || options.random_runs > 0) return {};
  return Status(Code::kInvalidArgument,
                "nothing to run: --random is 0 and no other inputs are given; add --input, --images or --npy");
}

Status CheckCommand::check_page() const {
  if (html.empty()) return {};
  NESTRT_RETURN_IF_ERROR(check_not_model(html, options.model));
  std::vector<std::string> files = {options.plan, samples.npy, samples.images};
  for (const auto& [name, file] : options.inputs) files.push_back(file);
  NESTRT_RETURN_IF_ERROR(tools::check_not_input(html, files));
  return tools::check_writable(html);
}

Status CheckCommand::read_samples() {
  options.samples.clear();
  if (samples.images.empty() && samples.npy.empty()) return {};
  NESTRT_ASSIGN_OR_RETURN(const auto whole, Plan::map(options.plan));
  NESTRT_ASSIGN_OR_RETURN(const auto plan, tools::plan_of_shape(whole, options.shape));
  NESTRT_ASSIGN_OR_RETURN(const auto opened, CalibrationSamples::open(samples, *plan));
  for (size_t i = 0; i < opened.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(options.samples.emplace_back(), opened.read(i));
  }
  return {};
}

// Reports outputs in which nothing was compared, because a NaN on either side matches no value.
void print_empty(const CheckReport& report) {
  for (const OutputSummary& output : report.summaries)
    if (output.difference.all_nan())
      fmt::print(
          "{}: all elements are NaN in the plan and in the model, so nothing was compared; pass valid inputs with "
          "--input, --npy or --images\n",
          tools::printable(output.name));
}

// Warns about outputs of a quantized plan that match although they have much noise.
void warn_about_noise(const CheckReport& report) {
  for (const OutputSummary& output : report.summaries) {
    const double decibel = output.difference.decibel();
    if (!report.quantized || !output.matches || output.gives_places || decibel >= kLowDecibel) continue;
    std::cerr << fmt::format(
        "nestc: warning: output '{}' has only {:.1f} dB of signal to noise (largest error {:.3g}, largest element "
        "{:.3g}) and matches by its {}; evaluate the plan with nestrt eval, or require more with --min-snr or "
        "--min-agreement\n",
        tools::printable(output.name), decibel, output.difference.max_absolute, output.difference.largest,
        name(output.metric(true)));
  }
}

// Prints which of LiteRT's kernels the plan agrees with.
void print_kernels(const KernelAgreement& counts) {
  if (counts.elements == 0) return;
  if (counts.between_both == counts.elements) {
    fmt::print(
        "LiteRT's default kernels (XNNPACK) and its reference kernels agree; the plan equals them in {} of {} "
        "elements\n",
        counts.equal_default, counts.elements);
    return;
  }
  fmt::print(
      "LiteRT's default kernels (XNNPACK) and its reference kernels differ in {} of {} elements; the plan equals the "
      "default kernels in {} and the reference kernels in {}\n",
      counts.elements - counts.between_both, counts.elements, counts.equal_default, counts.equal_reference);
}

Result<ExitCode> CheckCommand::run_shape() {
  NESTRT_RETURN_IF_ERROR(read_samples());
  NESTRT_ASSIGN_OR_RETURN(const CheckReport report, check(options));
  fmt::print("{}", output_table(report).to_string());
  print_empty(report);
  warn_about_noise(report);
  if (report.kernels) print_kernels(*report.kernels);
  if (options.layers) report.quantized ? print_noise(report) : print_layers(report);
  if (!html.empty()) NESTRT_RETURN_IF_ERROR(tools::write_page(html, page_of(report)));
  const size_t runs = report.summaries.empty() ? 0 : report.summaries.front().runs;
  fmt::print("over {} {} the plan {} {}{}\n", runs, runs == 1 ? "input" : "inputs",
             !report.matches           ? "does not match"
             : report.first_divergence ? "does not match in every operator, but its outputs match"
                                       : "matches",
             report.reference, rules(options, report));
  if (report.quantized && options.samples.empty() && inputs.empty())
    fmt::print(
        "random inputs are not representative for a quantized plan; pass real inputs with --images DIR or --npy "
        "FILE\n");
  return report.matches && !report.first_divergence ? ExitCode::kOk : ExitCode::kMismatch;
}

// Runs the selected shape, or each shape of the plan without --shape.
Result<ExitCode> CheckCommand::run_plan() {
  NESTRT_RETURN_IF_ERROR(check_runs());
  NESTRT_RETURN_IF_ERROR(check_page());
  if (tolerance) options.tolerance = *tolerance;
  NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::map(options.plan, Verification::kComplete));
  const int count = options.shape > 0 ? 1 : static_cast<int>(plan->shapes().size());
  if (count < 2) return run_shape();
  if (!inputs.empty() || !samples.npy.empty() || !html.empty())
    return Status(
        Code::kInvalidArgument,
        fmt::format("the plan has {} shapes; select one with --shape to use --input, --npy or --html", count));
  ExitCode worst = ExitCode::kOk;
  for (options.shape = 1; options.shape <= count; ++options.shape) {
    fmt::print("{}shape {} of {}\n", options.shape > 1 ? "\n" : "", options.shape, count);
    NESTRT_ASSIGN_OR_RETURN(const ExitCode code, run_shape());
    if (code != ExitCode::kOk) worst = code;
  }
  return worst;
}

// Prints the largest error of each output over all runs.
void print_worst(const CheckPartsReport& report) {
  std::map<std::string, const CheckedOutput*> worst;
  for (const CheckedOutput& output : report.outputs) {
    const CheckedOutput*& entry = worst[output.name];
    const bool is_worse =
        entry == nullptr || (entry->matches && !output.matches) ||
        (entry->matches == output.matches && output.difference.relative() > entry->difference.relative());
    if (is_worse) entry = &output;
  }
  Table table({{"output"}, {"max abs error", Align::kRight}, {"relative to largest", Align::kRight}, {"with"}, {""}});
  for (const auto& [name, output] : worst) {
    table.add_row({tools::printable(name), fmt::format("{:.3g}", output->difference.max_absolute),
                   fmt::format("{:.3g}", output->difference.relative()), tools::printable(report.runs[output->run]),
                   verdict(output->matches)});
  }
  fmt::print("{}", table.to_string());
}

Result<ExitCode> CheckCommand::run_parts() {
  parts.model = options.model;
  parts.inputs = options.inputs;
  parts.samples = samples;
  parts.preprocessing = images.preprocessing();
  parts.random_runs = options.random_runs;
  parts.seed = options.seed;
  parts.python = options.python;
  if (tolerance) parts.tolerance = *tolerance;
  NESTRT_ASSIGN_OR_RETURN(const CheckPartsReport report, check_parts(parts));
  print_worst(report);
  fmt::print("over {} inputs the parts {} the model in ONNX Runtime within {:g}\n", report.runs.size(),
             report.matches ? "match" : "do not match", parts.tolerance);
  return report.matches ? ExitCode::kOk : ExitCode::kMismatch;
}

Result<ExitCode> CheckCommand::run() {
  NESTRT_RETURN_IF_ERROR(parse_inputs());
  if (options.plan.empty() == parts.manifest.empty())
    return Status(Code::kInvalidArgument, "expected either a plan, or --parts with the manifest of the model's parts");
  return parts.manifest.empty() ? run_plan() : run_parts();
}

}  // namespace

void add_check_command(tools::Cli& cli) {
  auto command = std::make_shared<CheckCommand>();
  tools::Command app =
      cli.add_command("check", "compare a plan, or a model in parts, with ONNX Runtime or LiteRT on the model itself",
                      {"nestc check squeezenet1.1.onnx squeezenet.nest",
                       "nestc check squeezenet1.1.onnx squeezenet.nest --images images --limit 20",
                       "nestc check squeezenet1.1.onnx squeezenet.nest --input data=image.npy --layers",
                       "nestc check keywords.tflite keywords.nest --random 10",
                       "nestc check squeezenet1.1.onnx --parts parts/manifest.json --images images --limit 20"},
                      [command] { return command->run(); });
  CheckOptions& options = command->options;
  SampleOptions& samples = command->samples;
  app.add_option("model", options.model, "the ONNX or TensorFlow Lite file").required();
  const tools::Option plan = app.add_option("plan", options.plan, "the plan compiled from it");
  tools::Option parts =
      app.add_option("--parts", command->parts.manifest,
                     "the manifest.json of nestc partition: run the parts sequentially in ONNX Runtime "
                     "and compare with the whole model");
  parts.excludes(plan).not_empty();
  parts.excludes(tools::add_shape_option(app, options.shape, "check, counted from 1; default: all"));
  app.add_option("--input", command->inputs, "NAME=FILE.npy for each input; default: random inputs").repeatable();
  app.add_option(
         "--random", options.random_runs,
         "number of random inputs; for a plan, used only without other inputs; for parts, in addition to others")
      .in_range(0, 1000)
      .show_default();
  app.add_option("--seed", options.seed, "seed of the random inputs").in_range(0, INT64_MAX).show_default();
  const tools::Option layers = app.add_flag("--layers", options.layers,
                                            "also compare the output of every operator that the model names, for the "
                                            "first input only; for a quantized plan, show the noise of these outputs");
  parts.excludes(layers);
  app.add_option("--tolerance", command->tolerance,
                 "accepted difference, as a fraction of the largest element of the tensor. Integers of a plan may "
                 "differ by one step, or by up to 16 steps if the noise is 30 dB below the signal. For parts, the "
                 "reference is 1 if no element is larger (default: 1e-4 for a plan, 1e-5 for parts)")
      .between(0, 1e30);
  app.add_option("--absolute-tolerance", options.absolute,
                 "ignored absolute difference (default: 1e-6, the error of ONNX Runtime's own functions; for outputs "
                 "from 0 to 1 of a quantized plan, 1/256 unless --min-snr is given)")
      .between(0, 1e30)
      .excludes(parts);
  app.add_option("--min-agreement", options.min_agreement,
                 "for a quantized plan: minimum fraction of rows of class scores with the same top class, and of equal "
                 "elements in integer outputs such as those of ArgMax")
      .between(0, 1)
      .show_default()
      .excludes(parts);
  app.add_option(
         "--min-snr", options.min_decibel,
         "for a quantized plan: minimum signal-to-noise ratio in dB of outputs that are not class scores (default: 10)")
      .between(-1000, 1000)
      .excludes(parts);
  const tools::Option images = app.add_option("--images", samples.images,
                                              "a folder of JPEG, PNG or BMP images, or of .npy arrays: one run for "
                                              "each; images are preprocessed as the plan specifies");
  app.add_option("--npy", samples.npy, "a NumPy file of N inputs: N x the input's shape").excludes(images);
  app.add_option("--limit", samples.limit, "use at most N images or arrays, spread evenly over all").positive();
  for (tools::Option option : command->images.add_to(app)) option.needs(parts);
  tools::add_html_option(app, command->html).excludes(parts);
  app.add_option("--python", options.python,
                 "an interpreter with onnxruntime, onnx and numpy; by default a private environment is set up with pip "
                 "in ${XDG_CACHE_HOME:-~/.cache}/nestrt");
}

}  // namespace nestrt::compiler
