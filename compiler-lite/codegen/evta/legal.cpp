// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/legal.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "compiler-lite/codegen/evta/layer/conv.h"
#include "compiler-lite/codegen/evta/layer/max_pool.h"
#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/passes/integers/power_of_two.h"
#include "compiler-lite/passes/product.h"
#include "kernels/common/math/activation.h"
#include "kernels/common/quantization/s8_operands.h"
#include "kernels/conv/geometry.h"
#include "kernels/pool/pool.h"

namespace nestrt::compiler::evta {
namespace {

constexpr int kMaxFactorBits = 6;  // 2^6 is the largest power of two that fits a weight

Status refused(std::string why) { return Status(Code::kUnsupported, std::move(why)); }

// Returns why a tensor has no exponent, or an empty string.
std::string why_scaled(const TensorSpec& tensor, std::string_view what) {
  if (!tensor.present || tensor.quantization == nullptr) return {};
  const auto& scales = tensor.quantization->scales;
  const auto& zero_points = tensor.quantization->zero_points;
  for (size_t i = 0; i < scales.size(); ++i) {
    const int32_t zero_point = i < zero_points.size() ? zero_points[i] : 0;
    if (zero_point != 0 || !exponent_of_scale(scales[i]))
      return fmt::format("{} has scale {:g} and zero point {}; EVTA requires a power of two and 0", what, scales[i],
                         zero_point);
  }
  return {};
}

// Returns the reason why an operator whose tensors have scales is rejected.
Status refused_scales(const OperatorSpec& spec) {
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const bool is_constant = spec.inputs[i].present && spec.inputs[i].constant != nullptr;
    const std::string why = why_scaled(spec.inputs[i], is_constant ? "its constant" : "its input");
    if (!why.empty()) return refused(why);
  }
  const std::string why = spec.outputs.empty() ? std::string() : why_scaled(spec.outputs[0], "its result");
  return refused(why.empty() ? "it has no exact form with exponents: shifts must be 0 to 31 and sums must fit 32 bits"
                             : why);
}

std::vector<int8_t> weights_of(const Value& value) {
  const auto* const elements = value.data<int8_t>();
  return {elements, elements + value.shape.num_elements()};
}

void set_epilogue(const s8::Epilogue& epilogue, ConvLayer* layer) {
  const bool same = std::all_of(epilogue.shifts.begin(), epilogue.shifts.end(),
                                [&](int shift) { return shift == epilogue.shifts[0]; });
  layer->shifts.assign(epilogue.shifts.begin(), same ? epilogue.shifts.begin() + 1 : epilogue.shifts.end());
  layer->rounding = epilogue.rounding;
  layer->bounds = epilogue.bounds;
  if (epilogue.has_residual) layer->residual = epilogue.residual_shifts;
}

// Sets the bias and the node's epilogue.
Status set_constants(const Graph& graph, const Node& node, const s8::Epilogue& epilogue, ConvLayer* layer) {
  if (epilogue.wide && graph.value(node.outputs[0]).shape.rank() < 3)
    return refused("its result stays in f32 and is not an image");
  layer->wide = epilogue.wide;
  if (epilogue.wide)
    layer->shifts = {0};
  else
    set_epilogue(epilogue, layer);
  if (const ValueId bias = node.input(kBias); bias != kNoValue) {
    const auto* values = graph.value(bias).data<int32_t>();
    layer->bias.assign(values, values + layer->out_channels);
  }
  return ok_status();
}

// Returns the axis for `output` windows, the first of which starts `begin` elements before the input. Padding at the
// end that no window reads is dropped.
LayerAxis axis_of(int64_t input, int64_t output, int64_t kernel, int64_t stride, int64_t begin) {
  return {input, kernel, stride, begin, std::max<int64_t>(0, (output - 1) * stride + kernel - input - begin)};
}

Result<NodeLayer> conv_layer(const Graph& graph, const Node& node, const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const kernels::ConvGeometry geometry, kernels::conv_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(const s8::Epilogue epilogue, s8::conv_epilogue(spec));
  const auto& [depth, y, x] = geometry.axes;
  if (depth.kernel != 1 || depth.input != 1) return refused("it has three spatial axes");
  if ((y.dilation != 1 && y.kernel > 1) || (x.dilation != 1 && x.kernel > 1)) return refused("it is dilated");
  ConvLayer layer;
  layer.name = node.name;
  layer.images = geometry.batch;
  layer.in_channels = geometry.in_channels;
  layer.out_channels = geometry.out_channels;
  layer.groups = geometry.group;
  layer.y = axis_of(y.input, y.output, y.kernel, y.stride, y.pad_begin);
  layer.x = axis_of(x.input, x.output, x.kernel, x.stride, x.pad_begin);
  layer.weights = weights_of(graph.value(node.inputs[kWeights]));
  NESTRT_RETURN_IF_ERROR(set_constants(graph, node, epilogue, &layer));
  return NodeLayer{std::move(layer), node.inputs[0], node.input(kResidual)};
}

Result<NodeLayer> dense_layer(const Graph& graph, const Node& node, const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const s8::Epilogue epilogue, s8::dense_epilogue(spec));
  ConvLayer layer;
  layer.name = node.name;
  layer.images = spec.inputs[0].shape[0];
  layer.in_channels = spec.inputs[1].shape[0];
  layer.out_channels = spec.inputs[1].shape[1];
  const std::vector<int8_t> weights = weights_of(graph.value(node.inputs[kWeights]));
  layer.weights.resize(weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto outputs = static_cast<size_t>(layer.out_channels), inputs = static_cast<size_t>(layer.in_channels);
    layer.weights[i % outputs * inputs + i / outputs] = weights[i];
  }
  NESTRT_RETURN_IF_ERROR(set_constants(graph, node, epilogue, &layer));
  return NodeLayer{std::move(layer), node.inputs[0], kNoValue};
}

// Returns an element-wise layer for tensors of this shape.
Result<ConvLayer> elementwise_layer(const Node& node, const Shape& shape) {
  if (shape.rank() < 2) return refused("its tensors have no channels");
  ConvLayer layer;
  layer.name = node.name;
  layer.images = shape[0];
  layer.in_channels = layer.out_channels = layer.groups = shape[1];
  if (shape.rank() > 2) layer.x.input = shape[shape.rank() - 1];
  if (shape.rank() > 3) layer.y.input = shape.product(2, shape.rank() - 1);
  layer.shifts = {0};
  return layer;
}

Result<NodeLayer> add_layer(const Graph& graph, const Node& node, const OperatorSpec& spec) {
  const ops::Binary& binary = *spec.as<ops::Binary>();
  if (binary.kind != ops::BinaryKind::kAdd) return refused("EVTA supports only sums of two tensors");
  NESTRT_ASSIGN_OR_RETURN(s8::AddShifts shifts, s8::binary_shifts(spec));
  if (!(spec.inputs[0].shape == spec.inputs[1].shape)) return refused("its operands have different shapes");
  if (graph.value(node.inputs[0]).is_constant() || graph.value(node.inputs[1]).is_constant()) {
    return refused("one of its operands is constant");
  }
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.outputs[0], "the output"));
  NESTRT_ASSIGN_OR_RETURN(ConvLayer layer, elementwise_layer(node, spec.outputs[0].shape));
  // The accumulator supports larger left shifts than the residual.
  const bool swap = shifts.left_b > shifts.left_a;
  if (swap) std::swap(shifts.left_a, shifts.left_b);
  layer.residual = shifts;
  layer.rounding = binary.rounding;
  layer.bounds = s8::activation_bounds(binary.activation, exponent, binary.rounding);
  return NodeLayer{std::move(layer), node.inputs[swap ? 1 : 0], node.inputs[swap ? 0 : 1]};
}

Result<NodeLayer> average_layer(const Node& node, const OperatorSpec& spec, const MaxPoolLayer& windows) {
  const ops::Pool& pool = *spec.as<ops::Pool>();
  const auto count = static_cast<uint64_t>(windows.y.kernel * windows.x.kernel);
  if (!std::has_single_bit(count)) {
    return refused(fmt::format("it averages {} elements; EVTA only divides by powers of two", count));
  }
  for (const LayerAxis& axis : {windows.y, windows.x}) {
    if ((axis.pad_begin > 0 || axis.pad_end > 0) && !pool.count_include_pad) {
      return refused("its windows at the border average fewer elements");
    }
  }
  if (pool.ceil_mode) return refused("its last windows may average fewer elements");
  ConvLayer layer;
  layer.name = node.name;
  layer.images = windows.images;
  layer.in_channels = layer.out_channels = layer.groups = windows.channels;
  layer.y = windows.y;
  layer.x = windows.x;
  layer.shifts = {static_cast<uint8_t>(std::countr_zero(count))};
  layer.rounding = pool.rounding;
  return NodeLayer{std::move(layer), node.inputs[0], kNoValue};
}

Result<NodeLayer> pool_layer(const Node& node, const OperatorSpec& spec) {
  const kernels::PoolParameters parameters = kernels::pool_parameters(spec);
  const kernels::PoolAxis &y = parameters.axes[1], &x = parameters.axes[2];
  if (parameters.axes[0].kernel != 1 || parameters.axes[0].input != 1) return refused("it has three spatial axes");
  if ((y.dilation != 1 && y.kernel > 1) || (x.dilation != 1 && x.kernel > 1)) return refused("it is dilated");
  const MaxPoolLayer layer = {.name = node.name,
                              .images = spec.inputs[0].shape[0],
                              .channels = spec.inputs[0].shape[1],
                              .y = axis_of(y.input, y.output, y.kernel, y.stride, y.pad_begin),
                              .x = axis_of(x.input, x.output, x.kernel, x.stride, x.pad_begin)};
  if (parameters.kind == ops::PoolKind::kAverage) return average_layer(node, spec, layer);
  if (parameters.kind != ops::PoolKind::kMax) return refused("EVTA does not support Lp norms");
  return NodeLayer{layer, node.inputs[0], kNoValue};
}

Result<NodeLayer> unary_layer(const Node& node, const OperatorSpec& spec) {
  const ops::Unary& unary = *spec.as<ops::Unary>();
  ops::Activation activation = {ops::ActivationKind::kRelu, unary.alpha, unary.beta};
  if (unary.kind == ops::UnaryKind::kClip)
    activation.kind = ops::ActivationKind::kClip;
  else if (unary.kind != ops::UnaryKind::kRelu)
    return refused("EVTA supports only the functions ReLU and clip");
  NESTRT_ASSIGN_OR_RETURN(const int exponent, s8::exponent_of(spec.outputs[0], "the output"));
  NESTRT_ASSIGN_OR_RETURN(ConvLayer layer, elementwise_layer(node, spec.outputs[0].shape));
  layer.bounds = s8::activation_bounds(activation, exponent, ops::Rounding::kHalfUp);
  return NodeLayer{std::move(layer), node.inputs[0], kNoValue};
}

Result<NodeLayer> requantize_layer(const Node& node, const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const int from, s8::exponent_of(spec.inputs[0], "the input"));
  NESTRT_ASSIGN_OR_RETURN(const int to, s8::exponent_of(spec.outputs[0], "the output"));
  const ops::Requantize& requantize = *spec.as<ops::Requantize>();
  if (!s8::has_bounds(requantize.activation.kind)) return refused("EVTA supports only the functions ReLU and clip");
  NESTRT_ASSIGN_OR_RETURN(ConvLayer layer, elementwise_layer(node, spec.outputs[0].shape));
  if (to - from > kMaxFactorBits)
    return refused(fmt::format("it multiplies elements by 2^{}; EVTA supports at most 2^6", to - from));
  if (to > from) layer.weights.assign(static_cast<size_t>(layer.out_channels), static_cast<int8_t>(1 << (to - from)));
  layer.shifts = {static_cast<uint8_t>(std::clamp(from - to, 0, s8::kMaxShift))};
  layer.rounding = requantize.rounding;
  layer.bounds = s8::activation_bounds(requantize.activation, to, requantize.rounding);
  return NodeLayer{std::move(layer), node.inputs[0], kNoValue};
}

// Checks that all activations are s8 with exponents. Errors: kUnsupported with the reason.
Status check_types(const OperatorSpec& spec) {
  const auto check = [&spec](const TensorSpec& tensor) {
    if (!tensor.present || tensor.constant != nullptr) return ok_status();
    if (tensor.type != DataType::kS8)
      return refused(fmt::format("it computes in {}; EVTA supports only s8", name(tensor.type)));
    if (tensor.quantization == nullptr || tensor.quantization->exponents.empty()) return refused_scales(spec);
    return ok_status();
  };
  for (const TensorSpec& tensor : spec.inputs) NESTRT_RETURN_IF_ERROR(check(tensor));
  return ok_status();
}

}  // namespace

Result<NodeLayer> layer_of(const Graph& graph, const Node& node) {
  const BoundOperator bound(graph, node);
  const OperatorSpec& spec = bound.spec();
  NESTRT_RETURN_IF_ERROR(check_types(spec));
  switch (node.kind()) {
    case ops::Kind::kConv:
      return conv_layer(graph, node, spec);
    case ops::Kind::kDense:
      return dense_layer(graph, node, spec);
    case ops::Kind::kBinary:
      return add_layer(graph, node, spec);
    case ops::Kind::kPool:
      return pool_layer(node, spec);
    case ops::Kind::kUnary:
      return unary_layer(node, spec);
    case ops::Kind::kRequantize:
      return requantize_layer(node, spec);
    default:
      return refused(fmt::format("EVTA has no {}", ops::name(node.kind())));
  }
}

NodeLayer part_of(const NodeLayer& node, const ChannelRange& part, int64_t block) {
  NodeLayer some = node;
  if (auto* pool = std::get_if<MaxPoolLayer>(&some.layer)) {
    pool->channels = part.end - part.begin;
    return some;
  }
  const auto& whole = std::get<ConvLayer>(node.layer);
  const int64_t end = part.end_row > 0 ? std::min(part.end + block, whole.out_channels) : int64_t{part.end};
  ConvLayer layer = some_channels(whole, part.begin, end);
  layer.begin_row = part.begin_row;
  layer.end_row = part.end_row;
  some.layer = std::move(layer);
  return some;
}

Result<std::unique_ptr<LayerGenerator>> generator_of(const isa::Configuration& configuration, const NodeLayer& node) {
  if (const auto* pool = std::get_if<MaxPoolLayer>(&node.layer)) {
    NESTRT_ASSIGN_OR_RETURN(MaxPoolGenerator generator, MaxPoolGenerator::create(configuration, *pool));
    return std::unique_ptr<LayerGenerator>(std::make_unique<MaxPoolGenerator>(std::move(generator)));
  }
  const auto& layer = *std::get_if<ConvLayer>(&node.layer);
  NESTRT_ASSIGN_OR_RETURN(ConvGenerator generator, ConvGenerator::create(configuration, layer));
  return std::unique_ptr<LayerGenerator>(std::make_unique<ConvGenerator>(std::move(generator)));
}

}  // namespace nestrt::compiler::evta
