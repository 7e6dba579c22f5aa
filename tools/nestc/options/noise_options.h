// SPDX-License-Identifier: Apache-2.0
// Command-line options for the noise of a quantization: an estimate, and a bound on it.
#pragma once

#include <optional>
#include <string>

#include "compiler-lite/tuning/noise.h"
#include "tools/nestc/options/quantize_options.h"
#include "tools/support/text/json.h"

namespace nestrt::compiler {

class NoiseFlags {
 public:
  // The object must outlive parsing. Call after QuantizeFlags::add_to().
  void add_to(tools::Command command);
  // Checks the options; call before calibration. Errors: kInvalidArgument if a bound has no samples to measure on.
  Status check(const QuantizeFlags& quantize) const;
  // Errors: if `output` is the file that these options read.
  Status check_output(const std::string& output) const;

  // Returns the samples that measure the noise.
  NoiseSource source(const QuantizeFlags& quantize, std::optional<HeldOut> held_out) const;

  // Measures `compile.quantization`, prints the result, and warns on standard error. Adds the operators that a bound
  // requires in f32 to the options. If there are no samples, prints a note and returns nullopt. Errors: those of
  // bound_noise().
  Result<std::optional<NoiseReport>> estimate(const std::string& model, CompileOptions& compile,
                                              const QuantizeFlags& quantize, const NoiseSource& source) const;

 private:
  std::optional<double> min_decibel_;
  std::string samples_path_;  // empty: the calibration data
};

tools::Json to_json(const NoiseReport& report);

}  // namespace nestrt::compiler
