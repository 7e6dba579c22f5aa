// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/equalise.h"

#include <algorithm>
#include <cmath>

#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

// Larger factors would leave too few accumulator bits.
constexpr int kMaxPower = 6;

using Powers = std::vector<int>;  // exponents of two, by channel

bool can_be_scaled(const Graph& graph, const Node* node) {
  return node != nullptr && is_product(*node) && has_constant_operands(graph, *node);
}

// Returns true if scaling the input of the activation scales its output equally.
bool passes_scale(const ops::Activation& activation) {
  return activation.kind == ops::ActivationKind::kNone || activation.kind == ops::ActivationKind::kRelu ||
         (activation.kind == ops::ActivationKind::kClip && activation.alpha == 0);
}

// Calls visit(weight index, input channel) for all weights.
template <typename Visit>
void for_each_weight(const Graph& graph, const Node& node, Visit visit) {
  const Shape& shape = graph.value(node.inputs[kWeights]).shape;
  const auto* conv = node.as<ops::Conv>();
  const int64_t outputs = shape[output_channel_axis(node)], inputs = shape[1 - output_channel_axis(node)];
  const int64_t count = shape.num_elements(), groups = conv == nullptr ? 1 : conv->group;
  for (int64_t at = 0; at < count; ++at) {
    if (conv == nullptr) {
      visit(static_cast<size_t>(at), static_cast<size_t>(at / outputs));
    } else {
      const int64_t output = at / (count / outputs), input = at % (count / outputs) / (count / outputs / inputs);
      visit(static_cast<size_t>(at), static_cast<size_t>(output / (outputs / groups) * inputs + input));
    }
  }
}

bool is_depthwise(const Graph& graph, const Node& node) {
  return node.as<ops::Conv>() != nullptr && graph.value(node.inputs[kWeights]).shape[1] == 1;
}

// Returns the factors of the channels of a value. Each channel of a depthwise layer has its own exponent, so its input
// may be scaled freely. In other layers the input channels share the weights' exponents, so the factor is balanced
// between the two layers (geometric mean).
Powers choose_powers(const Graph& graph, const Node& consumer, const ValueProfile& value) {
  const double range = std::ldexp(127.5, -*value.exponent);
  std::vector<double> reach(value.peaks.size());
  const std::span<const float> weights = floats(graph, consumer.inputs[kWeights]);
  for_each_weight(graph, consumer, [&](size_t at, size_t input) {
    reach[input] = std::max(reach[input], std::abs(double{weights[at]}));
  });
  const double largest = *std::max_element(reach.begin(), reach.end());
  Powers powers(reach.size(), 0);
  for (size_t c = 0; c < powers.size(); ++c) {
    if (!(value.peaks[c] > 0) || !(reach[c] > 0)) continue;
    const int most = static_cast<int>(std::floor(std::log2(range / double{value.peaks[c]})));
    const int balanced =
        static_cast<int>(std::lround(0.5 * std::log2(range / double{value.peaks[c]} * reach[c] / largest)));
    powers[c] = std::clamp(is_depthwise(graph, consumer) ? most : std::min(balanced, most), 0, kMaxPower);
  }
  return powers;
}

class Equaliser {
 public:
  Equaliser(Graph& graph, QuantizationProfile& profile) : graph_(graph), profile_(profile) {}

  int run() {
    int changes = 0;
    for (Node* consumer : snapshot(graph_)) changes += can_be_scaled(graph_, consumer) && equalise(consumer);
    return changes;
  }

 private:
  bool equalise(Node* consumer) {
    const ValueId between = consumer->inputs[0];
    Node* producer = graph_.producer(between);
    if (!can_be_scaled(graph_, producer) || !graph_.has_single_use(between)) return false;
    if (!passes_scale(product_activation(*producer))) return false;
    ValueProfile* value = find(graph_.value(between).name);
    if (value == nullptr || !value->exponent) return false;
    if (static_cast<int64_t>(value->peaks.size()) != graph_.value(between).shape[1]) return false;
    const Powers powers = choose_powers(graph_, *consumer, *value);
    if (std::all_of(powers.begin(), powers.end(), [](int power) { return power == 0; })) return false;
    scale_outputs(producer, powers);
    scale_inputs(consumer, powers);
    for (size_t c = 0; c < powers.size(); ++c) {
      value->peaks[c] = std::ldexp(value->peaks[c], powers[c]);
      if (c < value->means.size()) value->means[c] = std::ldexp(value->means[c], powers[c]);
    }
    return true;
  }

  ValueProfile* find(const std::string& name) {
    const auto found = std::find_if(profile_.values.begin(), profile_.values.end(),
                                    [&](const ValueProfile& value) { return value.name == name; });
    return found == profile_.values.end() ? nullptr : &*found;
  }

  void scale_outputs(Node* node, const Powers& powers) {
    const bool innermost = output_channel_axis(*node) == 1;
    const std::span<const float> weights = floats(graph_, node->inputs[kWeights]);
    const size_t length = weights.size() / powers.size();
    replace(node, kWeights, [&](size_t at) { return powers[innermost ? at % powers.size() : at / length]; });
    if (node->input(kBias) != kNoValue) replace(node, kBias, [&](size_t at) { return powers[at]; });
  }

  void scale_inputs(Node* node, const Powers& powers) {
    std::vector<int> by_weight(floats(graph_, node->inputs[kWeights]).size());
    for_each_weight(graph_, *node, [&](size_t at, size_t input) { by_weight[at] = -powers[input]; });
    replace(node, kWeights, [&](size_t at) { return by_weight[at]; });
  }

  // Replaces a constant operand with a copy whose elements are multiplied by 2^power(index).
  template <typename Power>
  void replace(Node* node, size_t operand, Power power) {
    const Value old = graph_.value(node->inputs[operand]);
    const auto count = static_cast<size_t>(old.shape.num_elements());
    std::vector<float> elements(old.data<float>(), old.data<float>() + count);
    for (size_t at = 0; at < count; ++at) elements[at] = std::ldexp(elements[at], power(at));
    graph_.set_input(node, operand, graph_.add_constant(old.name, elements, old.shape));
  }

  Graph& graph_;
  QuantizationProfile& profile_;
};

}  // namespace

int equalise(Graph& graph, QuantizationProfile& profile) { return Equaliser(graph, profile).run(); }

}  // namespace nestrt::compiler
