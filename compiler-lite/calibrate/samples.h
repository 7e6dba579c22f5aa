// CalibrationSamples: the inputs that a network is calibrated with, one sample after the other, read when they are
// needed.
//
// Of a network with several inputs the samples lie in a folder that has for each input a folder under its name
// (characters other than letters, digits, '.', '_' and '-' as '_'). Files of one sample have the same name but for the
// extension.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler-lite/calibrate/input_samples.h"

namespace nestrt::compiler {

class CalibrationSamples {
 public:
  // `preprocessing`: by input, null where none is stated.
  // Errors: those of InputSamples::open(); kInvalidArgument where there is no input, where an input has no folder
  // of samples, or not those of the others; kUnsupported where there are several and one .npy file.
  static Result<CalibrationSamples> open(const SampleOptions& options, std::span<const TensorInfo> inputs,
                                         std::span<const Preprocessing* const> preprocessing);
  static Result<CalibrationSamples> open(const SampleOptions& options, const Plan& plan);

  // Those chosen.
  size_t size() const { return inputs_.front().size(); }
  // For messages: where the first input's comes from.
  std::string name(size_t index) const { return inputs_.front().name(index); }
  // An array for each input, in order. Requires: index < size(). Errors: those of InputSamples::read().
  Result<std::vector<tools::Array>> read(size_t index) const;
  // What images among those chosen go through; null where there are none.
  const Preprocessing* preprocessing() const;

 private:
  Status open_each(const SampleOptions& options, std::span<const TensorInfo> inputs,
                   std::span<const Preprocessing* const> preprocessing);
  Status check_same_samples() const;

  std::vector<InputSamples> inputs_;
};

}  // namespace nestrt::compiler
