// Calibration: runs a model in f32 over sample inputs and observes every value of its graph.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compiler-lite/calibrate/methods.h"
#include "compiler-lite/calibrate/samples.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/quantize/profile.h"

namespace nestrt::compiler {

struct CalibrationOptions {
  CompileOptions compile;
  SampleOptions samples;
  CalibrationMethod method = CalibrationMethod::kMse;
  double percentile = kDefaultPercentile;
  int threads = 0;  // 0: as many as there are cores
  // Called before the first sample and after each; may be empty.
  std::function<void(size_t done, size_t total)> progress;
};

struct Calibration {
  QuantizationProfile profile;
  std::vector<std::string> skipped;  // why, by image; empty unless options.samples.skip_unreadable
};

// What samples of a part have shown is put together by merge(), in their order: parts of so many give the same profile
// to the byte wherever they were observed.
inline constexpr size_t kSamplesOfPart = 16;

// Observes samples of a part, those of options.samples: values without exponents, and the samples that could be read.
// Errors: those of calibrate(), but that no sample could be read is none.
Result<Calibration> observe_part(const std::string& model, const CalibrationOptions& options);

// The profile of all parts, with exponents. Errors: kInvalidArgument where there is no sample in them, or they are of
// different networks.
Result<QuantizationProfile> merge(std::span<const QuantizationProfile> parts, CalibrationMethod method,
                                  double percentile);

// Observes the f32 values, inputs and outputs included, of the graph as optimise() leaves it with fuse-residual and
// fuse-activation switched off: values that fusion would hide are observed too, so that one profile serves the network
// however it is fused. Memory: the plan's tensors side by side, and a histogram for each.
// Errors: those of compiling, of the samples, and of running; kInvalidArgument naming value and sample where a value is
// NaN or infinite, and where no sample could be read.
Result<Calibration> calibrate(const std::string& model, const CalibrationOptions& options);

}  // namespace nestrt::compiler
