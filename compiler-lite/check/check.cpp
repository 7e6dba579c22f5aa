// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "compiler-lite/check/input_files.h"
#include "compiler-lite/check/output_range.h"
#include "compiler-lite/check/plan_trace.h"
#include "compiler-lite/check/run_session.h"
#include "compiler-lite/import/import_model.h"
#include "compiler-lite/import/onnx/onnx_model.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/log.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "tools/support/image/classify.h"
#include "tools/support/report/plan_shape.h"

namespace nestrt::compiler {
namespace {

struct Run {
  std::vector<tools::Array> inputs;  // inputs of the plan, in its order
  NamedArrays bound;                 // the model's other inputs
};

Result<std::vector<Run>> gather_runs(const CheckOptions& options, const Plan& plan) {
  std::vector<Run> runs;
  NESTRT_ASSIGN_OR_RETURN(const NamedArrays bound, bound_arrays(options.inputs, plan.inputs()));
  if (!options.inputs.empty() && !are_all_bound(options.model, options.inputs, plan.inputs())) {
    if (!options.samples.empty())
      return Status(Code::kInvalidArgument, "--input cannot be combined with --images or --npy");
    NESTRT_ASSIGN_OR_RETURN(std::vector<tools::Array> arrays, input_arrays(options.inputs, plan.inputs()));
    runs.push_back({std::move(arrays), bound});
    return runs;
  }
  for (const auto& sample : options.samples) runs.push_back({sample, bound});
  if (!runs.empty()) return runs;
  for (int i = 0; i < options.random_runs; ++i)
    runs.push_back({random_inputs(plan, options.seed + static_cast<uint64_t>(i)), bound});
  if (!runs.empty()) return runs;
  return Status(Code::kInvalidArgument, "--random 0 leaves nothing to run; add --input, --images or --npy");
}

NamedArrays named(const Run& run, const Plan& plan) {
  NamedArrays arrays = run.bound;
  for (size_t i = 0; i < run.inputs.size(); ++i) arrays[plan.inputs()[i].name] = run.inputs[i];
  return arrays;
}

const plan::Tensor& tensor_of(const Plan& plan, int32_t operand) {
  return plan.tables().tensors[static_cast<uint32_t>(operand)];
}

double largest_scale(const plan::Quantization& quantization) {
  double largest = 0;
  for (const float scale : quantization.scales) largest = std::max(largest, double{scale});
  for (const int exponent : quantization.exponents) largest = std::max(largest, std::ldexp(1.0, -exponent));
  return largest;
}

// Returns the step between possible values if `op` computes its output from integers, or else 0.
double step_of(const Plan& plan, const plan::Operator& op) {
  const ops::Kind kind = op.kind();
  if (kind != ops::Kind::kDequantize && kind != ops::Kind::kReshape) return 0;
  const auto& source = tensor_of(plan, op.inputs[0]).quantization;
  if (!source) return 0;
  if (kind == ops::Kind::kDequantize) return largest_scale(*source);
  // If the result has no quantization, it contains the integers themselves, in steps of 1.
  return tensor_of(plan, op.outputs[0]).quantization ? 0 : 1;
}

// Returns step_of() for an output of the plan.
double step_of_output(const Plan& plan, size_t output) {
  const uint32_t tensor = plan.tables().outputs[output];
  for (const plan::Operator& op : plan.tables().operators)
    for (int32_t written : op.outputs)
      if (written == static_cast<int32_t>(tensor)) return step_of(plan, op);
  return 0;
}

double absolute_of(const CheckOptions& options) { return options.absolute.value_or(CheckOptions::kAbsolute); }

// Returns the absolute tolerance for an output of a quantized plan.
double absolute_of_quantized(const CheckOptions& options, const Plan& plan, size_t output) {
  const bool allows_step = !options.absolute && !options.min_decibel && goes_from_0_to_1(plan, output);
  return allows_step ? CheckOptions::kAbsoluteQuantized : absolute_of(options);
}

bool agrees(const CheckOptions& options, const OutputSummary& output) {
  const Difference& difference = output.difference;
  if (output.rows.are_embeddings) return output.rows.least_cosine >= options.min_cosine();
  if (output.rows.are_scores && output.rows.sequence_agreement() < options.min_agreement) return false;
  if (output.has_class_scores && options.min_agreement <= CheckOptions::kMinAgreement &&
      difference.decibel() >= CheckOptions::kDecibelOfRows)
    return true;
  if (output.has_class_scores)
    return static_cast<double>(difference.rows_agreeing) >=
           options.min_agreement * static_cast<double>(difference.rows);
  if (output.gives_places)
    return static_cast<double>(difference.elements_equal) >=
           options.min_agreement * static_cast<double>(difference.elements);
  return difference.decibel() >= options.min_decibel.value_or(CheckOptions::kMinDecibel) ||
         difference.within(0, output.absolute);
}

// Returns true for class scores computed from the model's integers that differ only by rounding. (A Softmax amplifies
// rounding differences.)
bool agrees_except_roundings(const CheckOptions& options, const OutputSummary& output) {
  const Difference& difference = output.difference;
  return difference.step > 0 && output.has_class_scores && difference.decibel() >= CheckOptions::kDecibelOfScores &&
         static_cast<double>(difference.rows_agreeing) >= options.min_agreement * static_cast<double>(difference.rows);
}

// Returns true for types that quantized tensors never use.
bool gives_places(DataType type) { return type == DataType::kS32 || type == DataType::kS64 || type == DataType::kBool; }

// Adds a summary of each output. A floating-point plan must match in every run, a quantized plan over all runs
// together.
void summarize(const CheckOptions& options, const Plan& plan, CheckReport& report) {
  for (const TensorInfo& output : plan.outputs()) {
    OutputSummary& summary = report.summaries.emplace_back();
    summary.name = output.name;
    summary.has_class_scores = report.summaries.size() == 1 && tools::class_rows(plan, 0) > 0;
    for (const CheckedOutput& checked : report.outputs) {
      if (checked.name != output.name) continue;
      const int64_t actual = checked.difference.actual_top, expected = checked.difference.expected_top;
      summary.difference.add(checked.difference);
      if (summary.runs == 0)
        summary.rows = checked.rows;
      else
        summary.rows.add(checked.rows);
      summary.difference.actual_top = actual, summary.difference.expected_top = expected;
      summary.matches = summary.matches && checked.matches;
      ++summary.runs;
    }
    if (summary.rows.are_embeddings) summary.has_class_scores = false;
    if (summary.rows.are_scores) summary.has_class_scores = true;
    summary.gives_places = gives_places(output.type) && summary.difference.step == 0;
    summary.absolute =
        report.quantized ? absolute_of_quantized(options, plan, report.summaries.size() - 1) : absolute_of(options);
    if (report.quantized)
      summary.matches = agrees(options, summary);
    else
      summary.matches = summary.matches || agrees_except_roundings(options, summary);
    report.matches = report.matches && summary.matches;
  }
}

// Returns the first dimension of the first input.
int64_t batch_of(const Plan& plan) {
  const Shape shape = plan.inputs().empty() ? Shape() : plan.inputs()[0].shape;
  return shape.rank() > 0 ? shape[0] : 1;
}

Status compare_outputs(const CheckOptions& options, const Plan& plan, Session& session, size_t run,
                       const std::vector<tools::Array>& actual, const NamedArrays& expected, CheckReport& report) {
  for (size_t i = 0; i < actual.size(); ++i) {
    const std::string& name = session.outputs()[i].name;
    const auto found = expected.find(name);
    if (found == expected.end()) {
      return Status(
          Code::kInvalidArgument,
          fmt::format("output {} of the plan does not exist in the model; expected {} and {} to be the same network",
                      name, options.model, options.plan));
    }
    auto difference = compare(actual[i].view(), found->second.view());
    if (!difference) return difference.error().with_context(fmt::format("output {}", name));
    difference->step = step_of_output(plan, i);
    const bool within = report.quantized || difference->within(options.tolerance, absolute_of(options));
    const bool matches = within && !difference->all_nan();
    const RowMetrics rows =
        report.quantized ? measure_rows(actual[i].view(), found->second.view(), batch_of(plan)) : RowMetrics();
    report.outputs.push_back({.run = run, .name = name, .difference = *difference, .rows = rows, .matches = matches});
  }
  return {};
}

Status measure_noise(std::shared_ptr<const Plan> plan, const Run& run, NamedArrays expected, CheckReport& report) {
  NESTRT_ASSIGN_OR_RETURN(PlanTrace trace, PlanTrace::create(plan));
  NESTRT_RETURN_IF_ERROR(trace.run(run.inputs));
  expected.merge(named(run, *plan));
  report.noise = layer_noise(*plan, trace, expected);
  return {};
}

// Compares the result of each operator of the plan with the model's value of the same name.
Status compare_layers(const CheckOptions& options, std::shared_ptr<const Plan> plan, const Run& run,
                      const NamedArrays& expected, CheckReport& report) {
  NESTRT_ASSIGN_OR_RETURN(PlanTrace trace, PlanTrace::create(plan));
  NESTRT_RETURN_IF_ERROR(trace.run(run.inputs));
  for (uint32_t index = 0; index < plan->tables().operators.size(); ++index) {
    const plan::Operator& op = plan->tables().operators[index];
    for (int32_t output : op.outputs) {
      const auto value = output < 0 ? expected.end() : expected.find(tensor_of(*plan, output).name);
      if (value == expected.end()) continue;
      auto difference = compare(trace.tensor(static_cast<uint32_t>(output)).view(), value->second.view());
      if (!difference) return difference.error().with_context(fmt::format("value {}", value->first));
      difference->step = step_of(*plan, op);
      const bool diverges = !difference->within(options.tolerance, absolute_of(options));
      if (diverges && !report.first_divergence) report.first_divergence = report.layers.size();
      report.layers.push_back({index, op.name, std::string(ops::name(op.kind())), value->first, *difference});
    }
  }
  return {};
}

// Raises the tolerance for models with layers that LiteRT computes in integers but the plan computes in f32.
void allow_for_hybrid_layers(CheckOptions& options) {
  constexpr double kHybridTolerance = 0.05;
  if (options.tolerance >= kHybridTolerance || !is_hybrid_tflite(options.model)) return;
  options.tolerance = kHybridTolerance;
  log(LogLevel::kWarning,
      fmt::format("LiteRT quantizes the inputs of layers with 8-bit weights to 8 or 16 bits, but nestrt computes "
                  "these layers in f32; using a tolerance of {:.2g}",
                  options.tolerance));
}

// Raises the tolerance for models with short float types. nestrt computes them in f32, whereas ONNX Runtime rounds to
// the short type. The errors of operators are independent, so the total grows with the square root of their number.
void allow_for_short_floats(const Plan& plan, const OnnxModel& model, CheckOptions& options) {
  for (const auto& [type, rounding] : {std::pair("float16", 0x1p-11), std::pair("bfloat16", 0x1p-8)}) {
    const double roundings = 4 + 2 * std::sqrt(static_cast<double>(plan.tables().operators.size()));
    if (!model.converted_types.contains(type) || options.tolerance >= roundings * rounding) continue;
    options.tolerance = roundings * rounding;
    log(LogLevel::kWarning,
        fmt::format("the model contains {} values, which ONNX Runtime rounds but nestrt computes in "
                    "f32; using a tolerance of {:.2g}",
                    type, options.tolerance));
  }
}

// Only LiteRT has reference kernels.
Result<ReferenceResults> run_reference(OnnxRuntimeRequest request) {
  if (is_tflite(request.model)) return run_litert(request);
  if (request.python.empty()) {
    NESTRT_ASSIGN_OR_RETURN(request.python, onnx_runtime_python());
  }
  ReferenceResults results;
  NESTRT_ASSIGN_OR_RETURN(results.runs, run_onnx_runtime(request));
  return results;
}

// Counts equal elements of the plan's outputs in one run.
Status count_equal(const Session& session, const std::vector<tools::Array>& actual, const NamedArrays& expected,
                   const NamedArrays& reference, KernelAgreement& counts) {
  for (size_t i = 0; i < actual.size(); ++i) {
    const auto by_default = expected.find(session.outputs()[i].name);
    const auto by_reference = reference.find(session.outputs()[i].name);
    if (by_default == expected.end() || by_reference == reference.end()) continue;
    NESTRT_ASSIGN_OR_RETURN(const Difference one, compare(actual[i].view(), by_default->second.view()));
    NESTRT_ASSIGN_OR_RETURN(const Difference other, compare(actual[i].view(), by_reference->second.view()));
    NESTRT_ASSIGN_OR_RETURN(const Difference both, compare(by_default->second.view(), by_reference->second.view()));
    counts.elements += one.elements;
    counts.equal_default += one.elements_equal;
    counts.equal_reference += other.elements_equal;
    counts.between_both += both.elements_equal;
  }
  return {};
}

bool rounds_half_to_even(const plan::Operator& op) {
  if (const auto* pool = op.as<ops::Pool>(); pool != nullptr && pool->kind == ops::PoolKind::kMax) return true;
  const auto rounds = []<typename Op>(const Op& attributes) {
    if constexpr (requires { attributes.rounding; })
      return attributes.rounding == ops::Rounding::kHalfEven;
    else
      return true;
  };
  return std::visit(rounds, op.attributes);
}

// Returns true if every operator with exponents rounds as ONNX does.
bool rounds_like_onnx(const Plan& plan) {
  return std::ranges::all_of(plan.tables().operators, [&plan](const plan::Operator& op) {
    const auto& quantization = tensor_of(plan, op.outputs[0]).quantization;
    return !quantization || quantization->exponents.empty() || rounds_half_to_even(op);
  });
}

// Returns true for QDQ and QLinear models.
bool states_integers(const OnnxModel& model) {
  return std::ranges::any_of(model.nodes, [](const OnnxNode& node) {
    return node.op_type == "QuantizeLinear" || node.op_type.starts_with("QLinear");
  });
}

}  // namespace

double CheckOptions::min_cosine() const { return 1 - std::pow(10, -min_decibel.value_or(kMinDecibel) / 10) / 2; }

std::string_view name(Metric metric) {
  switch (metric) {
    case Metric::kDifference:
      return "difference";
    case Metric::kSignalToNoise:
      return "SNR";
    case Metric::kTopClass:
      return "top class";
    case Metric::kSequence:
      return "sequence";
    case Metric::kCosine:
      return "cosine";
    case Metric::kEqualElements:
      return "equal elements";
  }
  return "";
}

Metric OutputSummary::metric(bool is_quantized) const {
  if (!is_quantized) return Metric::kDifference;
  if (rows.are_embeddings) return Metric::kCosine;
  if (rows.are_scores) return Metric::kSequence;
  if (has_class_scores) return Metric::kTopClass;
  return gives_places ? Metric::kEqualElements : Metric::kSignalToNoise;
}

Result<CheckReport> check(const CheckOptions& asked) {
  CheckOptions options = asked;
  NESTRT_ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> whole, Plan::map(options.plan, Verification::kComplete));
  NESTRT_ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan, tools::plan_of_shape(whole, options.shape));
  const auto model = read_onnx_model(options.model, ImportLimits());  // ONNX Runtime reports problems
  if (is_tflite(options.model)) allow_for_hybrid_layers(options);
  if (model) allow_for_short_floats(*plan, *model, options);
  NESTRT_ASSIGN_OR_RETURN(const UnitList units, open_units("cpu"));
  NESTRT_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::create(plan, units));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<Run> runs, gather_runs(options, *plan));

  OnnxRuntimeRequest request{options.python, options.model, {}, {}};
  for (const Run& run : runs) request.runs.push_back(named(run, *plan));
  if (options.layers) request.values = model_values(*plan);
  for (const TensorInfo& output : plan->outputs())
    request.values.push_back(output.name);  // includes outputs of --expose
  NESTRT_ASSIGN_OR_RETURN(const ReferenceResults results, run_reference(std::move(request)));
  const std::vector<NamedArrays>& expected = results.runs;
  if (expected.size() != runs.size() || (!results.reference.empty() && results.reference.size() != runs.size()))
    return Status(Code::kInternal, "the reference returned a different number of runs");

  CheckReport report;
  report.reference = is_tflite(options.model) ? "LiteRT" : "ONNX Runtime";
  report.tolerance = options.tolerance;
  const bool has_integers_of_model = model && states_integers(*model) && rounds_like_onnx(*plan);
  report.quantized = is_quantized(*plan) && !has_integers_of_model;
  if (!results.reference.empty()) report.kernels.emplace();
  for (size_t i = 0; i < runs.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(const auto actual, run_session(*session, runs[i].inputs));
    if (report.kernels)
      NESTRT_RETURN_IF_ERROR(count_equal(*session, actual, expected[i], results.reference[i], *report.kernels));
    NESTRT_RETURN_IF_ERROR(compare_outputs(options, *plan, *session, i, actual, expected[i], report));
  }
  summarize(options, *plan, report);
  if (options.layers && report.quantized)
    NESTRT_RETURN_IF_ERROR(measure_noise(plan, runs.front(), expected.front(), report));
  else if (options.layers)
    NESTRT_RETURN_IF_ERROR(compare_layers(options, plan, runs.front(), expected.front(), report));
  return report;
}

}  // namespace nestrt::compiler
