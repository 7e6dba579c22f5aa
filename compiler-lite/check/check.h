// The sanity checker: the same inputs through ONNX Runtime and through a plan, compared.
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
  int shape = 0;  // of a plan for inputs of several shapes, counted from 1; 0: the first
  // Files by input name: of all of the plan's inputs, or of none. Inputs of the model that the plan has not (they were
  // bound at compile time) go to ONNX Runtime, in every run.
  std::map<std::string, std::string> inputs;
  std::vector<std::vector<tools::Array>> samples;  // or a run for each of these: an array for each input of the plan
  int random_runs = 1;                             // without files and samples
  uint64_t seed = 0;
  bool layers = false;
  double tolerance = 1e-4;  // as a share of the largest element of the tensor
  // Differences up to it are none. ONNX Runtime's own sigmoid is that far off, whatever it gives. Where it is not
  // stated: kAbsolute, and kAbsoluteQuantized, a step of eight bits, of outputs of a quantized plan that go from 0 to 1
  // and are asked for no ratio.
  std::optional<double> absolute;
  // What outputs of a quantized plan have to have in common with those of the model, over all runs: rows of class
  // scores their top class, in that share of them; integers without a scale, which are places, classes or masks, that
  // share of their elements; others that ratio of signal to noise.
  double min_agreement = kMinAgreement;
  std::optional<double> min_decibel;  // where it is not stated: kMinDecibel
  std::string python;                 // empty: the private environment

  static constexpr double kMinAgreement = 0.9, kMinDecibel = 10;
  // Rows of numbers that are no scores, as of an autoencoder, cannot be told from scores: unless more agreement is
  // asked for than by default, that ratio of signal to noise is enough for either.
  static constexpr double kDecibelOfRows = 30;
  static constexpr double kAbsolute = 1e-6, kAbsoluteQuantized = 1.0 / 256;
  // Of class scores from integers that a model states, beside min_agreement.
  static constexpr double kDecibelOfScores = 20;
};

struct CheckedOutput {
  size_t run = 0;
  std::string name;
  Difference difference;
  bool matches = true;  // as the report says
};

// An output over all runs.
struct OutputSummary {
  std::string name;
  size_t runs = 0;
  bool gives_classes = false;  // rows of class scores
  bool gives_places = false;   // integers without a scale: where something is, which class it is of
  double absolute = 0;         // differences up to it are none
  Difference difference;       // the tops of the rows are those of the last run
  bool matches = true;         // by the rules of CheckOptions
};

// An operator's output that exists under the same name in the model. What was fused into another operator is not among
// them.
struct CheckedLayer {
  uint32_t operator_index = 0;
  std::string operator_name;
  std::string kind;
  std::string tensor;
  Difference difference;
};

struct CheckReport {
  std::vector<CheckedOutput> outputs;
  std::vector<OutputSummary> summaries;
  std::vector<CheckedLayer> layers;  // the first run's, in the plan's order; empty unless asked for
  std::vector<LayerNoise> noise;     // in place of the layers where the plan is quantized
  double tolerance = 0;  // of floating point: CheckOptions::tolerance, or what the model's short floats take
  bool quantized = false;
  bool matches = true;                     // all of its outputs do
  std::optional<size_t> first_divergence;  // in layers
};

// Errors: kUnavailable where ONNX Runtime cannot be had; those of reading the files and of running either side.
Result<CheckReport> check(const CheckOptions& options);

// Inputs for a plan that depend on the seed alone: pixels where the plan states preprocessing, otherwise numbers of a
// standard normal distribution. Integers of a byte are any, others from -100 to 100; 0 or 1 where elements are chosen
// by them.
std::vector<tools::Array> random_inputs(const Plan& plan, uint64_t seed);
// The same for any tensors, whose integers are 0 or 1; `preprocessing` may be null.
std::vector<tools::Array> random_inputs(std::span<const TensorInfo> tensors, const Preprocessing* preprocessing,
                                        uint64_t seed);

}  // namespace nestrt::compiler
