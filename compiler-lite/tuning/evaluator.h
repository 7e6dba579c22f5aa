// Evaluator: what quantization costs a network, measured over samples against the same network in f32. The model is
// imported and the samples are read once, for any number of quantizations.
// Threads: none; one thread at a time. Runs on all cores, unless told otherwise.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler-lite/calibrate/samples.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/tuning/score.h"

namespace nestrt::compiler {

struct EvaluationOptions {
  CompileOptions compile;  // its quantization is not looked at
  SampleOptions samples;
  std::string labels;  // a file of lines image<TAB>class, for every image used; empty: without
  int64_t offset = 0;  // a class of the labels is an index of the network's plus this
  int threads = 0;     // 0: as many as there are cores
  // Whether networks without class scores, of which the noise alone can be told, are refused.
  bool needs_classes = true;
};

class Evaluator {
 public:
  // Errors: those of compiling, of the samples and of the labels; kUnsupported for a network without class scores in
  // f32 as its first output, where they are needed; kInvalidArgument where the samples are more than are kept in
  // memory.
  static Result<Evaluator> create(const std::string& model, const EvaluationOptions& options);
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;
  ~Evaluator();

  size_t num_samples() const { return inputs_.size(); }
  const std::string& model_digest() const { return model_digest_; }
  // Tells the network as it is compiled in f32, the samples and their labels from others.
  std::string data_digest() const;
  // Images that could not be read, and why; empty unless asked to pass over them.
  const std::vector<std::string>& skipped() const { return skipped_; }
  // Errors: kInvalidArgument where the network is right in f32 no more often than by guessing, which makes a loss
  // against the labels mean nothing.
  Status require_better_than_guessing(const Score& score) const;
  // What compiling starts from: f32, activations fused, residuals not.
  const Graph& graph() const { return graph_; }

  // Over `count` of the samples, evenly from all. Errors: those of compiling and running.
  // Requires: 0 < count <= num_samples(); the profile is the model's.
  Result<Score> evaluate(const Quantization& quantization, size_t count);

 private:
  struct Network;  // as it runs
  using Outputs = std::vector<tools::Array>;
  using Classes = std::map<std::string, int64_t>;  // by file name

  Evaluator(CompileOptions compile, Graph graph, int threads);
  Status read_samples(const EvaluationOptions& options);
  Result<Classes> read_classes(const EvaluationOptions& options) const;
  Status check_outputs() const;
  Result<const Outputs*> in_f32(size_t sample);
  Status count(size_t sample, const Outputs& actual, const Outputs& expected, Score& score) const;

  CompileOptions compile_;
  int threads_;
  Graph graph_;
  std::string model_digest_;
  std::unique_ptr<Network> f32_;
  std::vector<std::vector<tools::Array>> inputs_;  // by sample
  std::vector<int64_t> classes_;                   // by sample: the index of the right score; empty without labels
  std::vector<std::string> skipped_;
  std::vector<Outputs> answers_;  // by sample, in f32; empty as long as it was not needed
};

}  // namespace nestrt::compiler
