// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/evaluator.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "compiler-lite/check/compare.h"
#include "compiler-lite/check/run_session.h"
#include "compiler-lite/check/signal_to_noise.h"
#include "compiler-lite/quantize/digest.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/log.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "runtime/plan/queries/statistics.h"
#include "tools/support/image/classify.h"
#include "tools/support/image/labels.h"

namespace nestrt::compiler {
namespace {

// Memory limit that applies to the samples and, separately, to the f32 outputs.
constexpr uint64_t kMaxKeptBytes = uint64_t{1} << 30;

std::span<const float> floats_of(const tools::Array& array) {
  return {reinterpret_cast<const float*>(array.bytes.data()), array.bytes.size() / sizeof(float)};
}

double f32_share_of(const Plan& plan) {
  uint64_t all = 0, f32 = 0;
  for (const plan::Operator& op : plan.tables().operators) {
    const uint64_t macs = statistics(plan.tables(), op).macs;
    if (macs == 0) continue;
    all += macs;
    const auto input = static_cast<uint32_t>(op.inputs[0]);
    if (plan.tables().tensors[input].type == DataType::kF32) f32 += macs;
  }
  return all == 0 ? 0 : static_cast<double>(f32) / static_cast<double>(all);
}

constexpr int64_t kAmbiguous = -1;

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// Returns the class of a sample, found by its path relative to the sample folder or else by its name.
std::optional<int64_t> find_class(const std::map<std::string, int64_t>& classes, const std::string& folder,
                                  const std::string& sample) {
  for (const std::string& key : {std::filesystem::path(sample).lexically_relative(folder).string(), file_name(sample)})
    if (const auto known = classes.find(key); known != classes.end() && known->second != kAmbiguous)
      return known->second;
  return std::nullopt;
}

Status check_size(uint64_t bytes_each, size_t count, std::string_view what) {
  if (count <= kMaxKeptBytes / std::max<uint64_t>(bytes_each, 1)) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("{} {} of {} bytes exceed the limit of {} bytes in memory; use at most {} samples", count,
                            what, bytes_each, kMaxKeptBytes, kMaxKeptBytes / bytes_each));
}

}  // namespace

struct Evaluator::Network {
  PlanBytes bytes;  // memory of the session's plan
  std::unique_ptr<Session> session;

  static Result<Network> load(PlanBytes bytes, int threads);
};

Result<Evaluator::Network> Evaluator::Network::load(PlanBytes bytes, int threads) {
  NESTRT_ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan, Plan::from_memory(bytes.span()));
  NESTRT_ASSIGN_OR_RETURN(UnitList units, open_units("cpu", {.num_threads = threads}));
  NESTRT_ASSIGN_OR_RETURN(auto session, Session::create(plan, std::move(units)));
  return Network{std::move(bytes), std::move(session)};
}

Evaluator::Evaluator(CompileOptions compile, Graph graph, int threads)
    : compile_(std::move(compile)), threads_(threads), graph_(std::move(graph)) {}
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;
Evaluator::~Evaluator() = default;

Result<Evaluator> Evaluator::create(const std::string& model, const EvaluationOptions& options) {
  CompileOptions compile = options.compile;
  compile.quantization.reset();
  compile.progress = nullptr;
  compile.backends.clear();  // evaluation runs on the compiling machine
  NESTRT_ASSIGN_OR_RETURN(Graph graph, quantizable_graph(model, compile));
  Evaluator result(std::move(compile), std::move(graph), options.threads);
  NESTRT_ASSIGN_OR_RETURN(result.model_digest_, compiler::model_digest(model, options.compile.import.bindings));
  NESTRT_ASSIGN_OR_RETURN(PlanBytes bytes, result.compile_reference(model));
  NESTRT_ASSIGN_OR_RETURN(Network f32, Network::load(std::move(bytes), options.threads));
  result.f32_ = std::make_unique<Network>(std::move(f32));
  if (options.needs_classes) NESTRT_RETURN_IF_ERROR(result.check_outputs());
  NESTRT_RETURN_IF_ERROR(result.read_samples(options));
  result.answers_.resize(result.inputs_.size());
  return result;
}

Result<PlanBytes> Evaluator::compile_reference(const std::string& model) const {
  if (!compile_.import.drops_quantization) return compile_quantizable(graph_.clone(), compile_);
  CompileOptions original = compile_;
  original.import.drops_quantization = false;
  return compile(model, original);
}

Status Evaluator::check_outputs() const {
  const TensorInfo& scores = f32_->session->outputs()[0];
  if (tools::class_rows(f32_->session->plan(), 0) > 0) return {};
  return Status(Code::kUnsupported,
                fmt::format("the loss is measured on class scores, f32 of 1xN; the network's first output '{}' is {} "
                            "{}: check boxes, maps and sequences with nestc check",
                            scores.name, name(scores.type), scores.shape.to_string()));
}

Result<Evaluator::Classes> Evaluator::read_classes(const EvaluationOptions& options) const {
  Classes result;
  if (options.labels.empty()) return result;
  const Shape& scores = f32_->session->outputs()[0].shape;
  const int64_t rows = tools::class_rows(f32_->session->plan(), 0);
  if (rows != 1) {
    return Status(Code::kInvalidArgument,
                  fmt::format("'{}' has one class per image, but the network has {} rows of scores ({})",
                              options.labels, rows, scores.to_string()));
  }
  NESTRT_ASSIGN_OR_RETURN(const auto images, tools::read_labelled_files(options.labels));
  int64_t largest = 0;
  for (const tools::LabelledFile& image : images) {
    largest = std::max(largest, image.label);
    int64_t index = 0;
    if (__builtin_sub_overflow(image.label, options.offset, &index) || index < 0 || index >= scores.num_elements()) {
      return Status(
          Code::kInvalidArgument,
          fmt::format("'{}' line {}: class {} is not one of the network's {} classes, which start at {}; see --offset",
                      options.labels, image.line, image.label, scores.num_elements(), options.offset));
    }
    result[image.file] = index;
    const auto [by_name, is_new] = result.emplace(file_name(image.file), index);
    if (!is_new && by_name->second != index) by_name->second = kAmbiguous;
  }
  const std::string remark = tools::remark_on_background(scores.num_elements(), options.offset, largest);
  if (!remark.empty()) log(LogLevel::kWarning, remark);
  return result;
}

Status Evaluator::read_samples(const EvaluationOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const auto samples, CalibrationSamples::open(options.samples, f32_->session->plan()));
  NESTRT_ASSIGN_OR_RETURN(const Classes classes, read_classes(options));
  uint64_t input_bytes = 0, output_bytes = 0;
  for (const TensorInfo& input : f32_->session->inputs()) input_bytes += input.size_bytes();
  for (const TensorInfo& output : f32_->session->outputs()) output_bytes += output.size_bytes();
  const size_t most = kMaxKeptBytes / std::max<uint64_t>({input_bytes, output_bytes, 1});
  const size_t num_samples = options.fewer_if_large ? std::min(samples.size(), most) : samples.size();
  NESTRT_RETURN_IF_ERROR(check_size(input_bytes, std::max<size_t>(num_samples, 1), "samples"));
  NESTRT_RETURN_IF_ERROR(check_size(output_bytes, std::max<size_t>(num_samples, 1), "outputs"));
  for (size_t i = 0; i < num_samples; ++i) {
    auto sample = samples.read(i);
    if (!sample && !options.samples.skip_unreadable)
      return sample.error().with_context("--skip-unreadable skips unreadable images");
    if (!sample) {
      skipped_.emplace_back(sample.error().message());
      continue;
    }
    inputs_.push_back(std::move(*sample));
    if (options.labels.empty()) continue;
    const std::optional<int64_t> known = find_class(classes, options.samples.images, samples.name(i));
    if (!known)
      return Status(Code::kInvalidArgument, fmt::format("'{}' has no class for '{}'", options.labels, samples.name(i)));
    classes_.push_back(*known);
  }
  if (!inputs_.empty()) return {};
  return Status(Code::kInvalidArgument, fmt::format("none of the {} samples could be read{}", num_samples,
                                                    skipped_.empty() ? "" : "; the first error: " + skipped_.front()));
}

void Evaluator::drop_samples(size_t count) {
  const auto end = static_cast<ptrdiff_t>(count);
  inputs_.erase(inputs_.begin(), inputs_.begin() + end);
  answers_.erase(answers_.begin(), answers_.begin() + end);
  if (!classes_.empty()) classes_.erase(classes_.begin(), classes_.begin() + end);
}

std::string Evaluator::data_digest() const {
  std::string parts = digest(f32_->bytes.span());
  for (const auto& sample : inputs_)
    for (const tools::Array& input : sample) parts += digest(input.bytes);
  for (const int64_t index : classes_) parts += fmt::format(" {}", index);
  return digest(std::as_bytes(std::span(parts)));
}

Result<const Evaluator::Outputs*> Evaluator::in_f32(size_t sample) {
  if (answers_[sample].empty()) {
    NESTRT_ASSIGN_OR_RETURN(answers_[sample], run_session(*f32_->session, inputs_[sample]));
  }
  return &answers_[sample];
}

Status Evaluator::count(size_t sample, const Outputs& actual, const Outputs& expected, Score& score) const {
  ++score.samples;
  if (tools::class_rows(f32_->session->plan(), 0) == 0) return {};
  NESTRT_ASSIGN_OR_RETURN(const Difference scores, compare(actual[0].view(), expected[0].view()));
  score.rows += static_cast<uint64_t>(scores.rows);
  score.agreeing += static_cast<uint64_t>(scores.rows_agreeing);
  if (classes_.empty()) return {};
  score.right = score.right.value_or(0) + (scores.actual_top == classes_[sample]);
  score.right_in_f32 = score.right_in_f32.value_or(0) + (scores.expected_top == classes_[sample]);
  return {};
}

Status Evaluator::require_better_than_guessing(const Score& score) const {
  if (!score.right_in_f32) return {};
  const int64_t classes = f32_->session->outputs()[0].shape.num_elements();
  const std::string remark = tools::remark_on_guessing(*score.right_in_f32, score.samples, classes);
  return remark.empty() ? Status() : Status(Code::kInvalidArgument, "the network in f32: " + remark);
}

Result<Evaluator::Network> Evaluator::quantized(const Quantization& quantization) {
  CompileOptions options = compile_;
  options.quantization = quantization;
  NESTRT_ASSIGN_OR_RETURN(PlanBytes bytes, compile_quantizable(graph_.clone(), options));
  return Network::load(std::move(bytes), threads_);
}

Status Evaluator::for_each_sample(
    const Network& network, size_t count,
    FunctionRef<Status(size_t sample, const Outputs& actual, const Outputs& expected)> visit) {
  for (size_t i = 0; i < count; ++i) {
    const size_t sample = i * inputs_.size() / count;
    NESTRT_ASSIGN_OR_RETURN(const Outputs* expected, in_f32(sample));
    NESTRT_ASSIGN_OR_RETURN(const Outputs actual, run_session(*network.session, inputs_[sample]));
    NESTRT_RETURN_IF_ERROR(visit(sample, actual, *expected));
  }
  return {};
}

Result<Score> Evaluator::evaluate(const Quantization& quantization, size_t num_samples) {
  NESTRT_ASSIGN_OR_RETURN(const Network network, quantized(quantization));
  Score score;
  score.plan_bytes = network.bytes.span().size();
  score.f32_share = f32_share_of(network.session->plan());
  SignalToNoise ratio;
  const auto add = [&](size_t sample, const Outputs& actual, const Outputs& expected) -> Status {
    for (size_t output = 0; output < actual.size(); ++output)
      if (actual[output].type == DataType::kF32) ratio.add(floats_of(actual[output]), floats_of(expected[output]));
    return this->count(sample, actual, expected, score);
  };
  NESTRT_RETURN_IF_ERROR(for_each_sample(network, num_samples, add));
  score.decibel = ratio.decibel();
  return score;
}

Result<std::vector<OutputNoise>> Evaluator::output_noise(const Quantization& quantization, size_t num_samples) {
  NESTRT_ASSIGN_OR_RETURN(const Network network, quantized(quantization));
  const std::span<const TensorInfo> outputs = network.session->outputs();
  std::vector<SignalToNoise> ratios(outputs.size());
  const auto add = [&](size_t, const Outputs& actual, const Outputs& expected) -> Status {
    for (size_t i = 0; i < ratios.size(); ++i)
      if (actual[i].type == DataType::kF32) ratios[i].add(floats_of(actual[i]), floats_of(expected[i]));
    return {};
  };
  NESTRT_RETURN_IF_ERROR(for_each_sample(network, num_samples, add));
  std::vector<OutputNoise> result;
  for (size_t i = 0; i < ratios.size(); ++i)
    if (outputs[i].type == DataType::kF32) result.push_back({outputs[i].name, ratios[i].decibel()});
  return result;
}

}  // namespace nestrt::compiler
