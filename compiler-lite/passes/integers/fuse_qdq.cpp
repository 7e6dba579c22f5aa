// SPDX-License-Identifier: Apache-2.0
// QDQ models express integer arithmetic by a Quantize and a Dequantize around every float operator. This pass replaces
// these patterns by integer operators on s8 tensors, regardless of the model's integer type:
//
//   Quantize(operator(Dequantize(x), ...))  an integer operator: Conv, Dense, Binary, average pool, linear Resize,
//                                           Concat, and activations, which become tables
//   operator(Dequantize(x), weights)        Conv and Dense whose accumulators become floats
//   move(Dequantize(x))                     Dequantize(move(x)), for operators that move or select elements or pad
//   Quantize(Dequantize(x))                 x, or a Requantize
//
// Models may also move the integers themselves, for example by a MaxPool of u8. If all operands of a move have the same
// quantization, so does the result.
//
// Operands of a Binary or Concat may also be dequantized constants. Transposed convolutions have become Conv by then
// (split_transposed.cpp).
//
// Other patterns stay as float operators and remain correct.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "compiler-lite/graph/constant_integers.h"
#include "compiler-lite/graph/moves.h"
#include "compiler-lite/passes/integers/integer_products.h"
#include "compiler-lite/passes/passes.h"
#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"

namespace nestrt::compiler {
namespace {

// Maximum rounding error of an f32 bias, as a fraction of an output step; it changes at most this share of outputs by a
// step.
constexpr double kMaxBiasError = 1.0 / 64;

namespace s8c = kernels::s8c;
using s8c::Affine;

// Returns the scale and zero point of a tensor with per-tensor quantization.
std::optional<Affine> affine_of(const Value& value) {
  if (!value.quantization || value.quantization->axis != -1 || value.quantization->scales.size() != 1)
    return std::nullopt;
  const auto& zero_points = value.quantization->zero_points;
  return Affine{value.quantization->scales[0], zero_points.empty() ? 0 : zero_points[0]};
}

// Returns the quantization of the same real numbers in s8: u8 values minus 128.
std::optional<Affine> affine_in_s8(const Value& value) {
  std::optional<Affine> affine = affine_of(value);
  if (affine && value.type == DataType::kU8) affine->zero_point -= 128;
  return affine && (value.type == DataType::kS8 || value.type == DataType::kU8) ? affine : std::nullopt;
}

plan::Quantization quantization(const Affine& affine) {
  plan::Quantization result;
  result.scales = {affine.scale};
  result.zero_points = {affine.zero_point};
  return result;
}

// Returns true if the padding is 0, which any zero point can represent, or copies elements.
bool is_exact_pad(const Node& node) {
  const auto* pad = node.as<ops::Pad>();
  return pad != nullptr && (pad->mode != ops::PadMode::kConstant || pad->value == 0);
}

bool is_relu(const Node& node) {
  const auto* unary = node.as<ops::Unary>();
  return unary != nullptr && unary->kind == ops::UnaryKind::kRelu;
}

// The Quantize that is the only reader of a node's result, and its parameters.
struct Target {
  Node* quantize = nullptr;
  Affine affine;
};

class QdqFuser {
 public:
  explicit QdqFuser(Graph& graph) : graph_(graph) {}

  Result<int> run() {
    for (Node* node : snapshot(graph_)) NESTRT_RETURN_IF_ERROR(carry_quantization(node));
    graph_.tidy();
    for (Node* node : snapshot(graph_)) store_in_s8(node);
    for (Node* node : snapshot(graph_)) NESTRT_RETURN_IF_ERROR(lift_quantize(node));
    graph_.tidy();
    for (Node* node : snapshot(graph_)) {
      if (!is_used(graph_, *node)) continue;
      NESTRT_ASSIGN_OR_RETURN(const bool changed, rewrite(node));
      changes_ += changed;
    }
    graph_.tidy();
    return changes_;
  }

 private:
  // --- Preparation: propagates quantization to integers, converts Quantize to s8 and moves it up ---

  // Returns true if the node only changes the quantization of integers.
  bool reinterprets(const Node& node) const {
    return node.as<ops::Reshape>() && graph_.value(node.inputs[0]).shape == graph_.value(node.outputs[0]).shape;
  }

  // Returns the value before its quantization was removed, or kNoValue if none was removed.
  ValueId with_quantization(ValueId id) const {
    const Node* node = id == kNoValue ? nullptr : graph_.producer(id);
    if (node == nullptr || graph_.value(id).quantization || !reinterprets(*node)) return kNoValue;
    return affine_in_s8(graph_.value(node->inputs[0])) ? node->inputs[0] : kNoValue;
  }

  // Rewrites move(integers(x)) to integers(move(x)). Drops a reinterpretation that changes nothing.
  Status carry_quantization(Node* node) {
    if (!moves_elements(*node)) return {};
    std::vector<ValueId> sources;
    for (ValueId id : node->inputs) {
      sources.push_back(with_quantization(id));
      if (sources.back() == kNoValue ||
          graph_.value(sources[0]).quantization != graph_.value(sources.back()).quantization)
        return {};
    }
    const Value result = graph_.value(node->outputs[0]);
    if (result.quantization && graph_.value(sources[0]).quantization == result.quantization) {
      if (!reinterprets(*node)) return take(node, sources);
      changes_ += forward(graph_, node->outputs[0], sources[0]);
      return {};
    }
    if (result.quantization || reinterprets(*node)) return {};
    NESTRT_ASSIGN_OR_RETURN(Node * moved,
                            graph_.add_node(node->name, node->attributes, sources, {result.name + ".quantized"}));
    graph_.value(moved->outputs[0]).quantization = graph_.value(sources[0]).quantization;
    ops::Reshape same{.shape = {result.shape.begin(), result.shape.end()}};
    ++changes_;
    return replace(graph_, node, std::move(same), {moved->outputs[0]}).error();
  }

  Status take(Node* node, const std::vector<ValueId>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) graph_.set_input(node, i, inputs[i]);
    ++changes_;
    return {};
  }

  // Rewrites Quantize(move(x)) to move(Quantize(x)) repeatedly, for as long as possible.
  Status lift_quantize(Node* quantize) {
    while (quantize->as<ops::Quantize>() && affine_of(graph_.value(quantize->outputs[0]))) {
      Node* move = graph_.producer(quantize->inputs[0]);
      const bool lifts = move != nullptr && (move->as<ops::Reshape>() || move->as<ops::Transpose>()) &&
                         graph_.has_single_use(move->outputs[0]);
      if (!lifts) return {};
      const Value result = graph_.value(quantize->outputs[0]);
      NESTRT_ASSIGN_OR_RETURN(Node * early, graph_.add_node(quantize->name, quantize->attributes, {move->inputs[0]},
                                                            {result.name + ".early"}));
      graph_.value(early->outputs[0]).quantization = result.quantization;
      NESTRT_RETURN_IF_ERROR(replace(graph_, quantize, move->attributes, {early->outputs[0]}).error());
      quantize = early;
      ++changes_;
    }
    return {};
  }

  void store_in_s8(Node* node) {
    auto* quantize = node->as<ops::Quantize>();
    if (quantize == nullptr) return;
    const ValueId id = node->outputs[0];
    const std::vector<Node*>& users = graph_.users(id);
    const auto affine = affine_in_s8(graph_.value(id));
    const bool only_dequantized =
        !graph_.is_output(id) && std::all_of(users.begin(), users.end(),
                                             [](const Node* user) { return user->as<ops::Dequantize>() != nullptr; });
    if (!affine || !only_dequantized) return;
    quantize->to = DataType::kS8;
    graph_.value(id).type = DataType::kS8;
    graph_.value(id).quantization = quantization(*affine);
  }

  // --- Integers of values ---

  // Returns the integers whose Dequantize is the operand, if they have one scale, or else kNoValue.
  ValueId integers(const Node& node, size_t index) const {
    const ValueId id = node.input(index);
    const Node* producer = id == kNoValue ? nullptr : graph_.producer(id);
    if (producer == nullptr || !producer->as<ops::Dequantize>()) return kNoValue;
    return affine_in_s8(graph_.value(producer->inputs[0])) ? producer->inputs[0] : kNoValue;
  }

  // Returns the s8 integers of a dequantized constant with one scale, or kNoValue.
  ValueId s8_constant(ValueId id) {
    if (id == kNoValue || !graph_.value(id).is_constant()) return kNoValue;
    if (const auto known = constants_.find(id); known != constants_.end()) return known->second;
    const Value constant = graph_.value(id);
    auto found = constant_integers(constant);
    if (!found || found->type == DataType::kS32 || constant.source_quantization->scales.size() != 1)
      return constants_[id] = kNoValue;
    Affine affine{constant.source_quantization->scales[0], constant.source_quantization->zero_points[0]};
    if (found->type == DataType::kU8) {
      affine.zero_point -= 128;
      for (std::byte& element : found->elements) element ^= std::byte{0x80};
    }
    const ValueId integers =
        graph_.add_constant(constant.name + ".s8", DataType::kS8, constant.shape, std::move(found->elements));
    graph_.value(integers).quantization = quantization(affine);
    return constants_[id] = integers;
  }

  // Returns the integers of all operands; empty if an operand has no integer form.
  std::vector<ValueId> all_integers(const Node& node) {
    const bool supports_constants = node.as<ops::Binary>() != nullptr || node.as<ops::Concat>() != nullptr;
    std::vector<ValueId> result;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      result.push_back(integers(node, i));
      if (result.back() == kNoValue && supports_constants) result.back() = s8_constant(node.input(i));
      if (result.back() == kNoValue) return {};
    }
    return result;
  }

  Affine affine(ValueId id) const { return *affine_in_s8(graph_.value(id)); }

  Result<ValueId> requantized(ValueId id, DataType type, const Affine& to, const ops::Activation& activation = {}) {
    ops::Requantize requantize;
    requantize.to = type;
    requantize.activation = activation;
    const std::string name = graph_.value(id).name;
    NESTRT_ASSIGN_OR_RETURN(Node * node, graph_.add_node(name + ".requantize", requantize, {id},
                                                         {fmt::format("{}.{}", name, nestrt::name(type))}));
    graph_.value(node->outputs[0]).quantization = quantization(to);
    return node->outputs[0];
  }

  // Returns the same integers as s8, from any stored type.
  Result<ValueId> in_s8(ValueId id) {
    if (graph_.value(id).type == DataType::kS8) return id;
    if (const auto known = in_s8_.find(id); known != in_s8_.end()) return known->second;
    NESTRT_ASSIGN_OR_RETURN(const ValueId same, requantized(id, DataType::kS8, affine(id)));
    in_s8_.emplace(id, same);
    return same;
  }

  // Makes the Dequantize users of `old` read `same`, which contains the same numbers in s8.
  void dequantize_instead(ValueId old, ValueId same) {
    for (Node* user : std::vector<Node*>(graph_.users(old)))
      if (user->as<ops::Dequantize>()) graph_.set_input(user, 0, same);
  }

  Result<std::vector<ValueId>> all_in_s8(const std::vector<ValueId>& ids) {
    std::vector<ValueId> result;
    for (ValueId id : ids) {
      NESTRT_ASSIGN_OR_RETURN(const ValueId integer, in_s8(id));
      result.push_back(integer);
    }
    return result;
  }

  std::optional<Target> target_of(const Node& node) const {
    if (!graph_.has_single_use(node.outputs[0])) return std::nullopt;
    Node* user = graph_.users(node.outputs[0])[0];
    const auto to = user->as<ops::Quantize>() ? affine_in_s8(graph_.value(user->outputs[0])) : std::nullopt;
    return to ? std::optional(Target{user, *to}) : std::nullopt;
  }

  // Replaces the result of a Quantize by `id`, which contains the same numbers in s8.
  Status replace_quantize(Node* quantize, ValueId id) {
    const ValueId old = quantize->outputs[0];
    const Value before = graph_.value(old);
    dequantize_instead(old, id);
    ValueId same = id;
    const bool is_read = !graph_.users(old).empty() || graph_.is_output(old);
    if (is_read && before.type != DataType::kS8) {
      NESTRT_ASSIGN_OR_RETURN(same, requantized(id, before.type, *affine_of(before)));
      in_s8_.emplace(same, id);
    }
    retire(graph_, quantize);
    graph_.replace_uses(old, same);
    return {};
  }

  // Replaces `node` and the Quantize after it by an integer operator.
  Status replace_with(const Node& node, ops::Attributes attributes, const std::vector<ValueId>& inputs,
                      const Target& target) {
    const std::string name = graph_.value(target.quantize->outputs[0]).name;
    NESTRT_ASSIGN_OR_RETURN(Node * added, graph_.add_node(node.name, std::move(attributes), inputs, {name}));
    graph_.value(added->outputs[0]).quantization = quantization(target.affine);
    return replace_quantize(target.quantize, added->outputs[0]);
  }

  // --- Rewrite rules ---

  Result<bool> rewrite(Node* node) {
    if (node->as<ops::Quantize>()) return rewrite_quantize(node);
    if (is_product(*node)) return rewrite_product(node);
    if (graph_.value(node->outputs[0]).type == DataType::kU8) return rewrite_u8(node);
    const std::vector<ValueId> operands = all_integers(*node);
    if (operands.empty()) return false;
    const auto alike = [&](ValueId id) { return affine(id) == affine(operands[0]); };
    const auto target = target_of(*node);
    const bool relu = is_relu(*node) && !(target && !(target->affine == affine(operands[0])));
    if ((moves_elements(*node) || is_exact_pad(*node) || relu) && std::all_of(operands.begin(), operands.end(), alike))
      return rewrite_move(node, operands);
    return target ? rewrite_computation(*node, operands, *target) : Result<bool>(false);
  }

  Result<bool> rewrite_quantize(Node* node) {
    const ValueId id = integers(*node, 0);
    const auto to = affine_in_s8(graph_.value(node->outputs[0]));
    if (id == kNoValue || !to) return false;
    NESTRT_ASSIGN_OR_RETURN(const ValueId same, affine(id) == *to ? in_s8(id) : requantized(id, DataType::kS8, *to));
    NESTRT_RETURN_IF_ERROR(replace_quantize(node, same));
    return true;
  }

  // Adds an s8 version of a quantized u8 move, for readers of s8.
  Result<bool> rewrite_u8(Node* node) {
    const Value result = graph_.value(node->outputs[0]);
    const auto is_same = [&](ValueId id) { return graph_.value(id).quantization == result.quantization; };
    if (!moves_elements(*node) || !affine_in_s8(result) ||
        !std::all_of(node->inputs.begin(), node->inputs.end(), is_same))
      return false;
    NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, all_in_s8(node->inputs));
    NESTRT_ASSIGN_OR_RETURN(Node * moved, graph_.add_node(node->name, node->attributes, inputs, {result.name + ".s8"}));
    graph_.value(moved->outputs[0]).quantization = quantization(*affine_in_s8(result));
    in_s8_.emplace(node->outputs[0], moved->outputs[0]);
    dequantize_instead(node->outputs[0], moved->outputs[0]);
    return true;
  }

  Result<bool> rewrite_move(Node* node, const std::vector<ValueId>& operands) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, all_in_s8(operands));
    const std::string name = graph_.value(node->outputs[0]).name;
    ops::Attributes attributes = node->attributes;
    if (auto* pad = std::get_if<ops::Pad>(&attributes)) pad->value = static_cast<float>(affine(inputs[0]).zero_point);
    NESTRT_ASSIGN_OR_RETURN(Node * moved, graph_.add_node(node->name, std::move(attributes), inputs, {name + ".s8"}));
    graph_.value(moved->outputs[0]).quantization = graph_.value(inputs[0]).quantization;
    node->name += ".dequantize";
    NESTRT_RETURN_IF_ERROR(replace(graph_, node, ops::Dequantize(), {moved->outputs[0]}).error());
    return true;
  }

  Result<bool> rewrite_computation(const Node& node, const std::vector<ValueId>& operands, const Target& target) {
    if (node.as<ops::Concat>()) return rewrite_concat(node, operands, target);
    if (const auto* unary = node.as<ops::Unary>()) return rewrite_unary(*unary, operands[0], target);
    if (!computes(node, operands, target)) return false;
    NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, all_in_s8(operands));
    NESTRT_RETURN_IF_ERROR(replace_with(node, node.attributes, inputs, target));
    return true;
  }

  // Returns true if the node has an integer form for these scales.
  bool computes(const Node& node, const std::vector<ValueId>& operands, const Target& target) const {
    const bool keeps_scale = affine(operands[0]) == target.affine;
    if (const auto* binary = node.as<ops::Binary>()) return combines(*binary, operands, target);
    if (const auto* pool = node.as<ops::Pool>())
      return is_s8_average(*pool) && (keeps_scale || ops::has_exponent_form(pool->rounding));
    return keeps_scale && interpolates(node);
  }

  bool combines(const ops::Binary& binary, const std::vector<ValueId>& operands, const Target& target) const {
    const Affine a = affine(operands[0]), b = affine(operands[1]);
    if (!kernels::s8::has_bounds(binary.activation.kind)) return false;
    switch (binary.kind) {
      case ops::BinaryKind::kAdd:
      case ops::BinaryKind::kSub:
        return s8c::add_factors(a.scale, b.scale, target.affine.scale).valid();
      case ops::BinaryKind::kMul:
      case ops::BinaryKind::kPrelu:
        return std::isfinite(a.scale / target.affine.scale) &&
               std::isfinite(s8c::multiplier(a.scale, b.scale, target.affine.scale));
      case ops::BinaryKind::kMin:
      case ops::BinaryKind::kMax:
        return a == target.affine && b == target.affine;
      default:
        return false;
    }
  }

  // Returns true for a linear interpolation of the rows and columns of images.
  bool interpolates(const Node& node) const {
    const auto* resize = node.as<ops::Resize>();
    if (resize == nullptr || resize->mode != ops::ResizeMode::kLinear ||
        resize->coordinate == ops::CoordinateMode::kTfCropAndResize)
      return false;
    const Shape &x = graph_.value(node.inputs[0]).shape, &y = graph_.value(node.outputs[0]).shape;
    const bool keeps_scales = resize->scales.empty() || (resize->scales[0] == 1 && resize->scales[1] == 1);
    return x.rank() == 4 && x[0] == y[0] && x[1] == y[1] && keeps_scales;
  }

  Result<bool> rewrite_concat(const Node& node, const std::vector<ValueId>& operands, const Target& target) {
    std::vector<ValueId> inputs;
    for (ValueId id : operands) {
      NESTRT_ASSIGN_OR_RETURN(const ValueId part,
                              affine(id) == target.affine ? in_s8(id) : requantized(id, DataType::kS8, target.affine));
      inputs.push_back(part);
    }
    NESTRT_RETURN_IF_ERROR(replace_with(node, node.attributes, inputs, target));
    return true;
  }

  Result<bool> rewrite_unary(const ops::Unary& unary, ValueId id, const Target& target) {
    const auto activation = as_activation(unary);
    if (!activation) return false;
    NESTRT_ASSIGN_OR_RETURN(const ValueId result, requantized(id, DataType::kS8, target.affine, *activation));
    NESTRT_RETURN_IF_ERROR(replace_quantize(target.quantize, result));
    return true;
  }

  Result<bool> rewrite_product(Node* node) {
    const ops::ActivationKind activation = product_activation(*node).kind;
    const ValueId x = integers(*node, 0);
    if (x == kNoValue || node->input(kResidual) != kNoValue) return false;
    std::optional<Target> target = target_of(*node);
    if (!kernels::s8::has_bounds(activation)) target.reset();  // the activation requires real numbers
    auto product = integer_product(graph_, *node, affine(x));
    if (!product || !has_finite_factors(*product, affine(x).scale, target ? target->affine.scale : 1.0f)) return false;
    if (!target || product->bias_error > kMaxBiasError * double{target->affine.scale})
      return rewrite_wide_product(node, x, std::move(*product));
    NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, product_inputs(*node, x, *product));
    NESTRT_RETURN_IF_ERROR(replace_with(*node, node->attributes, inputs, *target));
    return true;
  }

  // Rewrites a product whose result stays f32. A non-integer bias and the activation are applied to the f32 result.
  Result<bool> rewrite_wide_product(Node* node, ValueId x, IntegerProduct product) {
    const bool adds_bias = !product.bias_is_integer;
    if (adds_bias) product.bias.clear();
    NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, product_inputs(*node, x, product));
    const ops::Activation activation = product_activation(*node);
    ops::Attributes attributes = node->attributes;
    const auto widen = [](auto* wide) {
      if (wide == nullptr) return;
      wide->wide_output = true;
      wide->activation = {};
    };
    widen(std::get_if<ops::Conv>(&attributes));
    widen(std::get_if<ops::Dense>(&attributes));
    if (!adds_bias && activation.kind == ops::ActivationKind::kNone) {
      NESTRT_RETURN_IF_ERROR(replace(graph_, node, std::move(attributes), inputs).error());
      return true;
    }
    const std::string name = graph_.value(node->outputs[0]).name + ".products";
    NESTRT_ASSIGN_OR_RETURN(Node * products, graph_.add_node(node->name, std::move(attributes), inputs, {name}));
    if (!adds_bias) {
      node->name += ".activation";
      NESTRT_RETURN_IF_ERROR(replace(graph_, node, as_unary(activation), products->outputs).error());
      return true;
    }
    const ValueId bias = bias_to_broadcast(*node, graph_.value(products->outputs[0]).shape.rank());
    node->name += ".bias";
    const ops::Binary sum{.kind = ops::BinaryKind::kAdd, .activation = activation};
    NESTRT_RETURN_IF_ERROR(replace(graph_, node, sum, {products->outputs[0], bias}).error());
    return true;
  }

  // Returns the bias with trailing axes of 1 so that it broadcasts along the channels of the result.
  ValueId bias_to_broadcast(const Node& node, int rank) {
    const Value bias = graph_.value(node.inputs[kBias]);
    std::vector<int64_t> dims{bias.shape.num_elements()};
    if (node.as<ops::Conv>() != nullptr) dims.resize(static_cast<size_t>(rank - 1), 1);
    const std::span<const float> elements = floats(graph_, node.inputs[kBias]);
    return graph_.add_constant(bias.name + ".f32", std::vector<float>(elements.begin(), elements.end()), Shape(dims));
  }

  static bool has_finite_factors(const IntegerProduct& product, float input_scale, float output_scale) {
    return std::all_of(product.scales.begin(), product.scales.end(),
                       [&](float scale) { return std::isfinite(s8c::multiplier(input_scale, scale, output_scale)); });
  }

  Result<std::vector<ValueId>> product_inputs(const Node& node, ValueId x, const IntegerProduct& product) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId input, in_s8(x));
    const Value old = graph_.value(node.inputs[kWeights]);
    const ValueId weights = graph_.add_constant(old.name + ".s8", DataType::kS8, old.shape, to_bytes(product.weights));
    plan::Quantization scales;
    scales.scales = product.scales;
    scales.zero_points.assign(product.scales.size(), 0);
    scales.axis = output_channel_axis(node);
    graph_.value(weights).quantization = scales;
    std::vector<ValueId> inputs = {input, weights};
    if (product.bias.empty()) return inputs;
    const Value bias = graph_.value(node.inputs[kBias]);
    inputs.push_back(graph_.add_constant(bias.name + ".s32", DataType::kS32, bias.shape, to_bytes(product.bias)));
    return inputs;
  }

  Graph& graph_;
  std::unordered_map<ValueId, ValueId> in_s8_;      // by u8 value
  std::unordered_map<ValueId, ValueId> constants_;  // integers of constants, by f32 value
  int changes_ = 0;
};

}  // namespace

Result<int> fuse_qdq(Graph& graph) {
  NESTRT_ASSIGN_OR_RETURN(const int changes, QdqFuser(graph).run());
  // Moves that were separated by a Quantize and a Dequantize are now adjacent.
  NESTRT_ASSIGN_OR_RETURN(const int repeats, recognise_repeats(graph));
  return changes + repeats;
}

}  // namespace nestrt::compiler
