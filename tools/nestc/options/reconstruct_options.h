// SPDX-License-Identifier: Apache-2.0
// Command-line options for the reconstruction of quantized layers.
#pragma once

#include <optional>

#include "compiler-lite/tuning/reconstruct.h"
#include "tools/nestc/options/noise_options.h"

namespace nestrt::compiler {

class ReconstructFlags {
 public:
  // The object must outlive parsing. Call after QuantizeFlags::add_to().
  void add_to(tools::Command command);
  // Checks the options; call before calibration. Errors: kInvalidArgument without samples.
  Status check(const QuantizeFlags& quantize) const;
  // If requested, reconstructs the layers with a progress bar, and adds the constants to the quantization unless they
  // increase the noise on samples that were not used. Prints the ratios. Errors: those of reconstruct() and
  // bound_noise().
  Status apply(const std::string& model, CompileOptions& compile, const QuantizeFlags& quantize,
               const NoiseSource& source) const;

 private:
  bool wanted_ = false;
  uint64_t seed_ = 0;
};

}  // namespace nestrt::compiler
