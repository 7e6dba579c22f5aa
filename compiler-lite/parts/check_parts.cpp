// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/check_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "compiler-lite/check/input_files.h"
#include "compiler-lite/import/import_model.h"
#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {
namespace {

// The inputs of each run: those of the parts, and those that were bound when the model was divided.
class PartRuns {
 public:
  PartRuns(const CheckPartsOptions& options, const Manifest& manifest) : options_(options), manifest_(manifest) {}

  Status gather() {
    if (!options_.inputs.empty()) NESTRT_RETURN_IF_ERROR(add_files());
    if (!options_.samples.images.empty() || !options_.samples.npy.empty()) NESTRT_RETURN_IF_ERROR(add_samples());
    const Preprocessing* preprocessing = options_.preprocessing ? &*options_.preprocessing : nullptr;
    for (int i = 0; i < options_.random_runs; ++i) {
      const uint64_t seed = options_.seed + static_cast<uint64_t>(i);
      add(random_inputs(inputs_of(manifest_), preprocessing, seed), fmt::format("random {}", seed));
    }
    if (runs.empty()) return Status(Code::kInvalidArgument, "nothing to run; specify inputs or --random of at least 1");
    return {};
  }

  std::vector<NamedArrays> runs;
  std::vector<std::string> names;

 private:
  void add(std::vector<tools::Array> arrays, std::string name) {
    NamedArrays& run = runs.emplace_back(bound_);
    for (size_t i = 0; i < arrays.size(); ++i) run[manifest_.inputs[i].name] = std::move(arrays[i]);
    names.push_back(std::move(name));
  }

  Status add_files() {
    const std::vector<TensorInfo> inputs = inputs_of(manifest_);
    NESTRT_ASSIGN_OR_RETURN(bound_, bound_arrays(options_.inputs, inputs));
    if (are_all_bound(options_.model, options_.inputs, inputs)) return {};
    NESTRT_ASSIGN_OR_RETURN(std::vector<tools::Array> arrays, input_arrays(options_.inputs, inputs));
    add(std::move(arrays), "files");
    return {};
  }

  Status add_samples() {
    const std::vector<TensorInfo> inputs = inputs_of(manifest_);
    const std::vector<const Preprocessing*> preprocessing(inputs.size(),
                                                          options_.preprocessing ? &*options_.preprocessing : nullptr);
    NESTRT_ASSIGN_OR_RETURN(const CalibrationSamples samples,
                            CalibrationSamples::open(options_.samples, inputs, preprocessing));
    for (size_t i = 0; i < samples.size(); ++i) {
      NESTRT_ASSIGN_OR_RETURN(std::vector<tools::Array> arrays, samples.read(i));
      add(std::move(arrays), samples.name(i));
    }
    return {};
  }

  const CheckPartsOptions& options_;
  const Manifest& manifest_;
  NamedArrays bound_;
};

Status require_same_model(const std::string& model, const Manifest& manifest) {
  if (is_tflite(model))
    return Status(
        Code::kUnsupported,
        fmt::format("{} is a TensorFlow Lite model, which ONNX Runtime cannot compare with its parts; write it "
                    "as ONNX with nestc export, compare that with nestc check, and partition it",
                    model));
  NESTRT_ASSIGN_OR_RETURN(const std::string digest, model_digest(model));
  if (digest == manifest.model_digest) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("the parts do not belong to {}, or the model has changed; partition it again", model));
}

ModelChain files_of(const Manifest& manifest, const std::filesystem::path& folder) {
  ModelChain chain;
  for (const ManifestPart& part : manifest.parts) chain.push_back((folder / part.file).string());
  return chain;
}

Status compare_runs(const CheckPartsOptions& options, const std::vector<NamedArrays>& expected,
                    const std::vector<NamedArrays>& actual, const Manifest& manifest, CheckPartsReport& report) {
  for (size_t run = 0; run < expected.size(); ++run) {
    for (const Border& output : manifest.outputs) {
      const auto difference = compare(actual[run].at(output.name).view(), expected[run].at(output.name).view());
      if (!difference) return difference.error().with_context(fmt::format("output {}", output.name));
      const bool matches = parts_match(*difference, options.tolerance);
      report.matches = report.matches && matches;
      report.outputs.push_back(
          {.run = run, .name = output.name, .difference = *difference, .rows = {}, .matches = matches});
    }
  }
  return {};
}

}  // namespace

std::vector<TensorInfo> inputs_of(const Manifest& manifest) {
  std::vector<TensorInfo> inputs;
  for (const Border& border : manifest.inputs) inputs.push_back({border.name, border.type, border.shape});
  return inputs;
}

// Returns true if the difference is within the tolerance. The error of ONNX Runtime's functions is about 1e-7 of the
// largest value in their range (such as 1 for Sigmoid), not of the largest actual value.
bool parts_match(const Difference& difference, double tolerance) {
  return difference.max_absolute <= tolerance * std::max(1.0, difference.largest);
}

Result<CheckPartsReport> check_parts(const CheckPartsOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const Manifest manifest, read_manifest(options.manifest));
  NESTRT_RETURN_IF_ERROR(require_same_model(options.model, manifest));
  PartRuns inputs(options, manifest);
  NESTRT_RETURN_IF_ERROR(inputs.gather());
  ModelChainsRequest request{options.python, {{options.model}}, std::move(inputs.runs), {}};
  if (request.python.empty()) {
    NESTRT_ASSIGN_OR_RETURN(request.python, onnx_runtime_python());
  }
  request.chains.push_back(files_of(manifest, std::filesystem::path(options.manifest).parent_path()));
  for (const Border& output : manifest.outputs) request.results.push_back(output.name);
  NESTRT_ASSIGN_OR_RETURN(const auto results, run_onnx_runtime(request));
  CheckPartsReport report;
  report.runs = std::move(inputs.names);
  if (results.size() != 2 || results[0].size() != report.runs.size() || results[1].size() != report.runs.size())
    return Status(Code::kInternal, "ONNX Runtime returned a different number of runs");
  NESTRT_RETURN_IF_ERROR(compare_runs(options, results[0], results[1], manifest, report));
  return report;
}

}  // namespace nestrt::compiler
