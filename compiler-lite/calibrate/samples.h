// SPDX-License-Identifier: Apache-2.0
// CalibrationSamples: the sample inputs for calibrating a network, read on demand.
//
// For a network with several inputs, the sample folder contains one folder per input, named after it (characters other
// than letters, digits, '.', '_' and '-' become '_'). Files that belong to the same sample share a name apart from the
// extension.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler-lite/calibrate/input_samples.h"

namespace nestrt::compiler {

class CalibrationSamples {
 public:
  // `preprocessing`: by input; null for an input without preprocessing.
  // Errors: those of InputSamples::open(); kInvalidArgument if the network has no input, if an input has no sample
  // folder, or if the folders contain different samples; kUnsupported for one .npy file and several inputs.
  static Result<CalibrationSamples> open(const SampleOptions& options, std::span<const TensorInfo> inputs,
                                         std::span<const Preprocessing* const> preprocessing);
  static Result<CalibrationSamples> open(const SampleOptions& options, const Plan& plan);

  // Returns the number of selected samples.
  size_t size() const { return inputs_.front().size(); }
  // Returns the source of the first input, for messages.
  std::string name(size_t index) const { return inputs_.front().name(index); }
  // Returns an array for each input, in order. Requires: index < size(). Errors: those of InputSamples::read().
  Result<std::vector<tools::Array>> read(size_t index) const;
  // Returns the preprocessing of the selected images, or null if no image is selected.
  const Preprocessing* preprocessing() const;

 private:
  Status open_each(const SampleOptions& options, std::span<const TensorInfo> inputs,
                   std::span<const Preprocessing* const> preprocessing);
  Status check_same_samples() const;

  std::vector<InputSamples> inputs_;
};

}  // namespace nestrt::compiler
