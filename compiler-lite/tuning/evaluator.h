// SPDX-License-Identifier: Apache-2.0
// Evaluator: measures, over samples, the loss of quantizations relative to the same network in f32. Imports the model
// and reads the samples once for any number of quantizations.
// Threading: one thread at a time. Runs on all cores unless `threads` is set.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler-lite/calibrate/samples.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/tuning/score.h"
#include "runtime/core/function_ref.h"

namespace nestrt::compiler {

struct EvaluationOptions {
  CompileOptions compile;  // its quantization is ignored
  SampleOptions samples;
  std::string labels;  // a file of lines image<TAB>class for all images; empty: no labels
  int64_t offset = 0;  // class in the labels minus index in the network
  int threads = 0;     // 0: one per core
  // If set, networks without class scores are rejected; only their noise could be measured.
  bool needs_classes = true;
  // If set and the samples exceed the memory limit, only as many as fit are read, from the first on. Otherwise,
  // exceeding the limit is an error.
  bool fewer_if_large = false;
};

// Noise at an f32 output of the network.
struct OutputNoise {
  std::string name;
  double decibel = 0;  // signal-to-noise ratio over all samples
};

class Evaluator {
 public:
  // Errors: those of compiling and of reading samples and labels; kUnsupported if class scores are required but the
  // first output is not f32 class scores; kInvalidArgument if the samples exceed the memory limit.
  static Result<Evaluator> create(const std::string& model, const EvaluationOptions& options);
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;
  ~Evaluator();

  size_t num_samples() const { return inputs_.size(); }
  // Drops the first `count` samples. Requires: count < num_samples().
  void drop_samples(size_t count);
  const std::string& model_digest() const { return model_digest_; }
  // Returns a digest of the compiled f32 network, the samples and their labels.
  std::string data_digest() const;
  // Returns the reasons why images could not be read; empty unless skip_unreadable.
  const std::vector<std::string>& skipped() const { return skipped_; }
  // Errors: kInvalidArgument if the f32 network is no more accurate than guessing, so that a loss against the labels is
  // meaningless.
  Status require_better_than_guessing(const Score& score) const;
  // Returns the graph that quantizations start from: f32, with fused activations but without fused residuals.
  const Graph& graph() const { return graph_; }

  // Measures over `count` samples, spread evenly. Errors: those of compiling and running.
  // Requires: 0 < count <= num_samples(); the profile belongs to the model.
  Result<Score> evaluate(const Quantization& quantization, size_t count);

  // Measures each f32 output over `count` samples, spread evenly. Errors and requirements: those of evaluate().
  Result<std::vector<OutputNoise>> output_noise(const Quantization& quantization, size_t count);

 private:
  struct Network;  // a compiled network with its session
  using Outputs = std::vector<tools::Array>;
  using Classes = std::map<std::string, int64_t>;  // by the label's path and by file name

  Evaluator(CompileOptions compile, Graph graph, int threads);
  Status read_samples(const EvaluationOptions& options);
  Result<Classes> read_classes(const EvaluationOptions& options) const;
  // Compiles what quantizations are compared with: the f32 network, or a quantized model whose scales they replace.
  Result<PlanBytes> compile_reference(const std::string& model) const;
  Status check_outputs() const;
  Result<const Outputs*> in_f32(size_t sample);
  Result<Network> quantized(const Quantization& quantization);
  // Calls `visit` with each of `count` samples and its outputs.
  Status for_each_sample(const Network& network, size_t count,
                         FunctionRef<Status(size_t sample, const Outputs& actual, const Outputs& expected)> visit);
  Status count(size_t sample, const Outputs& actual, const Outputs& expected, Score& score) const;

  CompileOptions compile_;
  int threads_;
  Graph graph_;
  std::string model_digest_;
  std::unique_ptr<Network> f32_;
  std::vector<std::vector<tools::Array>> inputs_;  // by sample
  std::vector<int64_t> classes_;                   // index of the correct score by sample; empty without labels
  std::vector<std::string> skipped_;
  std::vector<Outputs> answers_;  // f32 outputs by sample; empty until needed
};

}  // namespace nestrt::compiler
