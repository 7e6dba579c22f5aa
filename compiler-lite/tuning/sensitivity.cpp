// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/sensitivity.h"

#include <algorithm>
#include <set>

#include "compiler-lite/passes/product.h"
#include "compiler-lite/tuning/evaluator.h"

namespace nestrt::compiler {
namespace {

class Meter {
 public:
  Meter(Evaluator& evaluator, const Quantization& quantization, const SensitivityOptions& options,
        const std::vector<const Node*>& layers)
      : evaluator_(evaluator),
        quantization_(quantization),
        options_(options),
        layers_(layers),
        samples_(std::min(options.samples, evaluator.num_samples())),
        total_(1 + layers.size() * (options.all_but_one ? 2 : 1)) {
    for (const Node* layer : layers) names_.insert(layer->name);
  }

  Result<Sensitivity> run() {
    tell();
    Sensitivity result;
    NESTRT_ASSIGN_OR_RETURN(result.all, evaluate({}));
    for (const Node* layer : layers_) {
      NESTRT_ASSIGN_OR_RETURN(result.layers.emplace_back(), measure(*layer));
    }
    std::stable_sort(result.layers.begin(), result.layers.end(),
                     [](const auto& a, const auto& b) { return a.alone.decibel < b.alone.decibel; });
    return result;
  }

 private:
  Result<LayerSensitivity> measure(const Node& node) {
    LayerSensitivity layer{node.name, std::string(ops::name(node.kind())), 0, {}, {}};
    std::set<std::string, std::less<>> others = names_;
    others.erase(node.name);
    NESTRT_ASSIGN_OR_RETURN(layer.alone, evaluate(others));
    layer.mac_share = 1 - layer.alone.f32_share;
    // If there is only one layer, it cannot be kept in f32, because nothing would be s8.
    if (options_.all_but_one && !others.empty()) {
      NESTRT_ASSIGN_OR_RETURN(layer.all_but_one, evaluate({node.name}));
    }
    return layer;
  }

  Result<Score> evaluate(const std::set<std::string, std::less<>>& kept) {
    Quantization quantization = quantization_;
    quantization.options.keep_f32.insert(kept.begin(), kept.end());
    auto score = evaluator_.evaluate(quantization, samples_);
    ++done_;
    tell();
    return score;
  }

  void tell() const {
    if (options_.progress) options_.progress(done_, total_);
  }

  Evaluator& evaluator_;
  const Quantization& quantization_;
  const SensitivityOptions& options_;
  const std::vector<const Node*>& layers_;
  const size_t samples_, total_;
  std::set<std::string, std::less<>> names_;
  size_t done_ = 0;
};

}  // namespace

Result<std::vector<const Node*>> quantized_layers(const Graph& graph, const Quantization& quantization) {
  Graph trial = graph.clone();
  NESTRT_ASSIGN_OR_RETURN(const QuantizationReport report, quantize(trial, quantization.profile, quantization.options));
  std::set<std::string_view> passed_over;
  for (const KeptNode& node : report.kept) passed_over.insert(node.name);
  std::vector<const Node*> result;
  for (const auto& node : graph.nodes())
    if (is_product(*node) && passed_over.insert(node->name).second) result.push_back(node.get());
  return result;
}

Result<Sensitivity> measure_sensitivity(Evaluator& evaluator, const Quantization& quantization,
                                        const SensitivityOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const auto layers, quantized_layers(evaluator.graph(), quantization));
  return Meter(evaluator, quantization, options, layers).run();
}

}  // namespace nestrt::compiler
