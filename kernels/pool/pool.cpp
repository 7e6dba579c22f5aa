// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/pool.h"

#include <fmt/core.h>

#include <algorithm>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/math/channel_division.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

constexpr int kMaxSpatialAxes = 3;

// Returns the attributes of one spatial axis.
PoolAxis pool_axis(const ops::Pool& pool, int axis, int64_t dim) {
  const auto i = static_cast<size_t>(axis);
  PoolAxis result;
  result.input = dim;
  result.kernel = pool.kernel[i];
  result.stride = pool.stride[i];
  result.dilation = pool.dilation[i];
  result.pad_begin = pool.pad_begin[i];
  result.pad_end = pool.pad_end[i];
  result.include_pad = pool.count_include_pad;
  return result;
}

// Checks the attributes of an axis. Nothing overflows, because attributes fit in 31 bits and `input` in 41.
Status check_axis(const PoolAxis& a, int axis, bool ceil_mode) {
  const auto error = [&](const char* attribute, int64_t value, const std::string& expected) {
    return rule_error(fmt::format("{} of spatial axis {} is {}, expected {}", attribute, axis, value, expected));
  };
  if (a.kernel < 1) return error("kernel", a.kernel, "at least 1");
  if (a.stride < 1) return error("stride", a.stride, "at least 1");
  if (a.dilation < 1) return error("dilation", a.dilation, "at least 1");
  const std::string below = fmt::format("0 or more and less than the dilated kernel of {}", a.extent());
  if (a.pad_begin < 0 || a.pad_begin >= a.extent()) return error("pad_begin", a.pad_begin, below);
  if (a.pad_end < 0 || a.pad_end >= a.extent()) return error("pad_end", a.pad_end, below);
  // ceil_mode extends the padded input by less than one stride, to complete a window.
  const int64_t most = a.input + a.pad_begin + a.pad_end + (ceil_mode ? a.stride - 1 : 0);
  if (most < a.extent())
    return error("kernel", a.kernel,
                 fmt::format("a window, dilated to {}, that fits into the padded input of {}", a.extent(), most));
  return ok_status();
}

int64_t output_dim(const PoolAxis& a, bool ceil_mode) {
  const int64_t room = a.input + a.pad_begin + a.pad_end - a.extent();
  if (!ceil_mode) return room / a.stride + 1;
  const int64_t windows = ceil_div(room, a.stride) + 1;
  // The last window must start inside the input or in the padding before it.
  return (windows - 1) * a.stride >= a.input + a.pad_begin ? windows - 1 : windows;
}

bool supports(ops::PoolKind kind, DataType type) {
  switch (type) {
    case DataType::kF32:
      return true;
    case DataType::kS8:
      return kind != ops::PoolKind::kLp;
    default:
      return type == DataType::kU8 && kind == ops::PoolKind::kMax;
  }
}

Status check_attributes(const OperatorSpec& spec) {
  const ops::Pool& pool = *spec.as<ops::Pool>();
  const TensorSpec& input = spec.inputs[0];
  const int axes = input.shape.rank() - 2;
  if (axes < 1 || axes > kMaxSpatialAxes)
    return rule_error(fmt::format("the input has shape {}, expected batch, channels and one to three spatial axes",
                                  input.shape.to_string()));
  const std::pair<const char*, std::span<const int32_t>> lists[] = {{"kernel", pool.kernel},
                                                                    {"stride", pool.stride},
                                                                    {"dilation", pool.dilation},
                                                                    {"pad_begin", pool.pad_begin},
                                                                    {"pad_end", pool.pad_end}};
  for (const auto& [attribute, list] : lists)
    if (list.size() != static_cast<size_t>(axes))
      return rule_error(
          fmt::format("{} has {} entries, expected {}, one per spatial axis", attribute, list.size(), axes));
  if (pool.kind == ops::PoolKind::kLp && pool.p < 1)
    return rule_error(fmt::format("p is {}, expected at least 1", pool.p));
  if (!supports(pool.kind, input.type))
    return rule_error(fmt::format("{} pooling does not support {}", ops::name(pool.kind), name(input.type)));
  return ok_status();
}

Status check_quantization(const OperatorSpec& spec) {
  const ops::Pool& pool = *spec.as<ops::Pool>();
  if (spec.inputs[0].type == DataType::kF32) return {};
  int64_t window = 1;
  for (int32_t extent : pool.kernel)
    if (pool.kind == ops::PoolKind::kAverage &&
        (__builtin_mul_overflow(window, extent, &window) || window > s8::kMaxWindow))
      return Status(Code::kUnsupported, "an s8 average supports windows of at most 2^23 elements");
  if (spec.outputs.empty()) return {};
  const bool is_exact = !ops::has_exponent_form(pool.rounding);
  if (is_exact && (pool.kind != ops::PoolKind::kAverage || !s8c::has_scales(spec.inputs[0])))
    return rule_error(fmt::format("rounding {} requires an average of a tensor with scales", ops::name(pool.rounding)));
  if (pool.kind != ops::PoolKind::kAverage || !s8c::has_scales(spec.inputs[0]))
    return s8::check_same_quantization(spec);
  if (is_exact) NESTRT_RETURN_IF_ERROR(s8::check_same_quantization(spec));
  NESTRT_RETURN_IF_ERROR(s8c::affine_of(spec.inputs[0], "the input").error());
  return s8c::affine_of(spec.outputs[0], "the output").error();
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(check_attributes(spec));
  const ops::Pool& pool = *spec.as<ops::Pool>();
  Shape shape = spec.inputs[0].shape;
  for (int axis = 0; axis < shape.rank() - 2; ++axis) {
    const PoolAxis along = pool_axis(pool, axis, shape[axis + 2]);
    NESTRT_RETURN_IF_ERROR(check_axis(along, axis, pool.ceil_mode));
    shape[axis + 2] = output_dim(along, pool.ceil_mode);
  }
  NESTRT_RETURN_IF_ERROR(checked_shape(shape.dims(), "the output").error());
  NESTRT_RETURN_IF_ERROR(check_quantization(spec));
  return single_output(spec.inputs[0].type, shape);
}

// Counts only the elements of windows that are inside the input, because no others are read.
int64_t steps(const OperatorSpec& spec) {
  const ops::Pool& pool = *spec.as<ops::Pool>();
  int64_t window = pool.kind == ops::PoolKind::kLp ? kFunctionSteps : 1;
  for (size_t i = 0; i < pool.kernel.size(); ++i)
    window =
        saturating_product(window, std::min<int64_t>(pool.kernel[i], spec.inputs[0].shape[static_cast<int>(i) + 2]));
  return element_steps(spec, 1, saturating_sum(kCopySteps, window));
}

bool divides(const OperatorSpec& spec) {
  const ops::PoolKind kind = spec.as<ops::Pool>()->kind;
  return divides_channels(spec, 1) && (kind == ops::PoolKind::kMax || kind == ops::PoolKind::kAverage);
}

constexpr KernelVariant kKernels[] = {
    {"pool.reference", 0, is_plain, prepare_pool_reference},
    {"pool.f32.blocked16", 10, accepts_pool_blocked16, prepare_pool_blocked16},
    {"pool.f32.global", 20, accepts_pool_global, prepare_pool_global},
    {"pool.s8.blocked16", 10, accepts_pool_s8_blocked16, prepare_pool_s8_blocked16},
    {"pool.s8.global", 20, accepts_pool_s8_global, prepare_pool_s8_global},
};

}  // namespace

PoolWindow PoolAxis::edge_window(int64_t start) const {
  const int64_t skipped = start < 0 ? ceil_div(-start, dilation) : 0;
  // Returns the number of elements of the window before position `end`.
  const auto before = [&](int64_t end) { return std::clamp<int64_t>(ceil_div(end - start, dilation), 0, kernel); };
  const int64_t count = std::max<int64_t>(0, before(input) - skipped);
  return {count > 0 ? start + skipped * dilation : 0, count, include_pad ? before(input + pad_end) : count};
}

PoolParameters pool_parameters(const OperatorSpec& spec) {
  const ops::Pool& pool = *spec.as<ops::Pool>();
  const Shape &input = spec.inputs[0].shape, &output = spec.outputs[0].shape;
  PoolParameters parameters;
  parameters.kind = pool.kind;
  parameters.p = pool.p;
  parameters.planes = input[0] * input[1];
  for (int i = 0; i < input.rank() - 2; ++i) {
    PoolAxis& axis = parameters.axes[kMaxSpatialAxes - (input.rank() - 2) + i];
    axis = pool_axis(pool, i, input[i + 2]);
    axis.output = output[i + 2];
  }
  return parameters;
}

template <>
const OperatorRules& rules<ops::Pool>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kPool,
      .infer = infer,
      .macs = no_macs,
      .steps = steps,
      .division = Division{divides, cut_channels},
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
