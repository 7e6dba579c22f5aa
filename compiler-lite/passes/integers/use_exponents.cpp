// SPDX-License-Identifier: Apache-2.0
// If a QDQ model's scales are powers of two, s8 operators give the same results, provided they round as the model's
// tool does (Graph::qdq_rounding). This pass replaces such scales by exponents, so that NPUs without support for real
// factors can run the operators. It changes no result: with half_even, both forms round the same numbers.
//
// An operator qualifies if all its operands have a power-of-two scale and zero point 0, and if its s8 form is exact.
// The operands and results of such operators get exponents. A Requantize converts them for other operators.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <unordered_map>

#include "compiler-lite/graph/rounding.h"
#include "compiler-lite/passes/integers/power_of_two.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"
#include "kernels/common/quantization/s8_arithmetic.h"

namespace nestrt::compiler {
namespace {

// The largest left shift of an addition's operand for which f32 represents the sum exactly, as needed to match ONNX.
constexpr int kMaxExactAlignment = 15;

// How a node supports exponents.
enum class ExponentUse {
  kRefused,   // the node needs scales
  kAccepted,  // the node accepts exponents for any of its operands
  kTogether,  // the node accepts exponents, but only for all operands together
  kComputed,  // the node computes with exponents, so its operands get them
};

class ExponentRewriter {
 public:
  explicit ExponentRewriter(Graph& graph) : graph_(graph), adopted_(graph.num_values(), false) {}

  Result<int> run() {
    const std::vector<Node*> nodes = snapshot(graph_);
    for (const Node* node : nodes) uses_.emplace(node, use_of(*node));
    for (const Node* node : nodes)
      if (starts_adoption(*node)) adopt_operands(*node);
    spread_adoption();
    for (Node* node : nodes)
      NESTRT_RETURN_IF_ERROR(uses_.at(node) == ExponentUse::kRefused ? separate(node) : Status());
    for (ValueId id = 0; id < static_cast<ValueId>(adopted_.size()); ++id)
      if (adopted_[static_cast<size_t>(id)]) state_exponent(id);
    for (Node* node : nodes) rewrite(node);
    graph_.tidy();
    return changes_;
  }

 private:
  std::optional<int> exponent(ValueId id) const {
    return id == kNoValue ? std::nullopt : power_of_two_exponent(graph_.value(id));
  }

  // --- What each node supports ---

  ExponentUse use_of(const Node& node) const {
    switch (node.kind()) {
      case ops::Kind::kQuantize:
      case ops::Kind::kDequantize:
        return ExponentUse::kAccepted;
      case ops::Kind::kRequantize:
        if (!ops::has_exponent_form(node.as<ops::Requantize>()->rounding)) return ExponentUse::kRefused;
        return have_exponents(node) ? ExponentUse::kTogether : ExponentUse::kAccepted;
      case ops::Kind::kReshape:
        return have_exponents(node) ? ExponentUse::kTogether : ExponentUse::kAccepted;
      case ops::Kind::kTranspose:
      case ops::Kind::kSlice:
      case ops::Kind::kConcat:
        return have_exponents(node) ? ExponentUse::kTogether : ExponentUse::kRefused;
      case ops::Kind::kUnary:
        return is_relu(node) && have_exponents(node) ? ExponentUse::kTogether : ExponentUse::kRefused;
      case ops::Kind::kPool:
        return pools(node);
      case ops::Kind::kBinary:
        return adds(node) ? ExponentUse::kComputed : ExponentUse::kRefused;
      case ops::Kind::kConv:
      case ops::Kind::kDense:
        return multiplies(node) ? ExponentUse::kComputed : ExponentUse::kRefused;
      default:
        return ExponentUse::kRefused;
    }
  }

  bool have_exponents(const Node& node) const {
    const auto has_exponent = [this](ValueId id) { return exponent(id).has_value(); };
    return std::all_of(node.inputs.begin(), node.inputs.end(), has_exponent) && has_exponent(node.outputs[0]);
  }

  static bool is_relu(const Node& node) { return node.as<ops::Unary>()->kind == ops::UnaryKind::kRelu; }

  ExponentUse pools(const Node& node) const {
    if (!have_exponents(node) || exponent(node.inputs[0]) != exponent(node.outputs[0])) return ExponentUse::kRefused;
    if (!ops::has_exponent_form(node.as<ops::Pool>()->rounding)) return ExponentUse::kRefused;
    return node.as<ops::Pool>()->kind == ops::PoolKind::kMax ? ExponentUse::kTogether : ExponentUse::kComputed;
  }

  bool adds(const Node& node) const {
    if (node.as<ops::Binary>()->kind != ops::BinaryKind::kAdd || !have_exponents(node)) return false;
    const auto shifts =
        kernels::s8::add_shifts(*exponent(node.inputs[0]), *exponent(node.inputs[1]), *exponent(node.outputs[0]));
    return shifts.valid() && std::max(shifts.left_a, shifts.left_b) <= kMaxExactAlignment;
  }

  bool multiplies(const Node& node) const {
    const auto* conv = node.as<ops::Conv>();
    const bool is_wide = conv != nullptr ? conv->wide_output : node.as<ops::Dense>()->wide_output;
    const std::optional<int> input = exponent(node.inputs[0]), output = exponent(node.outputs[0]);
    const std::vector<int8_t> weights = power_of_two_exponents(graph_.value(node.inputs[kWeights]));
    if (!input || weights.empty() || (!is_wide && !output)) return false;
    return is_wide || shifts_fit(node, *input - *output, weights);
  }

  // Returns true if every accumulator is shifted by 0 to 31 and cannot overflow with the rounding term. `around`: the
  // part of the shift that does not come from the weights' exponent.
  bool shifts_fit(const Node& node, int around, const std::vector<int8_t>& weights) const {
    const std::vector<int64_t> sums = largest_sums(graph_, node);
    for (size_t c = 0; c < sums.size(); ++c) {
      const int shift = around + weights[weights.size() == 1 ? 0 : c];
      if (shift < 0 || shift > kernels::s8::kMaxShift) return false;
      if (sums[c] + kernels::s8::rounding_term(shift, ops::Rounding::kHalfUp) > INT32_MAX) return false;
    }
    return true;
  }

  // --- Which values get exponents ---

  bool is_adopted(ValueId id) const { return id != kNoValue && adopted_[static_cast<size_t>(id)]; }

  // If the rounding differs from ONNX's, it applies to all values with power-of-two scales.
  bool starts_adoption(const Node& node) const {
    const ExponentUse use = uses_.at(&node);
    return use == ExponentUse::kComputed ||
           (use == ExponentUse::kAccepted && graph_.qdq_rounding != ops::Rounding::kHalfEven);
  }

  void adopt(ValueId id) {
    if (!exponent(id) || is_adopted(id)) return;
    adopted_[static_cast<size_t>(id)] = true;
    waiting_.push_back(id);
  }

  void adopt_operands(const Node& node) {
    for (const ValueId id : node.inputs) adopt(id);
    adopt(node.outputs[0]);
  }

  void spread_adoption() {
    while (!waiting_.empty()) {
      const ValueId id = waiting_.back();
      waiting_.pop_back();
      if (const Node* producer = graph_.producer(id);
          producer != nullptr && uses_.at(producer) == ExponentUse::kTogether)
        adopt_operands(*producer);
      for (const Node* user : graph_.users(id))
        if (uses_.at(user) == ExponentUse::kTogether) adopt_operands(*user);
    }
  }

  // --- Rewriting ---

  // Converts the operands and the result of a node that needs scales.
  Status separate(Node* node) {
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      if (!is_adopted(node->inputs[i])) continue;
      NESTRT_ASSIGN_OR_RETURN(const ValueId scaled, with_scale(node->inputs[i]));
      graph_.set_input(node, i, scaled);
    }
    return is_adopted(node->outputs[0]) ? separate_output(node) : Status();
  }

  Result<ValueId> with_scale(ValueId id) {
    const auto [found, is_new] = scaled_.try_emplace(id, kNoValue);
    if (!is_new) return found->second;
    NESTRT_ASSIGN_OR_RETURN(const ValueId scaled, requantized(id, ".scaled"));
    return scaled_[id] = scaled;
  }

  // Gives the readers of the result a copy with an exponent; graph outputs keep the result.
  Status separate_output(Node* node) {
    const ValueId result = node->outputs[0];
    const std::vector<Node*> users = graph_.users(result);
    NESTRT_ASSIGN_OR_RETURN(const ValueId copy, requantized(result, ".exponent"));
    adopted_[static_cast<size_t>(result)] = false;
    adopted_[static_cast<size_t>(copy)] = true;
    for (Node* user : users)
      for (size_t i = 0; i < user->inputs.size(); ++i)
        if (user->inputs[i] == result && uses_.at(user) != ExponentUse::kRefused) graph_.set_input(user, i, copy);
    return {};
  }

  Result<ValueId> requantized(ValueId id, const std::string& suffix) {
    const std::string name = graph_.value(id).name + suffix;
    NESTRT_ASSIGN_OR_RETURN(const Node* node, graph_.add_node(name, ops::Requantize(), {id}, {name}));
    graph_.value(node->outputs[0]).quantization = graph_.value(id).quantization;
    adopted_.resize(graph_.num_values(), false);
    return node->outputs[0];
  }

  void state_exponent(ValueId id) {
    plan::Quantization exponents;
    exponents.exponents = {static_cast<int8_t>(*exponent(id))};
    graph_.value(id).quantization = exponents;
    ++changes_;
  }

  void rewrite(Node* node) {
    const ops::Rounding rounding = graph_.qdq_rounding;
    if (auto* quantize = node->as<ops::Quantize>(); quantize != nullptr && is_adopted(node->outputs[0]))
      quantize->rounding = rounding_of_reals(rounding);
    if (auto* requantize = node->as<ops::Requantize>(); requantize != nullptr && is_adopted(node->outputs[0]))
      requantize->rounding = rounding;
    if (uses_.at(node) != ExponentUse::kComputed) return;
    if (auto* conv = node->as<ops::Conv>()) conv->rounding = rounding;
    if (auto* dense = node->as<ops::Dense>()) dense->rounding = rounding;
    if (auto* binary = node->as<ops::Binary>()) binary->rounding = sum_rounding(*binary);
    if (auto* pool = node->as<ops::Pool>()) pool->rounding = rounding;
    if (is_product(*node)) state_weight_exponents(node);
  }

  // Additions of TensorFlow Lite models round half up unless the caller specifies the rounding of the model's tool.
  ops::Rounding sum_rounding(const ops::Binary& binary) const {
    const bool is_default = graph_.qdq_rounding == ops::Rounding::kHalfEven;
    return is_default && !ops::has_exponent_form(binary.rounding) ? ops::Rounding::kHalfUp : graph_.qdq_rounding;
  }

  // Copies the weights because other nodes may read them with their scales.
  void state_weight_exponents(Node* node) {
    Value weights = graph_.value(node->inputs[kWeights]);
    plan::Quantization exponents;
    exponents.exponents = power_of_two_exponents(weights);
    exponents.axis = exponents.exponents.size() == 1 ? -1 : weights.quantization->axis;
    weights.quantization = exponents;
    graph_.set_input(node, kWeights, graph_.add_value(std::move(weights)));
  }

  Graph& graph_;
  std::unordered_map<const Node*, ExponentUse> uses_;
  std::vector<bool> adopted_;                    // by value
  std::vector<ValueId> waiting_;                 // adopted values whose neighbours have not been visited
  std::unordered_map<ValueId, ValueId> scaled_;  // copies with scales, by adopted value
  int changes_ = 0;
};

}  // namespace

Result<int> use_exponents(Graph& graph) { return ExponentRewriter(graph).run(); }

}  // namespace nestrt::compiler
