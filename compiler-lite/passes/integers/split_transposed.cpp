// SPDX-License-Identifier: Apache-2.0
// Rewrites transposed convolutions between Dequantize and Quantize as convolutions, which have integer kernels.
//
// Outputs whose positions are equal modulo the stride form a phase. Each phase is a convolution of stride 1 with every
// stride-th tap. The Conv computes all phases as channels, [N, M * phases, inputs], and the integers are interleaved:
// Reshape, Transpose, Reshape and, if the outputs do not cover all phases of the first or last step, Slice. Taps that a
// phase does not use are zero.
#include <algorithm>
#include <utility>
#include <vector>

#include "compiler-lite/passes/integers/integer_products.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

// Limit on the Conv's number of taps, which include zeros, relative to the taps of the transposed convolution.
constexpr int64_t kMaxTapRatio = 4;

// One spatial axis.
struct SplitAxis {
  int64_t kernel = 0, stride = 0;
  int64_t taps = 0;                    // of a phase
  int64_t outputs = 0;                 // of the transposed convolution
  int64_t steps = 0;                   // outputs of the Conv: groups of one output per phase
  int64_t first = 0;                   // position of the first output among the interleaved ones
  int64_t pad_begin = 0, pad_end = 0;  // of the Conv
};

SplitAxis split_axis(const ops::ConvTranspose& op, size_t axis, int64_t inputs, int64_t outputs) {
  SplitAxis result;
  result.kernel = op.kernel[axis];
  result.stride = op.stride[axis];
  result.outputs = outputs;
  result.taps = (result.kernel + result.stride - 1) / result.stride;
  // Step j computes the outputs from j * stride - pad_begin on, one per phase, from the inputs j - taps + 1 to j.
  const int64_t pad = op.pad_begin[axis], skipped = std::min(pad / result.stride, result.taps - 1);
  result.first = pad - skipped * result.stride;
  result.pad_begin = result.taps - 1 - skipped;
  const int64_t needed = (result.first + outputs + result.stride - 1) / result.stride;
  result.pad_end = std::max<int64_t>(0, needed - inputs - result.pad_begin + result.taps - 1);
  result.steps = inputs + result.pad_begin + result.pad_end - result.taps + 1;
  return result;
}

class TransposedSplitter {
 public:
  explicit TransposedSplitter(Graph& graph) : graph_(graph) {}

  Result<int> run() {
    int changes = 0;
    for (Node* node : snapshot(graph_)) {
      if (!is_used(graph_, *node)) continue;
      NESTRT_ASSIGN_OR_RETURN(const bool changed, split(*node));
      changes += changed;
    }
    graph_.tidy();
    return changes;
  }

 private:
  Result<bool> split(const Node& node) {
    const auto* op = node.as<ops::ConvTranspose>();
    if (op == nullptr || !is_between_integers(node) || !has_supported_window(*op)) return false;
    std::vector<SplitAxis> axes;
    const Shape x = graph_.value(node.inputs[0]).shape, y = graph_.value(node.outputs[0]).shape;
    int64_t taps = 1, split_taps = 1;
    for (size_t i = 0; i < op->kernel.size(); ++i) {
      axes.push_back(split_axis(*op, i, x[static_cast<int>(i) + 2], y[static_cast<int>(i) + 2]));
      taps *= axes[i].kernel;
      split_taps *= axes[i].taps * axes[i].stride;
      if (split_taps > kMaxTapRatio * taps || axes[i].steps < 1) return false;
    }
    const auto elements = static_cast<uint64_t>(graph_.value(node.inputs[kWeights]).shape.num_elements());
    const uint64_t grown = elements * static_cast<uint64_t>(kMaxTapRatio);
    if (!graph_.folding.charge(grown * sizeof(float), grown)) return false;
    NESTRT_ASSIGN_OR_RETURN(const Node* conv, add_conv(node, axes));
    const auto input = graph_.value(graph_.producer(node.inputs[0])->inputs[0]).quantization;
    const kernels::s8c::Affine affine{input->scales[0], input->zero_points.empty() ? 0 : input->zero_points[0]};
    if (!integer_product(graph_, *conv, in_s8(node, affine))) return false;
    NESTRT_RETURN_IF_ERROR(interleave(node, *conv, axes));
    return true;
  }

  // Returns the quantization that the input will have after fuse_qdq() converts it to s8.
  kernels::s8c::Affine in_s8(const Node& node, kernels::s8c::Affine affine) const {
    const ValueId integers = graph_.producer(node.inputs[0])->inputs[0];
    if (graph_.value(integers).type == DataType::kU8) affine.zero_point -= 128;
    return affine;
  }

  bool has_one_scale(ValueId id) const {
    const Value& value = graph_.value(id);
    return (value.type == DataType::kS8 || value.type == DataType::kU8) && value.quantization &&
           value.quantization->axis == -1 && value.quantization->scales.size() == 1;
  }

  bool is_between_integers(const Node& node) const {
    const Node* const source = graph_.producer(node.inputs[0]);
    if (source == nullptr || source->as<ops::Dequantize>() == nullptr || !has_one_scale(source->inputs[0]))
      return false;
    if (floats(graph_, node.inputs[kWeights]).empty() || node.input(kResidual) != kNoValue) return false;
    if (node.input(kBias) != kNoValue && floats(graph_, node.inputs[kBias]).empty()) return false;
    if (!graph_.has_single_use(node.outputs[0])) return false;
    const Node* const target = graph_.users(node.outputs[0])[0];
    return target->as<ops::Quantize>() != nullptr && has_one_scale(target->outputs[0]);
  }

  static bool has_supported_window(const ops::ConvTranspose& op) {
    const auto is_one = [](int32_t dilation) { return dilation == 1; };
    const auto is_pad = [](int32_t pad) { return pad >= 0; };
    return 2 + 2 * op.kernel.size() <= static_cast<size_t>(Shape::kMaxRank) &&
           std::ranges::all_of(op.dilation, is_one) && std::ranges::all_of(op.pad_begin, is_pad);
  }

  // Adds a Conv that computes all phases, [N, M * phases, steps].
  Result<Node*> add_conv(const Node& node, const std::vector<SplitAxis>& axes) {
    const auto& op = *node.as<ops::ConvTranspose>();
    ops::Conv conv;
    conv.group = op.group;
    conv.activation = op.activation;
    for (const SplitAxis& axis : axes) {
      conv.kernel.push_back(static_cast<int32_t>(axis.taps));
      conv.stride.push_back(1);
      conv.dilation.push_back(1);
      conv.pad_begin.push_back(static_cast<int32_t>(axis.pad_begin));
      conv.pad_end.push_back(static_cast<int32_t>(axis.pad_end));
    }
    std::vector<ValueId> inputs = {node.inputs[0], add_weights(node, axes)};
    if (node.input(kBias) != kNoValue) inputs.push_back(add_bias(node, num_phases(axes)));
    return graph_.add_node(node.name, std::move(conv), std::move(inputs),
                           {graph_.value(node.outputs[0]).name + ".phases"});
  }

  static int64_t num_phases(const std::vector<SplitAxis>& axes) {
    int64_t phases = 1;
    for (const SplitAxis& axis : axes) phases *= axis.stride;
    return phases;
  }

  // Returns weights [M, phases, C / group, taps] from [C, M / group, kernel].
  ValueId add_weights(const Node& node, const std::vector<SplitAxis>& axes) {
    const Value old = graph_.value(node.inputs[kWeights]);
    const int64_t groups = node.as<ops::ConvTranspose>()->group, phases = num_phases(axes);
    const int64_t inputs = old.shape[0] / groups, outputs = old.shape[1];
    int64_t taps = 1, kernel = 1;
    Shape shape{groups * outputs * phases, inputs};
    for (const SplitAxis& axis : axes) {
      taps *= axis.taps;
      kernel *= axis.kernel;
      shape.push_back(axis.taps);
    }
    std::vector<float> elements(static_cast<size_t>(shape.num_elements()));
    const auto sources = tap_sources(axes, phases, taps);
    for (int64_t m = 0; m < groups * outputs; ++m)
      for (int64_t phase = 0; phase < phases; ++phase)
        for (int64_t c = 0; c < inputs; ++c)
          for (int64_t tap = 0; tap < taps; ++tap) {
            const int64_t source = sources[static_cast<size_t>(phase * taps + tap)];
            const int64_t from = ((m / outputs * inputs + c) * outputs + m % outputs) * kernel + source;
            if (source >= 0)
              elements[static_cast<size_t>(((m * phases + phase) * inputs + c) * taps + tap)] = old.data<float>()[from];
          }
    const ValueId weights = graph_.add_constant(old.name + ".phases", elements, shape);
    graph_.value(weights).source_quantization = phase_scales(old, groups, phases);
    return weights;
  }

  // Returns, by phase and tap of the Conv, the tap of the transposed convolution, or -1 if the phase does not have it.
  static std::vector<int64_t> tap_sources(const std::vector<SplitAxis>& axes, int64_t phases, int64_t taps) {
    std::vector<int64_t> sources;
    for (int64_t phase = 0; phase < phases; ++phase)
      for (int64_t tap = 0; tap < taps; ++tap) {
        int64_t source = 0, of_phase = phases, of_tap = taps;
        for (const SplitAxis& axis : axes) {
          of_phase /= axis.stride;
          of_tap /= axis.taps;
          // A transposed convolution reads its inputs in the reverse order of its taps.
          const int64_t reversed = axis.taps - 1 - tap / of_tap % axis.taps;
          const int64_t at = phase / of_phase % axis.stride + reversed * axis.stride;
          source = source < 0 || at >= axis.kernel ? -1 : source * axis.kernel + at;
        }
        sources.push_back(source);
      }
    return sources;
  }

  // Returns the scales of the Conv's weights, given those of the transposed convolution's.
  static std::optional<plan::Quantization> phase_scales(const Value& weights, int64_t groups, int64_t phases) {
    if (!weights.source_quantization || weights.source_quantization->axis != 1) return weights.source_quantization;
    const plan::Quantization& old = *weights.source_quantization;
    plan::Quantization result;
    result.axis = 0;
    for (int64_t group = 0; group < groups; ++group)
      for (size_t m = 0; m < old.scales.size(); ++m)
        for (int64_t phase = 0; phase < phases; ++phase) {
          result.scales.push_back(old.scales[m]);
          result.zero_points.push_back(old.zero_points.empty() ? 0 : old.zero_points[m]);
        }
    return result;
  }

  ValueId add_bias(const Node& node, int64_t phases) {
    const std::span<const float> old = floats(graph_, node.inputs[kBias]);
    std::vector<float> bias;
    for (const float element : old) bias.insert(bias.end(), static_cast<size_t>(phases), element);
    const auto count = static_cast<int64_t>(bias.size());
    return graph_.add_constant(graph_.value(node.inputs[kBias]).name + ".phases", bias, {count});
  }

  // Replaces the Quantize after the transposed convolution by one after the Conv and by moves of the integers.
  Status interleave(const Node& node, const Node& conv, const std::vector<SplitAxis>& axes) {
    Node* const quantize = graph_.users(node.outputs[0])[0];
    const Shape y = graph_.value(node.outputs[0]).shape;
    const auto spatial = static_cast<int32_t>(axes.size());
    ops::Reshape split{.shape = {y[0], y[1]}};
    ops::Transpose order{.permutation = {0, 1}};
    ops::Reshape merge{.shape = {y[0], y[1]}};
    ops::Slice crop{.start = {0, 0}, .step = {1, 1}, .shape = {y[0], y[1]}};
    for (const SplitAxis& axis : axes) split.shape.push_back(axis.stride);
    for (int32_t i = 0; i < spatial; ++i) {
      const SplitAxis& axis = axes[static_cast<size_t>(i)];
      split.shape.push_back(axis.steps);
      order.permutation.push_back(2 + spatial + i);
      order.permutation.push_back(2 + i);
      merge.shape.push_back(axis.steps * axis.stride);
      crop.start.push_back(axis.first);
      crop.step.push_back(1);
      crop.shape.push_back(axis.outputs);
    }
    std::vector<ops::Attributes> steps = {*quantize->as<ops::Quantize>(), split, order, merge};
    if (merge.shape != crop.shape) steps.emplace_back(crop);
    ValueId id = conv.outputs[0];
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      NESTRT_ASSIGN_OR_RETURN(id, move(*quantize, std::move(steps[i]), id));
    }
    return replace(graph_, quantize, std::move(steps.back()), {id}).error();
  }

  Result<ValueId> move(const Node& quantize, ops::Attributes attributes, ValueId id) {
    const std::string name = graph_.value(quantize.outputs[0]).name + ".split";
    NESTRT_ASSIGN_OR_RETURN(const Node* node, graph_.add_node(quantize.name, std::move(attributes), {id}, {name}));
    graph_.value(node->outputs[0]).quantization = graph_.value(quantize.outputs[0]).quantization;
    return node->outputs[0];
  }

  Graph& graph_;
};

}  // namespace

Result<int> split_transposed(Graph& graph) { return TransposedSplitter(graph).run(); }

}  // namespace nestrt::compiler
