// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/tuning/reconstruct.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "compiler-lite/check/plan_trace.h"
#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"
#include "compiler-lite/quantize/equalise.h"
#include "compiler-lite/tuning/fit_rounding.h"
#include "compiler-lite/tuning/sensitivity.h"
#include "kernels/common/quantization/s8_arithmetic.h"
#include "nestrt/driver/plan_tables.h"

namespace nestrt::compiler {
namespace {

constexpr int64_t kMaxPatchLength = 6144;
constexpr uint64_t kMaxSampleBytes = uint64_t{1} << 30;
constexpr int64_t kMaxPatchElements = int64_t{1} << 25;  // limit on the elements of a layer's patches over all samples

// A compiled graph whose inner values can be read.
struct TracedGraph {
  PlanBytes bytes;  // memory of the plan
  std::shared_ptr<const Plan> plan;
  PlanTrace trace;

  static Result<TracedGraph> create(Graph graph, const CompileOptions& options) {
    NESTRT_ASSIGN_OR_RETURN(PlanBytes bytes, compile_graph(std::move(graph), options));
    NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, Plan::from_memory(bytes.span()));
    NESTRT_ASSIGN_OR_RETURN(PlanTrace trace, PlanTrace::create(plan));
    return TracedGraph{std::move(bytes), std::move(plan), std::move(trace)};
  }

  // Returns the elements of a value as real numbers. Errors: kInternal if the plan does not contain it.
  Result<std::vector<float>> read(const std::string& value) const {
    const auto& tensors = plan->tables().tensors;
    for (uint32_t index = 0; index < tensors.size(); ++index)
      if (tensors[index].name == value) return real_elements(index);
    return Status(Code::kInternal, "the plan has no tensor '" + value + "'");
  }

 private:
  std::vector<float> real_elements(uint32_t index) const {
    const tools::Array array = trace.tensor(index);
    if (array.type == DataType::kF32) {
      const auto* elements = reinterpret_cast<const float*>(array.bytes.data());
      return {elements, elements + array.bytes.size() / sizeof(float)};
    }
    const int exponent = plan->tables().tensors[index].quantization->exponents[0];
    std::vector<float> result;
    for (const std::byte q : array.bytes) result.push_back(kernels::s8::dequantize(static_cast<int8_t>(q), exponent));
    return result;
  }
};

// A layer with sampled patches of its input.
struct SampledLayer {
  SampledLayer(const Graph& graph, const Node* layer) : node(layer), reader(graph, *layer) {}

  const Node* node;
  PatchReader reader;
  std::vector<int> exponents;  // of the weights, by output
  PatchMatrix expected, actual;
  Eigen::Index num_rows = 0;
};

class Reconstructor {
 public:
  Reconstructor(Graph graph, const CompileOptions& compile, const ReconstructionOptions& options)
      : graph_(std::move(graph)),
        compile_(compile),
        quantization_(*compile.quantization),
        options_(options),
        generator_(options.seed) {
    compile_.quantization.reset();
    compile_.backends.clear();
    compile_.progress = nullptr;
    quantization_.observer = {};
    quantization_.options.constants.reset();
    QuantizeOptions& quantize = quantization_.options;
    if (quantize.corrections.equalisation && quantize.per_channel && quantize.scales == Scales::kTensor)
      equalise(graph_, quantization_.profile);
    quantize.corrections.equalisation = false;
  }

  Result<ReplacedConstants> run() {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<const Node*> layers, layers_to_fit());
    NESTRT_ASSIGN_OR_RETURN(TracedGraph f32, TracedGraph::create(graph_.clone(), compile_));
    NESTRT_RETURN_IF_ERROR(read_samples(*f32.plan));
    for (size_t first = 0; first < layers.size();) {
      if (options_.progress) options_.progress(first, layers.size());
      size_t last = first + 1;  // layers with the same input share the runs
      while (last < layers.size() && layers[last]->inputs[0] == layers[first]->inputs[0]) ++last;
      NESTRT_RETURN_IF_ERROR(
          fit({layers.begin() + static_cast<ptrdiff_t>(first), layers.begin() + static_cast<ptrdiff_t>(last)}, f32));
      first = last;
    }
    if (options_.progress) options_.progress(layers.size(), layers.size());
    return std::move(result_);
  }

 private:
  Result<std::vector<const Node*>> layers_to_fit() const {
    NESTRT_ASSIGN_OR_RETURN(std::vector<const Node*> layers, quantized_layers(graph_, quantization_));
    std::map<std::string_view, int> counts;
    for (const auto& node : graph_.nodes()) ++counts[node->name];
    std::erase_if(layers, [&](const Node* layer) {
      return counts[layer->name] > 1 || PatchReader(graph_, *layer).group_length() > kMaxPatchLength;
    });
    return layers;
  }

  Status read_samples(const Plan& plan) {
    NESTRT_ASSIGN_OR_RETURN(const auto samples, CalibrationSamples::open(options_.samples, plan));
    std::vector<size_t> usable;
    const size_t end = options_.omits_last ? num_calibrating(samples.size()) : samples.size();
    for (size_t i = 0; i < end; ++i)
      if (!options_.omitted || i < options_.omitted->begin || i >= options_.omitted->end) usable.push_back(i);
    uint64_t sample_bytes = 1;
    for (const TensorInfo& input : plan.inputs()) sample_bytes += input.size_bytes();
    const size_t affordable = std::max<size_t>(kMaxSampleBytes / sample_bytes, 1);
    const size_t count = std::min({options_.num_samples, usable.size(), affordable});
    for (size_t i = 0; i < count; ++i) {
      auto sample = samples.read(usable[i * usable.size() / count]);
      if (!sample && !options_.samples.skip_unreadable) return sample.error();
      if (sample) inputs_.push_back(std::move(*sample));
    }
    if (inputs_.empty()) return Status(Code::kInvalidArgument, "--reconstruct needs at least two readable samples");
    return {};
  }

  // Fits layers with a common input.
  Status fit(const std::vector<const Node*>& nodes, TracedGraph& f32) {
    std::vector<SampledLayer> layers;
    for (const Node* node : nodes) layers.emplace_back(graph_, node);
    Graph quantized = graph_.clone();
    replace_constants(quantized, result_);
    NESTRT_RETURN_IF_ERROR(quantize(quantized, quantization_.profile, quantization_.options).error());
    for (SampledLayer& layer : layers) layer.exponents = weight_exponents(quantized, *layer.node);
    NESTRT_ASSIGN_OR_RETURN(TracedGraph s8, TracedGraph::create(std::move(quantized), compile_));
    const std::string& input = graph_.value(nodes[0]->inputs[0]).name;
    for (const std::vector<tools::Array>& sample : inputs_) {
      NESTRT_RETURN_IF_ERROR(f32.trace.run(sample));
      NESTRT_RETURN_IF_ERROR(s8.trace.run(sample));
      NESTRT_ASSIGN_OR_RETURN(const std::vector<float> expected, f32.read(input));
      NESTRT_ASSIGN_OR_RETURN(const std::vector<float> actual, s8.read(input + std::string(kS8Suffix)));
      for (SampledLayer& layer : layers) add_patches(layer, expected, actual);
    }
    for (const SampledLayer& layer : layers) result_[layer.node->name] = fit(layer);
    return {};
  }

  // Returns the exponents of the s8 weights, one per output.
  std::vector<int> weight_exponents(const Graph& quantized, const Node& layer) const {
    const auto outputs = static_cast<size_t>(graph_.value(layer.inputs[kWeights]).shape[output_channel_axis(layer)]);
    for (const auto& node : quantized.nodes()) {
      if (node->name != layer.name || !is_product(*node)) continue;
      const auto& exponents = quantized.value(node->inputs[kWeights]).quantization->exponents;
      if (exponents.size() == 1) return std::vector<int>(outputs, exponents[0]);
      return {exponents.begin(), exponents.end()};
    }
    return {};
  }

  // Adds patches at random positions, one in each of equal ranges.
  void add_patches(SampledLayer& layer, std::span<const float> expected, std::span<const float> actual) {
    const int64_t available = layer.reader.num_patches();
    const int64_t affordable = kMaxPatchElements / layer.reader.patch_length() / static_cast<int64_t>(inputs_.size());
    const int64_t count =
        std::min({static_cast<int64_t>(options_.num_positions), available, std::max<int64_t>(affordable, 1)});
    if (layer.expected.rows() == 0) {
      const auto rows = static_cast<Eigen::Index>(inputs_.size()) * count;
      layer.expected.resize(rows, layer.reader.patch_length());
      layer.actual.resize(rows, layer.reader.patch_length());
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begin = i * available / count, end = (i + 1) * available / count;
      const int64_t index = begin + static_cast<int64_t>(generator_() % static_cast<uint64_t>(end - begin));
      layer.reader.read(expected, index, layer.expected.row(layer.num_rows).data());
      layer.reader.read(actual, index, layer.actual.row(layer.num_rows).data());
      ++layer.num_rows;
    }
  }

  ProductConstants fit(const SampledLayer& layer) const {
    const std::span<const float> weights = floats(graph_, layer.node->inputs[kWeights]);
    const bool innermost = output_channel_axis(*layer.node) == 1;
    const auto outputs = static_cast<Eigen::Index>(layer.exponents.size());
    const Eigen::Index length = layer.reader.group_length(), per_group = outputs / layer.reader.groups();
    ProductConstants result{{weights.begin(), weights.end()}, std::vector<float>(layer.exponents.size(), 0)};
    if (layer.node->input(kBias) != kNoValue) {
      const std::span<const float> bias = floats(graph_, layer.node->inputs[kBias]);
      result.bias.assign(bias.begin(), bias.end());
    }
    const auto at = [&](Eigen::Index output, Eigen::Index i) {
      return static_cast<size_t>(innermost ? i * outputs + output : output * length + i);
    };
    for (Eigen::Index group = 0; group < layer.reader.groups(); ++group) {
      const Eigen::Index first = group * per_group;
      PatchMatrix f32(per_group, length);
      for (Eigen::Index o = 0; o < per_group; ++o)
        for (Eigen::Index i = 0; i < length; ++i) f32(o, i) = weights[at(first + o, i)];
      const FittedProduct fitted = fit_rounding(
          f32, std::span(layer.exponents).subspan(static_cast<size_t>(first), static_cast<size_t>(per_group)),
          layer.expected.middleCols(group * length, length), layer.actual.middleCols(group * length, length));
      for (Eigen::Index o = 0; o < per_group; ++o) {
        for (Eigen::Index i = 0; i < length; ++i) result.weights[at(first + o, i)] = fitted.weights(o, i);
        result.bias[static_cast<size_t>(first + o)] += fitted.bias_change(o);
      }
    }
    return result;
  }

  Graph graph_;
  CompileOptions compile_;
  Quantization quantization_;
  const ReconstructionOptions& options_;
  std::mt19937_64 generator_;
  std::vector<std::vector<tools::Array>> inputs_;  // by sample
  ReplacedConstants result_;
};

// Returns infinity without f32 outputs.
Result<double> lowest_decibel(const std::string& model, const CompileOptions& compile, const NoiseSource& source) {
  NESTRT_ASSIGN_OR_RETURN(const NoiseReport report, bound_noise(model, compile, source, {.ranks = false}));
  const OutputNoise* worst = report.worst();
  return worst == nullptr ? std::numeric_limits<double>::infinity() : worst->decibel;
}

}  // namespace

Result<ReplacedConstants> reconstruct(const std::string& model, const CompileOptions& compile,
                                      const ReconstructionOptions& options) {
  CompileOptions without_quantization = compile;
  without_quantization.quantization.reset();
  NESTRT_ASSIGN_OR_RETURN(Graph graph, quantizable_graph(model, without_quantization));
  return Reconstructor(std::move(graph), compile, options).run();
}

Result<ReconstructionGain> reconstruct_if_better(const std::string& model, CompileOptions& compile,
                                                 const NoiseSource& source, ReconstructionOptions options) {
  if (source.held_out) options.omitted = source.held_out->omitted;
  options.omits_last = source.have_calibrated && !source.held_out;
  ReconstructionGain gain;
  NESTRT_ASSIGN_OR_RETURN(gain.before, lowest_decibel(model, compile, source));
  NESTRT_ASSIGN_OR_RETURN(ReplacedConstants constants, reconstruct(model, compile, options));
  gain.num_layers = constants.size();
  compile.quantization->options.constants = std::make_shared<const ReplacedConstants>(std::move(constants));
  NESTRT_ASSIGN_OR_RETURN(gain.after, lowest_decibel(model, compile, source));
  if (!gain.is_used()) compile.quantization->options.constants.reset();
  return gain;
}

}  // namespace nestrt::compiler
