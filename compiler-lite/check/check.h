// SPDX-License-Identifier: Apache-2.0
// The checker compares a plan with ONNX Runtime, or with LiteRT for TensorFlow Lite models, on the same inputs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler-lite/check/compare.h"
#include "compiler-lite/check/onnx_runtime.h"
#include "compiler-lite/check/quantization_noise.h"
#include "nestrt/plan.h"

namespace nestrt::compiler {

struct CheckOptions {
  std::string model;
  std::string plan;
  int shape = 0;  // shape of a plan with several input shapes, counted from 1; 0: the first
  // Files by input name, for all inputs of the plan or for none. Inputs of the model that the plan does not have (they
  // were bound at compile time) are passed to ONNX Runtime in every run.
  std::map<std::string, std::string> inputs;
  std::vector<std::vector<tools::Array>> samples;  // or one run per sample: an array for each input of the plan
  int random_runs = 1;                             // if there are neither files nor samples
  uint64_t seed = 0;
  bool layers = false;
  double tolerance = 1e-4;  // as a fraction of the largest element of the tensor
  // Absolute differences up to this value are ignored. ONNX Runtime's sigmoid alone has errors of this size. Default:
  // kAbsolute, or kAbsoluteQuantized (one 8-bit step) for outputs of a quantized plan that range from 0 to 1, unless
  // min_decibel is set.
  std::optional<double> absolute;
  // Required agreement of a quantized plan with the model, over all runs: the fraction of rows of class scores with the
  // same top class, or the fraction of equal elements for integers without a scale (positions, classes or masks). Other
  // outputs must reach min_decibel.
  double min_agreement = kMinAgreement;
  std::optional<double> min_decibel;  // signal-to-noise ratio; default: kMinDecibel
  // Python interpreter; empty: that of the private environment, or python3 for LiteRT
  std::string python;

  static constexpr double kMinAgreement = 0.9, kMinDecibel = 10;
  // Rows that are not scores, for example of an autoencoder, cannot be distinguished from scores. Unless min_agreement
  // is above the default, this signal-to-noise ratio is sufficient for both.
  static constexpr double kDecibelOfRows = 30;
  static constexpr double kAbsolute = 1e-6, kAbsoluteQuantized = 1.0 / 256;
  // Additional requirement for class scores computed from integers of the model.
  static constexpr double kDecibelOfScores = 20;
};

struct CheckedOutput {
  size_t run = 0;
  std::string name;
  Difference difference;
  bool matches = true;  // as shown in the report
};

// One output over all runs.
struct OutputSummary {
  std::string name;
  size_t runs = 0;
  bool has_class_scores = false;  // rows of class scores
  bool gives_places = false;      // integers without a scale: positions or classes
  double absolute = 0;            // differences up to this value are ignored
  Difference difference;          // the tops are those of the last run
  bool matches = true;            // by the rules of CheckOptions
};

// An operator's output that has the same name in the model. Results inside a fused operator are not included.
struct CheckedLayer {
  uint32_t operator_index = 0;
  std::string operator_name;
  std::string kind;
  std::string tensor;
  Difference difference;
};

// How many elements of a plan's outputs equal those of LiteRT's kernels, which round integers in two ways.
struct KernelAgreement {
  int64_t elements = 0;
  int64_t equal_default = 0;    // to the default kernels (XNNPACK)
  int64_t equal_reference = 0;  // to the reference kernels
  int64_t between_both = 0;     // elements for which both kernels agree
};

struct CheckReport {
  std::string reference;  // "ONNX Runtime" or "LiteRT"
  std::vector<CheckedOutput> outputs;
  std::vector<OutputSummary> summaries;
  std::vector<CheckedLayer> layers;  // of the first run, in the plan's order; empty unless options.layers
  std::vector<LayerNoise> noise;     // replaces `layers` if the plan is quantized
  // for floating point: CheckOptions::tolerance, or the higher tolerance of the model's short float types
  double tolerance = 0;
  bool quantized = false;
  std::optional<KernelAgreement> kernels;  // for TensorFlow Lite models of 8-bit integers
  bool matches = true;                     // true if all outputs match
  std::optional<size_t> first_divergence;  // index into `layers`
};

// Runs the comparison. Errors: kUnavailable if the reference cannot be used; those of reading the files and of running
// either side.
Result<CheckReport> check(const CheckOptions& options);

// Returns inputs that depend on the seed only: pixels if the plan states preprocessing, otherwise normally distributed
// numbers. Byte integers are arbitrary, other integers range from -100 to 100; integers that select elements are 0 or
// 1.
std::vector<tools::Array> random_inputs(const Plan& plan, uint64_t seed);
// Returns inputs for arbitrary tensors. Integers are 0 or 1. `preprocessing` may be null.
std::vector<tools::Array> random_inputs(std::span<const TensorInfo> tensors, const Preprocessing* preprocessing,
                                        uint64_t seed);

}  // namespace nestrt::compiler
