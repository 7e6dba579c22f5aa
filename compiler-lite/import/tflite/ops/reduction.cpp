// SPDX-License-Identifier: Apache-2.0
// Operators that combine the elements along axes.
#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/tflite/lite_table.h"
#include "kernels/common/quantization/s8_arithmetic.h"

namespace nestrt::compiler {
namespace {

using ops::ReduceKind;

constexpr uint8_t kSoftmax = 9, kL2Norm = 12, kLocalResponseNorm = 13, kReducer = 27, kArgMax = 40, kArgMin = 57,
                  kCumsum = 102;

// --- Reductions -----------------------------------------------------------------------------------------------------

Result<std::vector<int>> reduced_axes(LiteNode& node, int rank) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> stated, node.ints(1, "the axes"));
  std::vector<int> axes;
  for (const int64_t entry : stated) {
    NESTRT_ASSIGN_OR_RETURN(const int valid, node.axis(entry, rank));
    if (std::ranges::find(axes, valid) == axes.end()) axes.push_back(valid);
  }
  std::ranges::sort(axes);
  return axes;
}

// Returns true for a mean over whole images, which an average pool computes faster and also in integers.
bool is_image_mean(ReduceKind kind, const Shape& x, const std::vector<int>& axes) {
  return kind == ReduceKind::kMean && x.rank() == 4 && axes == std::vector{1, 2} && x[1] > 0 && x[2] > 0 &&
         x[1] <= kernels::s8::kMaxWindow / x[2];
}

Result<ValueId> image_mean(LiteNode& node, ValueId x) {
  const auto height = static_cast<int32_t>(node.shape(x)[2]), width = static_cast<int32_t>(node.shape(x)[3]);
  ops::Pool pool;
  pool.kind = ops::PoolKind::kAverage;
  pool.kernel = {height, width};
  pool.stride = pool.dilation = {1, 1};
  pool.pad_begin = pool.pad_end = {0, 0};
  return node.add(std::move(pool), {x});
}

// Defines the output from y, a result with all axes kept.
Status finish_reduced(LiteNode& node, ValueId y, Form form, const std::vector<int>& axes) {
  if (node.options<tflite::ReducerOptions>().keep_dims()) return node.set(0, y, form);
  const Shape kept = node.shape(y);
  Shape shape;
  for (int axis = 0; axis < kept.rank(); ++axis)
    if (std::ranges::find(axes, axis) == axes.end()) shape.push_back(kept[axis_in_form(axis, kept.rank(), form)]);
  if (form == Form::kChannelsFirst) {
    NESTRT_ASSIGN_OR_RETURN(y, node.transpose(y, permutation_to(Form::kPlain, kept.rank())));
  }
  return node.finish(node.reshape(y, shape));
}

template <ReduceKind kKind>
Status import_reduce(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Shape stated, node.input_shape(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int> axes, reduced_axes(node, stated.rank()));
  const bool pools = is_image_mean(kKind, stated, axes);
  const Form form = pools ? Form::kChannelsFirst : node.common_form({0});
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0, form));
  if (axes.empty()) return node.set(0, x, form);
  if (pools) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId y, image_mean(node, x));
    return finish_reduced(node, y, form, axes);
  }
  ops::Reduce op{.kind = kKind, .axes = {}, .keep_dims = true};
  for (const int axis : axes) op.axes.push_back(axis_in_form(axis, stated.rank(), form));
  std::ranges::sort(op.axes);
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(std::move(op), {x}));
  return finish_reduced(node, y, form, axes);
}

template <bool kMin>
Status import_arg(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Shape stated, node.input_shape(0));
  NESTRT_ASSIGN_OR_RETURN(const int64_t entry, node.one_int(1, "the axis"));
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(entry, stated.rank()));
  // Without the channel axis, an image has the same order in both forms.
  const Form form = axis == stated.rank() - 1 ? node.common_form({0}) : Form::kPlain;
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0, form));
  ops::ArgReduce op;
  op.min = kMin;
  op.axis = axis_in_form(axis, stated.rank(), form);
  op.keep_dims = false;
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(op, {x}));
  const bool is_narrow = node.options<tflite::ArgOptions>().output_type() == tflite::ElementType::INT32;
  return node.finish(is_narrow ? node.cast(y, DataType::kS32) : Result<ValueId>(y));
}

Status import_cumsum(LiteNode& node) {
  const auto& options = node.options<tflite::CumsumOptions>();
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const int64_t entry, node.one_int(1, "the axis"));
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(entry, node.shape(x).rank()));
  return node.finish(
      node.add(ops::CumSum{.axis = axis, .exclusive = options.exclusive(), .reverse = options.reverse()}, {x}));
}

// --- Normalizations along the channels ------------------------------------------------------------------------------

struct Channels {
  ValueId x = kNoValue;
  Form form = Form::kPlain;
  int axis = 0;
};

Result<Channels> channels_of(LiteNode& node) {
  Channels result;
  NESTRT_ASSIGN_OR_RETURN(const Shape stated, node.input_shape(0));
  if (stated.rank() == 0) return node.invalid("the input is a scalar");
  result.form = node.common_form({0});
  result.axis = axis_in_form(stated.rank() - 1, stated.rank(), result.form);
  NESTRT_ASSIGN_OR_RETURN(result.x, node.input(0, result.form));
  return result;
}

Status import_softmax(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(Channels channels, channels_of(node));
  const float beta = node.op().options() == nullptr ? 1.0f : node.options<tflite::SoftmaxOptions>().beta();
  if (beta != 1.0f) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId factor, node.scalar(beta));
    NESTRT_ASSIGN_OR_RETURN(channels.x, node.binary(ops::BinaryKind::kMul, channels.x, factor));
  }
  return node.finish(node.add(ops::Softmax{.axis = channels.axis}, {channels.x}), channels.form);
}

Status import_log_softmax(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Channels channels, channels_of(node));
  return node.finish(node.add(ops::Softmax{.axis = channels.axis, .log = true}, {channels.x}), channels.form);
}

// The norm is at least 1e-6, so that zeros stay zeros.
Status import_l2_norm(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Channels channels, channels_of(node));
  ops::Reduce sum{.kind = ReduceKind::kL2, .axes = {channels.axis}, .keep_dims = true};
  NESTRT_ASSIGN_OR_RETURN(ValueId norm, node.add(std::move(sum), {channels.x}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId least, node.scalar(1e-6f));
  NESTRT_ASSIGN_OR_RETURN(norm, node.binary(ops::BinaryKind::kMax, norm, least));
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.binary(ops::BinaryKind::kDiv, channels.x, norm));
  return node.finish(node.activated(y, node.options<tflite::ActivationOptions>().activation()), channels.form);
}

// In the file, alpha applies to the sum; in the graph's operator, it applies to the mean.
Status import_local_response_norm(LiteNode& node) {
  const auto& options = node.options<tflite::LocalResponseNormOptions>();
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0, Form::kChannelsFirst));
  constexpr int32_t kMaxRadius = 1 << 20;
  if (options.radius() < 0 || options.radius() > kMaxRadius)
    return node.invalid(fmt::format("radius {} is out of range", options.radius()));
  ops::LocalResponseNorm op;
  op.size = 2 * options.radius() + 1;
  op.alpha = options.alpha() * static_cast<float>(op.size);
  op.beta = options.beta();
  op.bias = options.bias();
  if (node.shape(x).rank() != 4) return node.invalid("the input must have rank 4");
  return node.finish(node.add(op, {x}), Form::kChannelsFirst);
}

constexpr LiteRule kLiteReductionRules[] = {
    lite_rule<tflite::ArgOptions>(LiteOp::ARG_MAX, 2, import_arg<false>, kArgMax),
    lite_rule<tflite::ArgOptions>(LiteOp::ARG_MIN, 2, import_arg<true>, kArgMin),
    lite_rule<tflite::CumsumOptions>(LiteOp::CUMSUM, 2, import_cumsum, kCumsum),
    lite_rule<tflite::ActivationOptions>(LiteOp::L2_NORMALIZATION, 1, import_l2_norm, kL2Norm),
    lite_rule<tflite::LocalResponseNormOptions>(LiteOp::LOCAL_RESPONSE_NORMALIZATION, 1, import_local_response_norm,
                                                kLocalResponseNorm),
    lite_rule(LiteOp::LOG_SOFTMAX, 1, import_log_softmax),
    lite_rule<tflite::ReducerOptions>(LiteOp::MEAN, 2, import_reduce<ReduceKind::kMean>, kReducer),
    lite_rule<tflite::ReducerOptions>(LiteOp::REDUCE_MAX, 2, import_reduce<ReduceKind::kMax>, kReducer),
    lite_rule<tflite::ReducerOptions>(LiteOp::REDUCE_MIN, 2, import_reduce<ReduceKind::kMin>, kReducer),
    lite_rule<tflite::ReducerOptions>(LiteOp::REDUCE_PROD, 2, import_reduce<ReduceKind::kProd>, kReducer),
    lite_rule<tflite::SoftmaxOptions>(LiteOp::SOFTMAX, 1, import_softmax, kSoftmax),
    lite_rule<tflite::ReducerOptions>(LiteOp::SUM, 2, import_reduce<ReduceKind::kSum>, kReducer),
};

}  // namespace

std::span<const LiteRule> lite_reduction_rules() { return kLiteReductionRules; }

}  // namespace nestrt::compiler
