// SPDX-License-Identifier: Apache-2.0
// Noise of a quantization at the outputs of a network, and a bound on it: operators stay in f32 until every output has
// a minimum signal-to-noise ratio.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/calibrate/calibrate.h"
#include "compiler-lite/tuning/evaluator.h"

namespace nestrt::compiler {

// Below this ratio, results usually differ visibly from f32.
inline constexpr double kLowDecibel = 20;

// The samples on which the noise is measured.
struct NoiseSource {
  SampleOptions samples;
  bool have_calibrated = false;  // the samples were also used for calibration
  // Used if have_calibrated is true: a calibration that omits some of the samples. If empty, a new calibration uses the
  // first three quarters of the samples, and the noise is measured on the rest.
  std::optional<HeldOut> held_out;
};

// Returns how many of the first samples are used for calibration if the rest measure the noise; see
// NoiseSource::held_out.
inline size_t num_calibrating(size_t num_samples) { return num_samples - (num_samples + 3) / 4; }

struct NoiseOptions {
  size_t samples = 16;                     // at most
  std::optional<double> min_decibel = {};  // bound for the outputs; empty only estimates
  bool ranks = true;                       // name the noisy operators; used without a bound
  // Called before and after each step with a description; may be empty.
  std::function<void(std::string_view what, size_t done, size_t total)> progress = {};
};

// A Conv or Dense, and the lowest signal-to-noise ratio over the outputs if only this operator is s8.
struct NoisyLayer {
  std::string name;
  double decibel = 0;
};

struct NoiseReport {
  size_t samples = 0;
  bool have_calibrated = false;      // the only sample was also used for calibration
  std::vector<OutputNoise> outputs;  // noise of the quantization with `kept`
  // If an output is below kLowDecibel: the s8 operators to keep in f32 so that the noise of the rest should meet that
  // limit, noisiest first.
  std::vector<NoisyLayer> noisy;
  std::vector<std::string> kept;  // operators that the bound requires in f32, in addition to those of the options
  bool met = true;                // every output has the minimum ratio

  // Returns the output with the lowest ratio, or null without f32 outputs.
  const OutputNoise* worst() const;
};

// Measures `quantization`, which belongs to the evaluator's model. Errors: those of Evaluator::output_noise().
Result<NoiseReport> bound_noise(Evaluator& evaluator, const Quantization& quantization, const NoiseOptions& options);

// Measures `compile.quantization` of a model on samples that did not choose its exponents. Deterministic. Errors: those
// of Evaluator::create(), output_noise() and observe_part(). Requires: compile.quantization.
Result<NoiseReport> bound_noise(const std::string& model, const CompileOptions& compile, const NoiseSource& source,
                                const NoiseOptions& options);

// Returns a description of the ratios, such as "signal-to-noise against f32 over 16 samples not used for
// calibration: 31.2 dB"; empty without f32 outputs.
std::string describe(const NoiseReport& report);

// Returns a warning if an output is below kLowDecibel, or an empty string. The warning names the operators to keep in
// f32 and the options for this in the caller's syntax, such as "--keep-f32 {}" with "," between names, and "--min-snr
// 20".
std::string warning_about(const NoiseReport& report, std::string_view keep, std::string_view separator,
                          std::string_view bound);

}  // namespace nestrt::compiler
