// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/calibrate/calibrate.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "compiler-lite/calibrate/observed_values.h"
#include "compiler-lite/calibrate/observer.h"
#include "compiler-lite/check/plan_trace.h"

namespace nestrt::compiler {
namespace {

struct ObservedTensor {
  uint32_t tensor = 0;  // index in the plan
  ValueObserver observer;
  std::vector<ChannelStatistics> channels;  // empty for tensors without channels

  ValueProfile profile() const {
    ValueProfile result = observer.profile();
    if (result.elements == 0) return result;
    const double elements = static_cast<double>(result.elements) / static_cast<double>(channels.size());
    for (const ChannelStatistics& channel : channels) {
      result.means.push_back(static_cast<float>(channel.sum / elements));
      result.peaks.push_back(channel.peak);
    }
    return result;
  }
};

CompileOptions without_fusion(CompileOptions options) {
  options.passes.disabled.insert({"fuse-residual", "fuse-activation"});
  return options;
}

// Returns the options for a plan that runs on the compiling machine.
CompileOptions on_host(CompileOptions options) {
  options.backends.clear();
  return options;
}

std::unordered_map<std::string, uint32_t> tensors_by_name(const Plan& plan) {
  std::unordered_map<std::string, uint32_t> result;
  const auto& tensors = plan.tables().tensors;
  for (uint32_t index = 0; index < tensors.size(); ++index) result.try_emplace(tensors[index].name, index);
  return result;
}

// Returns zeroed statistics, one entry per channel of the tensor.
std::vector<ChannelStatistics> channels_of(const Plan& plan, uint32_t tensor) {
  const Shape& shape = plan.tables().tensors[tensor].shape;
  return std::vector<ChannelStatistics>(shape.rank() < 2 ? 0 : static_cast<size_t>(shape[1]));
}

// A plan and its observed tensors. Tensors added by layout changes (Reorders, ...) are not part of the network and are
// not observed.
class Calibrator {
 public:
  static Result<Calibrator> create(const std::string& model, const CompileOptions& options, int threads);

  const Plan& plan() const { return *plan_; }
  Status observe(const std::vector<tools::Array>& inputs);
  // Returns the statistics since the last call.
  std::vector<ValueProfile> take();

 private:
  Calibrator(PlanBytes bytes, std::shared_ptr<const Plan> plan, PlanTrace trace)
      : bytes_(std::move(bytes)), plan_(std::move(plan)), trace_(std::move(trace)) {}

  PlanBytes bytes_;  // memory of the plan
  std::shared_ptr<const Plan> plan_;
  PlanTrace trace_;
  std::vector<ObservedTensor> observed_;
};

Result<Calibrator> Calibrator::create(const std::string& model, const CompileOptions& options, int threads) {
  NESTRT_ASSIGN_OR_RETURN(Graph graph, optimised_graph(model, options));
  const std::vector<std::string> names = observed_values(graph);
  NESTRT_ASSIGN_OR_RETURN(PlanBytes bytes, compile_graph(std::move(graph), on_host(options)));
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, Plan::from_memory(bytes.span()));
  NESTRT_ASSIGN_OR_RETURN(PlanTrace trace, PlanTrace::create(plan, threads));
  Calibrator result(std::move(bytes), plan, std::move(trace));
  auto tensors = tensors_by_name(*plan);
  for (const std::string& value : names) {
    // extract() ensures that each name is observed only once.
    const auto found = tensors.extract(value);
    if (found) result.observed_.push_back({found.mapped(), ValueObserver(value), channels_of(*plan, found.mapped())});
  }
  return result;
}

Status Calibrator::observe(const std::vector<tools::Array>& inputs) {
  NESTRT_RETURN_IF_ERROR(trace_.run(inputs));
  for (ObservedTensor& observed : observed_) {
    NESTRT_RETURN_IF_ERROR(trace_.visit(
        observed.tensor, [&](std::span<const float> elements) { return observed.observer.observe(elements); }));
    if (!observed.channels.empty()) trace_.add_channels(observed.tensor, observed.channels);
  }
  return {};
}

std::vector<ValueProfile> Calibrator::take() {
  std::vector<ValueProfile> result;
  for (ObservedTensor& observed : observed_) {
    result.push_back(observed.profile());
    observed.observer = ValueObserver(result.back().name);
    observed.channels.assign(observed.channels.size(), {});
  }
  return result;
}

// Observes samples [begin, end). An unreadable sample is an error, or is recorded in `skipped`.
Result<QuantizationProfile> observe_part(Calibrator& calibrator, const CalibrationSamples& samples, size_t begin,
                                         size_t end, const CalibrationOptions& options,
                                         std::vector<std::string>& skipped) {
  QuantizationProfile part;
  for (size_t i = begin; i < end; ++i) {
    if (options.progress) options.progress(i, samples.size());
    const auto sample = samples.read(i);
    if (!sample && !options.samples.skip_unreadable)
      return sample.error().with_context("calibration (--skip-unreadable skips unreadable images)");
    if (!sample) {
      skipped.emplace_back(sample.error().message());
      continue;
    }
    if (Status status = calibrator.observe(*sample); !status.ok()) return status.with_context(samples.name(i));
    ++part.samples;
  }
  if (const Preprocessing* const stated = samples.preprocessing(); stated != nullptr) part.preprocessing = *stated;
  part.values = calibrator.take();
  return part;
}

}  // namespace

Result<Calibration> observe_part(const std::string& model, const CalibrationOptions& options) {
  Calibration result;
  NESTRT_ASSIGN_OR_RETURN(const std::string digest, model_digest(model, options.compile.import.bindings));
  NESTRT_ASSIGN_OR_RETURN(Calibrator calibrator,
                          Calibrator::create(model, without_fusion(options.compile), options.threads));
  NESTRT_ASSIGN_OR_RETURN(const auto samples, CalibrationSamples::open(options.samples, calibrator.plan()));
  NESTRT_ASSIGN_OR_RETURN(result.profile,
                          observe_part(calibrator, samples, 0, samples.size(), options, result.skipped));
  result.profile.model_digest = digest;
  return result;
}

Result<Calibration> calibrate(const std::string& model, const CalibrationOptions& options) {
  Calibration result;
  NESTRT_ASSIGN_OR_RETURN(const std::string digest, model_digest(model, options.compile.import.bindings));
  NESTRT_ASSIGN_OR_RETURN(Calibrator calibrator,
                          Calibrator::create(model, without_fusion(options.compile), options.threads));
  NESTRT_ASSIGN_OR_RETURN(const auto samples, CalibrationSamples::open(options.samples, calibrator.plan()));
  std::vector<QuantizationProfile> parts;
  for (size_t begin = 0; begin < samples.size(); begin += kSamplesOfPart) {
    const size_t end = std::min(begin + kSamplesOfPart, samples.size());
    NESTRT_ASSIGN_OR_RETURN(parts.emplace_back(),
                            observe_part(calibrator, samples, begin, end, options, result.skipped));
    parts.back().model_digest = digest;
  }
  if (options.progress) options.progress(samples.size(), samples.size());
  if (result.skipped.size() == samples.size()) {
    return Status(Code::kInvalidArgument,
                  fmt::format("none of the {} calibration samples could be read; the first error: {}", samples.size(),
                              result.skipped.front()));
  }
  NESTRT_ASSIGN_OR_RETURN(result.profile, merge(parts, options.method, options.percentile));
  result.held_out = hold_out(parts, options.method, options.percentile);
  return result;
}

}  // namespace nestrt::compiler
