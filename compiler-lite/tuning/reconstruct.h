// SPDX-License-Identifier: Apache-2.0
// Reconstruction: chooses the integer weights and the biases of a quantized network layer by layer, in the order of
// computation, so that each layer's outputs over sample inputs match f32 despite the errors of earlier layers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "compiler-lite/calibrate/samples.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/tuning/noise.h"

namespace nestrt::compiler {

struct ReconstructionOptions {
  SampleOptions samples;
  std::optional<SampleRange> omitted;  // samples that must not be used because the result is measured on them
  bool omits_last = false;             // also omits the samples after num_calibrating()
  size_t num_samples = 96;             // at most, spread evenly; too few do not determine the biases
  size_t num_positions = 64;           // at most, per sample and layer
  uint64_t seed = 0;                   // chooses the positions
  // Called before the first layer and after each; may be empty.
  std::function<void(size_t done, size_t total)> progress;
};

// Returns weights and biases for QuantizeOptions::constants of `compile.quantization`. Each weight is the multiple of
// its step directly above or below the f32 weight. Skips layers whose patches are longer than 6144 elements, and those
// that share a name. Deterministic. Memory: all tensors of the network twice, and up to about 1 GB for the patches of a
// layer.
// Errors: those of compiling, reading samples and running. Requires: compile.quantization.
Result<ReplacedConstants> reconstruct(const std::string& model, const CompileOptions& compile,
                                      const ReconstructionOptions& options);

// The lowest signal-to-noise ratio over the outputs, before and after, on samples that the reconstruction did not use.
struct ReconstructionGain {
  size_t num_layers = 0;
  double before = 0, after = 0;

  bool is_used() const { return after > before; }
};

// Reconstructs from some of the samples, measures the noise on the rest, and adds the constants to
// `compile.quantization` if they reduce it. Errors: those of reconstruct() and bound_noise(). Requires: options.samples
// are those of the calibration.
Result<ReconstructionGain> reconstruct_if_better(const std::string& model, CompileOptions& compile,
                                                 const NoiseSource& source, ReconstructionOptions options);

}  // namespace nestrt::compiler
