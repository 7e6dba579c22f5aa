// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/calibrate/samples.h"

#include <fmt/core.h>

#include <filesystem>

#include "tools/support/report/tensor_files.h"

namespace nestrt::compiler {
namespace {

namespace fs = std::filesystem;

// Returns the sample that a file belongs to: its name without extension.
std::string sample_of(const std::string& path) { return fs::path(path).stem().string(); }

Status no_folder(const SampleOptions& options, std::span<const TensorInfo> inputs, const std::string& expected) {
  std::string names;
  for (const std::string& name : tools::file_names(inputs, "")) names += (names.empty() ? "" : ", ") + name;
  return Status(Code::kInvalidArgument, fmt::format("samples '{}': the network has {} inputs, but the folder '{}' does "
                                                    "not exist; expected one folder of samples per input: {}",
                                                    options.images, inputs.size(), expected, names));
}

}  // namespace

Result<CalibrationSamples> CalibrationSamples::open(const SampleOptions& options, std::span<const TensorInfo> inputs,
                                                    std::span<const Preprocessing* const> preprocessing) {
  CalibrationSamples samples;
  if (inputs.empty()) return Status(Code::kInvalidArgument, "the network has no inputs to calibrate");
  NESTRT_RETURN_IF_ERROR(check_one_source(options));
  if (inputs.size() == 1) {
    NESTRT_ASSIGN_OR_RETURN(samples.inputs_.emplace_back(),
                            InputSamples::open(options, inputs.front(), preprocessing.front()));
    return samples;
  }
  if (options.images.empty())
    return Status(Code::kUnsupported, fmt::format("samples '{}': the network has {} inputs; expected a folder with one "
                                                  "folder of samples per input, named after it",
                                                  options.npy, inputs.size()));
  NESTRT_RETURN_IF_ERROR(samples.open_each(options, inputs, preprocessing));
  NESTRT_RETURN_IF_ERROR(samples.check_same_samples());
  return samples;
}

Result<CalibrationSamples> CalibrationSamples::open(const SampleOptions& options, const Plan& plan) {
  std::vector<const Preprocessing*> preprocessing;
  for (size_t i = 0; i < plan.inputs().size(); ++i) preprocessing.push_back(plan.preprocessing(i));
  return open(options, plan.inputs(), preprocessing);
}

Status CalibrationSamples::open_each(const SampleOptions& options, std::span<const TensorInfo> inputs,
                                     std::span<const Preprocessing* const> preprocessing) {
  const std::vector<std::string> names = tools::file_names(inputs, "");
  for (size_t i = 0; i < inputs.size(); ++i) {
    SampleOptions own = options;
    own.images = (fs::path(options.images) / names[i]).string();
    std::error_code error;
    if (!fs::is_directory(own.images, error)) return no_folder(options, inputs, names[i]);
    NESTRT_ASSIGN_OR_RETURN(inputs_.emplace_back(), InputSamples::open(own, inputs[i], preprocessing[i]));
  }
  return {};
}

Status CalibrationSamples::check_same_samples() const {
  const InputSamples& first = inputs_.front();
  for (const InputSamples& other : inputs_) {
    if (other.available() != first.available())
      return Status(Code::kInvalidArgument,
                    fmt::format("{} files in the folder of '{}', but {} in the folder of '{}'; expected one per sample",
                                first.available(), first.name(0), other.available(), other.name(0)));
    for (size_t sample = 0; sample < size(); ++sample)
      if (sample_of(first.name(sample)) != sample_of(other.name(sample)))
        return Status(Code::kInvalidArgument,
                      fmt::format("'{}' and '{}' would form one sample; expected files of the same name for each input",
                                  first.name(sample), other.name(sample)));
  }
  return {};
}

Result<std::vector<tools::Array>> CalibrationSamples::read(size_t index) const {
  std::vector<tools::Array> arrays;
  for (const InputSamples& input : inputs_) {
    NESTRT_ASSIGN_OR_RETURN(arrays.emplace_back(), input.read(index));
  }
  return arrays;
}

const Preprocessing* CalibrationSamples::preprocessing() const {
  for (const InputSamples& input : inputs_)
    if (input.preprocessing() != nullptr) return input.preprocessing();
  return nullptr;
}

}  // namespace nestrt::compiler
