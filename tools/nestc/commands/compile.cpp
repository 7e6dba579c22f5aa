// SPDX-License-Identifier: Apache-2.0
// nestc compile: compiles an ONNX file to a plan.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>

#include "compiler-lite/compile.h"
#include "compiler-lite/quantize/kept_reasons.h"
#include "nestrt/plan.h"
#include "tools/nestc/command.h"
#include "tools/nestc/model_files.h"
#include "tools/nestc/options/compile_options.h"
#include "tools/nestc/options/noise_options.h"
#include "tools/nestc/options/quantize_options.h"
#include "tools/nestc/options/reconstruct_options.h"
#include "tools/nestc/options/search_options.h"
#include "tools/nestc/options/vendor_options.h"
#include "tools/nestc/tuning_progress.h"
#include "tools/support/image/preprocessing_warnings.h"
#include "tools/support/page/precisions.h"
#include "tools/support/text/cli.h"
#include "tools/support/text/files.h"
#include "tools/support/text/progress.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

using Clock = std::chrono::steady_clock;

struct CompileCommand {
  CompileFlags flags;
  QuantizeFlags quantize_flags;
  SearchFlags search_flags;
  NoiseFlags noise_flags;
  ReconstructFlags reconstruct_flags;
  VendorFlags vendor_flags;
  std::string model;
  std::string output;
  std::string json;
  bool list_passes = false;

  Result<tools::ExitCode> run() const;

 private:
  Status check_files(const std::string& path) const;
  Status check_json(const std::string& path) const;
  Result<PlanBytes> compile_with_progress(CompileOptions options, std::optional<QuantizationReport>& report) const;
  // Adds the requested quantization, searched and bounded, to the options. If no quantization meets a limit, prints a
  // message and returns false.
  Result<bool> add_quantization(CompileOptions& options, std::optional<NoiseReport>& noise) const;
  // `start`: start time of the command.
  Status write(const std::string& path, const CompileOptions& options, const std::optional<NoiseReport>& noise,
               Clock::time_point start) const;
};

// Prints how much of the network is quantized, which operators are not, and why.
void print(const QuantizationReport& report, const plan::Tables& tables) {
  const auto entries = tools::precisions(tables, kept_reasons(report));
  std::cout << tools::summary_of(tables, entries).to_string() << tools::counts_of(entries) << "\n";
}

tools::Json to_json(const plan::Tables& tables, size_t plan_bytes, const std::optional<QuantizationReport>& report,
                    const std::optional<NoiseReport>& noise) {
  const auto kept = report ? kept_reasons(*report) : std::map<std::string, std::string>();
  const auto entries = tools::precisions(tables, kept);
  tools::Json kept_f32 = tools::Json::array();
  for (const auto& [name, reason] : kept) kept_f32.push_back({{"name", name}, {"reason", reason}});
  return {{"operators", tables.operators.size()},
          {"s8_operators", tools::count_of(entries, "s8")},
          {"plan_bytes", plan_bytes},
          {"arena_bytes", tables.memory_plans[0].arena_bytes},
          {"kept_f32", std::move(kept_f32)},
          {"noise", noise ? to_json(*noise) : tools::Json()}};
}

// Returns whether the plan contains integers, including those of a QDQ or QLinear model.
bool is_quantized(const plan::Tables& tables) {
  return std::ranges::any_of(tables.tensors,
                             [](const plan::Tensor& tensor) { return tensor.quantization.has_value(); });
}

const char* why_idle(const CompileOptions& options, const plan::Tables& tables, const Backend& backend) {
  if (backend.follows_others())
    return ": no branch can be exported for it, or none is worthwhile according to --vendor-capability";
  return options.quantization || is_quantized(tables) ? "; nestc explain shows the reasons"
                                                      : ": it requires s8; add --quantize s8";
}

// Prints a note if the target has accelerators but the plan has no program for them.
void note_idle_units(const CompileOptions& options, const plan::Tables& tables) {
  for (const auto& backend : options.backends) {
    if (backend->is_host()) continue;
    bool idle = true;
    for (const plan::Branch& branch : tables.branches)
      for (const plan::Program& program : branch.programs) idle &= program.unit != backend->unit();
    if (!idle) continue;
    std::cerr << "nestc: note: " << backend->unit() << " runs none of the operators"
              << why_idle(options, tables, *backend) << "\n";
  }
}

void note_failure(const std::string& branch, const Status& why) {
  std::cerr << fmt::format("nestc: note: branch '{}' has no vendor program: {}\n", tools::printable(branch),
                           tools::printable_message(why.message()));
}

void print_report(const std::string& part, const VendorReport& report) {
  std::cout << fmt::format("part '{}': {}\n", tools::printable(part), tools::printable_message(summary_of(report)));
}

void list() {
  tools::Table table({{"pass"}, {"what it does"}});
  for (const Pass& pass : passes()) table.add_row({std::string(pass.name), std::string(pass.summary)});
  std::cout << table.to_string();
}

Result<PlanBytes> CompileCommand::compile_with_progress(CompileOptions options,
                                                        std::optional<QuantizationReport>& report) const {
  if (options.quantization)
    options.quantization->observer = [&report](const QuantizationReport& made) { report = made; };
  tools::StageLine line("nestc");
  options.progress = [&line](std::string_view stage) { line.show(stage); };
  TuningProgress tuning(options.backends.size() - 1);
  options.offer_observer = [&tuning](uint32_t, uint32_t num_operators, const Backend&, const Offer&) {
    tuning.advance(num_operators);
  };
  return compile(model, options);
}

Status CompileCommand::check_files(const std::string& path) const {
  NESTRT_RETURN_IF_ERROR(check_not_model(path, model));
  for (const std::string& file : {path, quantize_flags.saved()}) NESTRT_RETURN_IF_ERROR(flags.check_output(file));
  NESTRT_RETURN_IF_ERROR(tools::check_writable(path, tools::Written::kPlan));
  NESTRT_RETURN_IF_ERROR(quantize_flags.check_output(path));
  NESTRT_RETURN_IF_ERROR(quantize_flags.check_saved(model));
  NESTRT_RETURN_IF_ERROR(vendor_flags.check_output(path));
  NESTRT_RETURN_IF_ERROR(noise_flags.check_output(path));
  NESTRT_RETURN_IF_ERROR(check_json(path));
  return search_flags.check_output(path, model);
}

Status CompileCommand::check_json(const std::string& path) const {
  if (json.empty()) return {};
  if (std::filesystem::path(json).lexically_normal() == std::filesystem::path(path).lexically_normal())
    return Status(Code::kInvalidArgument, "--json and the plan are the same file; name another file");
  NESTRT_RETURN_IF_ERROR(check_not_model(json, model));
  NESTRT_RETURN_IF_ERROR(quantize_flags.check_output(json));
  NESTRT_RETURN_IF_ERROR(noise_flags.check_output(json));
  NESTRT_RETURN_IF_ERROR(flags.check_output(json));
  return tools::check_writable(json, tools::Written::kJson);
}

Status CompileCommand::write(const std::string& path, const CompileOptions& options,
                             const std::optional<NoiseReport>& noise, Clock::time_point start) const {
  std::optional<QuantizationReport> report;
  NESTRT_ASSIGN_OR_RETURN(const PlanBytes bytes, compile_with_progress(options, report));
  NESTRT_RETURN_IF_ERROR(tools::write_file(path, bytes.span()));
  NESTRT_ASSIGN_OR_RETURN(const auto plan, Plan::from_memory(bytes.span()));
  if (report) print(*report, plan->tables());
  tools::warn_about_input_range(plan->tables());
  note_idle_units(options, plan->tables());
  const std::chrono::duration<double> seconds = Clock::now() - start;
  const plan::MemoryPlan& memory = plan->tables().memory_plans[0];
  std::cout << path << ": " << plan->tables().operators.size() << " operators, "
            << tools::format_bytes(bytes.span().size()) << ", arena " << tools::format_bytes(memory.arena_bytes) << ", "
            << (options.quantization ? "calibrated and compiled" : "compiled") << " in "
            << static_cast<int>(seconds.count() * 1e3) << " ms\n";
  if (json.empty()) return {};
  return tools::write_json(json, to_json(plan->tables(), bytes.span().size(), report, noise));
}

Result<bool> CompileCommand::add_quantization(CompileOptions& options, std::optional<NoiseReport>& noise) const {
  std::optional<HeldOut> held_out;
  NESTRT_ASSIGN_OR_RETURN(options.quantization, quantize_flags.quantization(model, options, &held_out));
  if (search_flags.wanted()) {
    NESTRT_ASSIGN_OR_RETURN(options.quantization, search_flags.search(model, options, quantize_flags));
    if (!options.quantization) return false;
  }
  if (!options.quantization) return true;
  const NoiseSource source = noise_flags.source(quantize_flags, std::move(held_out));
  NESTRT_RETURN_IF_ERROR(reconstruct_flags.apply(model, options, quantize_flags, source));
  NESTRT_ASSIGN_OR_RETURN(noise, noise_flags.estimate(model, options, quantize_flags, source));
  return !noise || noise->met;
}

Result<tools::ExitCode> CompileCommand::run() const {
  const Clock::time_point start = Clock::now();
  if (list_passes) {
    list();
    return tools::ExitCode::kOk;
  }
  if (model.empty())
    return Status(Code::kInvalidArgument, "no model given; try: nestc compile model.onnx -o model.nest");
  const std::string path = output.empty() ? std::filesystem::path(model).replace_extension(".nest").string() : output;
  NESTRT_RETURN_IF_ERROR(check_files(path));
  NESTRT_ASSIGN_OR_RETURN(CompileOptions options, flags.options());
  NESTRT_RETURN_IF_ERROR(search_flags.check(quantize_flags));
  NESTRT_RETURN_IF_ERROR(noise_flags.check(quantize_flags));
  NESTRT_RETURN_IF_ERROR(reconstruct_flags.check(quantize_flags));
  CompileOptions without_vendor;  // for calibration and search, which do not involve the vendor
  NESTRT_RETURN_IF_ERROR(vendor_flags.add_to(without_vendor, {note_failure, print_report}));
  std::optional<NoiseReport> noise;
  NESTRT_ASSIGN_OR_RETURN(const bool meets_limits, add_quantization(options, noise));
  if (!meets_limits) return tools::ExitCode::kMismatch;
  NESTRT_RETURN_IF_ERROR(vendor_flags.add_to(options, {note_failure, print_report}));
  NESTRT_RETURN_IF_ERROR(write(path, options, noise, start));
  return tools::ExitCode::kOk;
}

}  // namespace

void add_compile_command(tools::Cli& cli) {
  auto command = std::make_shared<CompileCommand>();
  tools::Command app =
      cli.add_command("compile", "compile an ONNX file into a plan",
                      {"nestc compile squeezenet1.1.onnx -o squeezenet.nest --mean 123,117,104",
                       "nestc compile keywords.tflite -o keywords.nest",
                       "nestc compile detector.onnx -o detector.nest --input-shape x=1,3,640,640",
                       "nestc compile squeezenet1.1.onnx --mean 123,117,104 --quantize s8 --calibrate images",
                       "nestc compile squeezenet1.1.onnx --mean 123,117,104 --quantize s8 --calibrate images "
                       "--max-loss 1 --search-file search.yaml",
                       "nestc compile model.onnx --vendor 'npu=npu-cc {input} -o {output}' --vendor-plan parts.yaml",
                       "nestc compile resizer.onnx -o resizer.nest --bind sizes=sizes.npy"},
                      [command] { return command->run(); });
  app.add_option("model", command->model, "the ONNX or TensorFlow Lite file");
  app.add_option("-o,--output", command->output, "the plan to write (default: the model's name with .nest)")
      .not_empty();
  app.add_option("--json", command->json, "also write the numbers of the plan and of its quantization to this file")
      .not_empty();
  app.add_flag("--passes", command->list_passes, "list the optimisation passes in order, and exit");
  command->flags.add_to(app);
  command->quantize_flags.add_to(app);
  command->search_flags.add_to(app);
  command->noise_flags.add_to(app);
  command->reconstruct_flags.add_to(app);
  command->vendor_flags.add_to(app);
}

}  // namespace nestrt::compiler
