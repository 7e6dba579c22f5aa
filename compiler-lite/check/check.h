// SPDX-License-Identifier: Apache-2.0
// The checker compares a plan with ONNX Runtime, or with LiteRT for TensorFlow Lite models, on the same inputs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/check/compare.h"
#include "compiler-lite/check/onnx_runtime.h"
#include "compiler-lite/check/quantization_noise.h"
#include "compiler-lite/check/row_metrics.h"
#include "nestrt/plan.h"

namespace nestrt::compiler {

struct CheckOptions {
  std::string model;
  std::string plan;
  int shape = 0;  // shape of a plan with several input shapes, counted from 1; 0: the first
  // Files by input name, for all inputs of the plan or for none. Model inputs that were bound at compile time do not
  // exist in the plan; their files are passed to ONNX Runtime in every run.
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
  // same top class and of right classes in decoded sequences, or the fraction of equal elements for integers without a
  // scale (positions, classes or masks). Other outputs must reach min_decibel.
  double min_agreement = kMinAgreement;
  std::optional<double> min_decibel;  // signal-to-noise ratio; default: kMinDecibel
  // Python interpreter; if empty, the one of the private environment (for LiteRT: python3)
  std::string python;

  static constexpr double kMinAgreement = 0.9, kMinDecibel = 10;
  // Required cosine of every embedding with the model's: that of kMinDecibel of noise at right angles, or of
  // min_decibel.
  double min_cosine() const;
  // Rows that are not scores, for example of an autoencoder, cannot be distinguished from scores. Unless min_agreement
  // is above the default, this signal-to-noise ratio is sufficient for both.
  static constexpr double kDecibelOfRows = 30;
  static constexpr double kAbsolute = 1e-6, kAbsoluteQuantized = 1.0 / 256;
  // Minimum signal-to-noise ratio of class scores computed from the model's integers, in addition to min_agreement.
  static constexpr double kDecibelOfScores = 20;
};

struct CheckedOutput {
  size_t run = 0;
  std::string name;
  Difference difference;
  RowMetrics rows;
  bool matches = true;  // as shown in the report
};

// What decides whether an output matches.
enum class Metric { kDifference, kSignalToNoise, kTopClass, kSequence, kCosine, kEqualElements };
std::string_view name(Metric metric);

// One output over all runs.
struct OutputSummary {
  // Returns kDifference for a floating-point plan.
  Metric metric(bool is_quantized) const;

  std::string name;
  size_t runs = 0;
  bool has_class_scores = false;  // rows of class scores
  bool gives_places = false;      // integers without a scale: positions or classes
  double absolute = 0;            // differences up to this value are ignored
  Difference difference;          // the top classes are those of the last run
  RowMetrics rows;                // of f32 outputs of a quantized plan
  bool matches = true;            // according to CheckOptions
};

// An operator's output that exists in the model under the same name. Results inside a fused operator are not included.
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
  // floating-point plans only: CheckOptions::tolerance, raised if the model uses short float types
  double tolerance = 0;
  bool quantized = false;
  std::optional<KernelAgreement> kernels;  // for TensorFlow Lite models of 8-bit integers
  bool matches = true;                     // true if all outputs match
  std::optional<size_t> first_divergence;  // index into `layers`
};

// Runs the comparison. Errors: kUnavailable if the reference cannot be used; those of reading the files and of running
// the plan or the reference.
Result<CheckReport> check(const CheckOptions& options);

// Returns inputs that depend only on the seed: pixels if the plan contains preprocessing, normally distributed numbers
// if not. Byte integers are arbitrary, other integers range from -100 to 100; integers that select elements are 0 or 1.
std::vector<tools::Array> random_inputs(const Plan& plan, uint64_t seed);
// Returns inputs for arbitrary tensors. Integers are 0 or 1. `preprocessing` may be null.
std::vector<tools::Array> random_inputs(std::span<const TensorInfo> tensors, const Preprocessing* preprocessing,
                                        uint64_t seed);

}  // namespace nestrt::compiler
