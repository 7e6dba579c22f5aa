// Evaluator: what quantization costs a network, measured over samples against the same network in f32. The model is
// imported and the samples are read once, for any number of quantizations.
// Threads: none; one thread at a time. Runs on all cores.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/calibrate/samples.h"
#include "compiler-lite/compile.h"
#include "nestrt/session.h"

namespace nestrt::compiler {

struct EvaluationOptions {
  CompileOptions compile;  // its quantization is not looked at
  SampleOptions samples;
  std::string labels;  // a file of lines picture<TAB>class, for every picture used; empty: without
  int64_t offset = 0;  // a class of the labels is an index of the network's plus this
};

struct Score {
  uint64_t samples = 0;
  // Vectors of class scores in the network's first output, and how many have the largest one in the same place as in
  // f32. A classifier of single pictures has one row for each sample.
  uint64_t rows = 0;
  uint64_t agreeing = 0;
  // With labels: samples whose largest score is that of the stated class.
  std::optional<uint64_t> right;
  std::optional<uint64_t> right_in_f32;
  double decibel = 0;    // signal-to-noise ratio over all f32 outputs of all samples
  double f32_share = 0;  // of the multiply-accumulates
  uint64_t plan_bytes = 0;

  double agreement() const;  // a fraction
  // Of top-1, in points (per cent of the samples): with labels the accuracy lost against f32, which may be negative;
  // otherwise the share of rows that disagree with f32, which is never less.
  double loss() const;
  // Less loss, or equal loss and less noise.
  bool better_than(const Score& other) const;
};

class Evaluator {
 public:
  // Errors: those of compiling, of the samples and of the labels; kUnsupported for a network without one f32 input and
  // class scores in f32 as its first output; kInvalidArgument where the samples are more than are kept in memory.
  static Result<Evaluator> create(const std::filesystem::path& model, const EvaluationOptions& options);

  size_t num_samples() const { return inputs_.size(); }
  const std::string& model_digest() const { return model_digest_; }
  // Of the network as it is compiled in f32, the samples and their labels.
  std::string data_digest() const;
  // Pictures that could not be read, and why; empty unless asked to pass over them.
  const std::vector<std::string>& skipped() const { return skipped_; }
  // What compiling starts from: f32, activations fused, residuals not.
  const Graph& graph() const { return graph_; }

  // Over `count` of the samples, evenly from all. Errors: those of compiling and running.
  // Requires: 0 < count <= num_samples(); the profile is the model's.
  Result<Score> evaluate(const Quantization& quantization, size_t count);

 private:
  struct Network {
    std::unique_ptr<PlanBytes> bytes;  // where the session's plan lies
    std::unique_ptr<Session> session;
  };
  using Outputs = std::vector<tools::Array>;
  using Classes = std::map<std::string, int64_t>;  // by file name

  Evaluator(CompileOptions compile, Graph graph) : compile_(std::move(compile)), graph_(std::move(graph)) {}
  static Result<Network> load(PlanBytes bytes);
  Status read_samples(const EvaluationOptions& options);
  Result<Classes> read_classes(const EvaluationOptions& options) const;
  Status check_outputs() const;
  Result<const Outputs*> in_f32(size_t sample);
  Status count(size_t sample, const Outputs& actual, const Outputs& expected, Score& score) const;

  CompileOptions compile_;
  Graph graph_;
  std::string model_digest_;
  Network f32_;
  std::vector<tools::Array> inputs_;
  std::vector<int64_t> classes_;  // by sample: the index of the right score; empty without labels
  std::vector<std::string> skipped_;
  std::vector<Outputs> answers_;  // by sample, in f32; empty as long as it was not needed
};

}  // namespace nestrt::compiler
