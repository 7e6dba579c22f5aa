// SPDX-License-Identifier: Apache-2.0
// Calibration: runs a model in f32 on sample inputs and observes every value of its graph.
#pragma once

#include <functional>
#include <optional>
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
  int threads = 0;  // 0: one per core
  // Called before the first sample and after each; may be empty.
  std::function<void(size_t done, size_t total)> progress;
};

// A profile calibrated without some samples; those samples then measure the quantization noise.
struct HeldOut {
  QuantizationProfile profile;
  SampleRange omitted;  // samples that were not used to calibrate `profile`
};

struct Calibration {
  QuantizationProfile profile;
  std::vector<std::string> skipped;  // one reason per skipped image; empty unless options.samples.skip_unreadable
  std::optional<HeldOut> held_out;   // see hold_out()
};

// Samples per part. merge() combines the parts in order, so a fixed size gives byte-identical profiles on all machines.
inline constexpr size_t kSamplesOfPart = 16;

// Observes the samples in options.samples as one part. The result has no exponents. Errors: those of calibrate(),
// except that a part without readable samples is not an error.
Result<Calibration> observe_part(const std::string& model, const CalibrationOptions& options);

// Merges all parts and chooses exponents. Errors: kInvalidArgument if the parts contain no sample or belong to
// different networks.
Result<QuantizationProfile> merge(std::span<const QuantizationProfile> parts, CalibrationMethod method,
                                  double percentile);

// Of the parts that contain samples, omits the middle one and merges the rest. Returns nullopt if fewer than two parts
// contain samples. Requires: consecutive parts of kSamplesOfPart samples each; the parts can be merged.
std::optional<HeldOut> hold_out(std::span<const QuantizationProfile> parts, CalibrationMethod method,
                                double percentile);

// Observes the f32 values of the graph, including inputs and outputs, after optimise() without fuse-residual and
// fuse-activation. Values that fusion would hide are observed too, so one profile fits the network with and without
// fusion. Memory: all tensors of the plan without reuse, and a histogram per tensor.
// Errors: those of compiling, reading samples and running; kInvalidArgument if a value is NaN or infinite (names the
// value and sample) or if no sample could be read.
Result<Calibration> calibrate(const std::string& model, const CalibrationOptions& options);

}  // namespace nestrt::compiler
