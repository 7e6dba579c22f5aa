// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>

#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/float_forms.h"

namespace nestrt::compiler {
namespace {

// Returns [C, 1, 1, ...], one number per channel of a tensor of `rank` dimensions.
Shape channel_shape(int64_t channels, int rank) {
  Shape shape{channels};
  for (int axis = 2; axis < rank; ++axis) shape.push_back(1);
  return shape;
}

// Imports y = (x - mean) / sqrt(variance + epsilon) * scale + bias as one multiplication and one addition per element.
// The factors are computed in double. A pass fuses both into a preceding convolution.
Status import_batch_normalization(NodeContext& node) {
  for (const char* name : {"momentum", "is_test", "consumed_inputs"}) node.ignore(name);
  if (node.flag("training_mode", false))
    return node.unsupported("training_mode is not supported; export for inference");
  if (!node.flag("spatial", true))
    return node.unsupported("spatial = 0 (mean and variance per element, removed in opset 9) is not supported");
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  BatchNormalization stated;
  stated.epsilon = node.attribute("epsilon", 1e-5f);
  std::vector<float>* const parameters[4] = {&stated.scale, &stated.bias, &stated.mean, &stated.variance};
  const char* names[4] = {"scale", "bias", "mean", "variance"};
  const Shape shape = node.shape(x);
  if (shape.rank() < 2) return node.invalid(fmt::format("input of shape {} has no channel axis", shape.to_string()));
  for (size_t i = 0; i < 4; ++i) {
    NESTRT_ASSIGN_OR_RETURN(*parameters[i], node.constant_floats(i + 1, names[i]));
    if (static_cast<int64_t>(parameters[i]->size()) != shape[1]) {
      return node.invalid(fmt::format("{} has {} elements for {} channels", names[i], parameters[i]->size(), shape[1]));
    }
  }
  std::vector<float> factor(stated.scale.size());
  std::vector<float> offset(factor.size());
  for (size_t c = 0; c < factor.size(); ++c) {
    const double by = double{stated.scale[c]} / std::sqrt(double{stated.variance[c]} + double{stated.epsilon});
    factor[c] = static_cast<float>(by);
    offset[c] = static_cast<float>(double{stated.bias[c]} - double{stated.mean[c]} * by);
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId factors,
                          node.factors(factor, channel_shape(shape[1], shape.rank()), std::move(stated)));
  NESTRT_ASSIGN_OR_RETURN(const ValueId offsets, node.constant(offset, channel_shape(shape[1], shape.rank())));
  NESTRT_ASSIGN_OR_RETURN(const ValueId product, node.binary(ops::BinaryKind::kMul, x, factors));
  return node.set_output(node.binary(ops::BinaryKind::kAdd, product, offsets));
}

Status import_instance_normalization(NodeContext& node) {
  node.ignore("consumed_inputs");
  NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, node.all_inputs());
  ops::InstanceNorm norm;
  norm.epsilon = node.attribute("epsilon", 1e-5f);
  return node.finish(std::move(norm), std::move(inputs));
}

// Imports each group as one channel of an instance normalization. Scale and bias apply per channel since opset 21, per
// group in opset 18.
Status import_group_normalization(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, node.all_inputs());
  NESTRT_ASSIGN_OR_RETURN(const int64_t groups, node.required_int("num_groups"));
  node.ignore("stash_type");
  const Shape shape = node.shape(inputs[0]);
  if (inputs.size() != 3 || shape.rank() < 2 || groups < 1 || shape[0] < 1 || shape[1] < 1 || shape[1] % groups != 0) {
    return node.invalid(fmt::format("num_groups {} does not divide the channels of {}", groups, shape.to_string()));
  }
  ops::InstanceNorm norm;
  norm.epsilon = node.attribute("epsilon", 1e-5f);
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kF32, {groups}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId one,
                          node.constant(std::vector<float>(static_cast<size_t>(groups), 1), {groups}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero,
                          node.constant(std::vector<float>(static_cast<size_t>(groups), 0), {groups}));
  const int64_t rest = shape.num_elements() / (shape[0] * groups);
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.reshape(inputs[0], {shape[0], groups, rest}));
  NESTRT_ASSIGN_OR_RETURN(y, node.add(std::move(norm), {y, one, zero}));
  const bool by_group = node.opset() < 21;
  const Shape scaled = by_group ? Shape{shape[0], groups, rest} : shape;
  const int64_t length = by_group ? groups : shape[1];
  NESTRT_ASSIGN_OR_RETURN(y, node.reshape(y, scaled));
  for (const size_t operand : {size_t{1}, size_t{2}}) {
    if (node.shape(inputs[operand]).num_elements() != length)
      return node.invalid("scale and bias have the wrong length");
    NESTRT_ASSIGN_OR_RETURN(const ValueId factor, node.reshape(inputs[operand], channel_shape(length, scaled.rank())));
    NESTRT_ASSIGN_OR_RETURN(y, node.binary(operand == 1 ? ops::BinaryKind::kMul : ops::BinaryKind::kAdd, y, factor));
  }
  return node.set_output(node.reshape(y, shape));
}

Result<ValueId> mean_over(NodeContext& node, ValueId x, const std::vector<int>& axes) {
  ops::Reduce reduce;
  reduce.axes.assign(axes.begin(), axes.end());
  return node.add(std::move(reduce), {x});
}

// Computes the optional outputs mean and 1 / sqrt(variance + epsilon) separately, because few models use them.
Status layer_statistics(NodeContext& node, ValueId x, int axis, float epsilon) {
  std::vector<int> axes;
  for (int i = axis; i < node.shape(x).rank(); ++i) axes.push_back(i);
  NESTRT_ASSIGN_OR_RETURN(const ValueId mean, mean_over(node, x, axes));
  NESTRT_ASSIGN_OR_RETURN(const ValueId centred, node.binary(ops::BinaryKind::kSub, x, mean));
  NESTRT_ASSIGN_OR_RETURN(const ValueId square, node.binary(ops::BinaryKind::kMul, centred, centred));
  NESTRT_ASSIGN_OR_RETURN(ValueId spread, mean_over(node, square, axes));
  NESTRT_ASSIGN_OR_RETURN(const ValueId least, node.scalar(epsilon));
  NESTRT_ASSIGN_OR_RETURN(spread, node.binary(ops::BinaryKind::kAdd, spread, least));
  NESTRT_ASSIGN_OR_RETURN(spread, node.unary(ops::UnaryKind::kSqrt, spread));
  NESTRT_ASSIGN_OR_RETURN(spread, node.unary(ops::UnaryKind::kReciprocal, spread));
  NESTRT_RETURN_IF_ERROR(node.set_output(1, mean));
  return node.set_output(2, spread);
}

// Normalizes with constant parameters, then applies scale and bias separately. Used if they are broadcast to the
// normalized axes or differ between normalized slices.
Status normalize_then_scale(NodeContext& node, const ops::LayerNorm& norm, const std::vector<ValueId>& inputs) {
  const Shape& shape = node.shape(inputs[0]);
  const Shape normalized(shape.dims().subspan(static_cast<size_t>(norm.axis)));
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kF32, normalized));
  const std::vector<float> ones(static_cast<size_t>(normalized.num_elements()), 1.0f);
  NESTRT_ASSIGN_OR_RETURN(const ValueId one, node.constant(ones, normalized));
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.add(norm, {inputs[0], one}));
  NESTRT_ASSIGN_OR_RETURN(y, node.binary(ops::BinaryKind::kMul, y, inputs[1]));
  if (inputs.size() > 2) {
    NESTRT_ASSIGN_OR_RETURN(y, node.binary(ops::BinaryKind::kAdd, y, inputs[2]));
  }
  if (node.shape(y) != shape) return node.invalid("scale or bias has more elements than the input");
  return node.set_output(y);
}

Status import_layer_normalization(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId scale, node.input(1));
  std::vector<ValueId> inputs = {x, scale};
  if (node.has_input(2)) inputs.push_back(node.optional_input(2));
  node.ignore("stash_type");
  ops::LayerNorm norm;
  NESTRT_ASSIGN_OR_RETURN(norm.axis, node.axis(node.attribute("axis", int64_t{-1}), node.shape(inputs[0]).rank()));
  norm.epsilon = node.attribute("epsilon", 1e-5f);
  if (node.wants_output(1) || node.wants_output(2)) {
    NESTRT_RETURN_IF_ERROR(layer_statistics(node, inputs[0], norm.axis, norm.epsilon));
  }
  const Shape normalized(node.shape(x).dims().subspan(static_cast<size_t>(norm.axis)));
  const auto is_whole = [&](ValueId parameter) { return node.shape(parameter) == normalized; };
  if (!std::all_of(inputs.begin() + 1, inputs.end(), is_whole)) return normalize_then_scale(node, norm, inputs);
  return node.finish(std::move(norm), std::move(inputs));
}

// Imports x / sqrt(mean of squares + epsilon) * scale.
Status import_rms_normalization(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId scale, node.input(1));
  node.ignore("stash_type");
  const int rank = node.shape(x).rank();
  NESTRT_ASSIGN_OR_RETURN(const int first, node.axis(node.attribute("axis", int64_t{-1}), rank));
  std::vector<int> axes;
  for (int axis = first; axis < rank; ++axis) axes.push_back(axis);
  NESTRT_ASSIGN_OR_RETURN(const ValueId square, node.binary(ops::BinaryKind::kMul, x, x));
  NESTRT_ASSIGN_OR_RETURN(ValueId spread, mean_over(node, square, axes));
  NESTRT_ASSIGN_OR_RETURN(const ValueId least, node.scalar(node.attribute("epsilon", 1e-5f)));
  NESTRT_ASSIGN_OR_RETURN(spread, node.binary(ops::BinaryKind::kAdd, spread, least));
  NESTRT_ASSIGN_OR_RETURN(spread, node.unary(ops::UnaryKind::kSqrt, spread));
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.binary(ops::BinaryKind::kDiv, x, spread));
  return node.set_output(node.binary(ops::BinaryKind::kMul, y, scale));
}

Status import_lp_normalization(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  ops::LpNorm norm;
  NESTRT_ASSIGN_OR_RETURN(norm.axis, node.axis(node.attribute("axis", int64_t{-1}), node.shape(x).rank()));
  norm.p = static_cast<int32_t>(node.attribute("p", int64_t{2}));
  return node.finish(std::move(norm), {x});
}

Status import_lrn(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const int64_t size, node.required_int("size"));
  if (size < 1 || size > INT32_MAX) return node.invalid(fmt::format("size {} must be at least 1", size));
  ops::LocalResponseNorm norm;
  norm.size = static_cast<int32_t>(size);
  norm.alpha = node.attribute("alpha", 0.0001f);
  norm.beta = node.attribute("beta", 0.75f);
  norm.bias = node.attribute("bias", 1.0f);
  return node.finish(std::move(norm), {x});
}

// Imports (x - mean) / (sqrt(variance) + 1e-9); the operator's definition specifies this epsilon.
Status import_mean_variance_normalization(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const auto stated = node.attribute("axes", std::vector<int64_t>{0, 2, 3});
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int> axes, node.axes(stated, node.shape(x).rank()));
  NESTRT_ASSIGN_OR_RETURN(const ValueId mean, mean_over(node, x, axes));
  NESTRT_ASSIGN_OR_RETURN(const ValueId centred, node.binary(ops::BinaryKind::kSub, x, mean));
  NESTRT_ASSIGN_OR_RETURN(const ValueId square, node.binary(ops::BinaryKind::kMul, centred, centred));
  NESTRT_ASSIGN_OR_RETURN(const ValueId variance, mean_over(node, square, axes));
  NESTRT_ASSIGN_OR_RETURN(ValueId deviation, node.unary(ops::UnaryKind::kSqrt, variance));
  NESTRT_ASSIGN_OR_RETURN(const ValueId epsilon, node.scalar(1e-9f));
  NESTRT_ASSIGN_OR_RETURN(deviation, node.binary(ops::BinaryKind::kAdd, deviation, epsilon));
  return node.set_output(node.binary(ops::BinaryKind::kDiv, centred, deviation));
}

template <bool kLog>
Status import_softmax(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const int64_t axis = node.attribute("axis", int64_t{node.opset() < 13 ? 1 : -1});
  return node.set_output(softmax(node, x, axis, node.opset(), kLog));
}

constexpr ImportRule kNormalizationRules[] = {
    {"BatchNormalization", import_batch_normalization},
    {"GroupNormalization", import_group_normalization, 18},
    {"InstanceNormalization", import_instance_normalization},
    {"LRN", import_lrn, 1},
    {"LayerNormalization", import_layer_normalization},  // ONNX Runtime accepts it before opset 17
    {"LogSoftmax", import_softmax<true>},
    {"LpNormalization", import_lp_normalization},
    {"MeanVarianceNormalization", import_mean_variance_normalization, 9},
    {"RMSNormalization", import_rms_normalization, 23},
    {"Softmax", import_softmax<false>},
};

}  // namespace

Result<ValueId> softmax(NodeContext& node, ValueId x, int64_t stated_axis, int64_t opset, bool log) {
  const Shape shape = node.shape(x);
  const int rank = shape.rank();
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(stated_axis, rank));
  // Up to opset 12, the axes from `axis` on count as one. This matters only if more than one of them has several
  // elements.
  if (opset >= 13 || shape.product(axis + 1, rank) == 1) return node.add(ops::Softmax{.axis = axis, .log = log}, {x});
  NESTRT_ASSIGN_OR_RETURN(const ValueId flat, node.reshape(x, {shape.product(0, axis), shape.product(axis, rank)}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId result, node.add(ops::Softmax{.axis = 1, .log = log}, {flat}));
  return node.reshape(result, shape);
}

std::span<const ImportRule> normalization_rules() { return kNormalizationRules; }

}  // namespace nestrt::compiler
