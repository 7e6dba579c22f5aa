#include "kernels/pool/pool.h"

#include <algorithm>

#include "kernels/common/integers.h"
#include "kernels/common/rules.h"
#include "kernels/common/s8c_operands.h"

namespace nestrt::kernels {
namespace {

constexpr int kMaxSpatialAxes = 3;

// What the attributes say of one spatial axis.
PoolAxis pool_axis(const plan::Pool& pool, int axis, int64_t dim) {
  const auto i = static_cast<uint32_t>(axis);
  PoolAxis result;
  result.input = dim;
  result.kernel = pool.kernel()->Get(i);
  result.stride = pool.stride()->Get(i);
  result.dilation = pool.dilation()->Get(i);
  result.pad_begin = pool.pad_begin()->Get(i);
  result.pad_end = pool.pad_end()->Get(i);
  result.include_pad = pool.count_include_pad();
  return result;
}

// All attributes fit into 31 bits and `dim` into 41: nothing overflows.
Status check_axis(const PoolAxis& a, int axis) {
  const auto error = [&](const char* attribute, int64_t value, const std::string& expected) {
    return rule_error(std::string(attribute) + " of spatial axis " + std::to_string(axis) + " is " +
                      std::to_string(value) + ", expected " + expected);
  };
  if (a.kernel < 1) return error("kernel", a.kernel, "at least 1");
  if (a.stride < 1) return error("stride", a.stride, "at least 1");
  if (a.dilation < 1) return error("dilation", a.dilation, "at least 1");
  const std::string below = "0 or more and less than the dilated kernel of " + std::to_string(a.extent());
  if (a.pad_begin < 0 || a.pad_begin >= a.extent()) return error("pad_begin", a.pad_begin, below);
  if (a.pad_end < 0 || a.pad_end >= a.extent()) return error("pad_end", a.pad_end, below);
  if (a.input + a.pad_begin + a.pad_end < a.extent())
    return error("kernel", a.kernel,
                 "a window, dilated to " + std::to_string(a.extent()) + ", that fits into the padded input of " +
                     std::to_string(a.input + a.pad_begin + a.pad_end));
  return ok_status();
}

int64_t output_dim(const PoolAxis& a, bool ceil_mode) {
  const int64_t room = a.input + a.pad_begin + a.pad_end - a.extent();
  if (!ceil_mode) return room / a.stride + 1;
  const int64_t windows = ceil_div(room, a.stride) + 1;
  // The last window has to start in the input or in the padding before it.
  return (windows - 1) * a.stride >= a.input + a.pad_begin ? windows - 1 : windows;
}

bool takes(plan::PoolKind kind, DataType type) {
  switch (type) {
    case DataType::kF32:
      return true;
    case DataType::kS8:
      return kind != plan::PoolKind::lp;
    default:
      return type == DataType::kU8 && kind == plan::PoolKind::max;
  }
}

Status check_attributes(const OperatorSpec& spec) {
  const plan::Pool& pool = *spec.op->attributes_as_Pool();
  const TensorSpec& input = spec.inputs[0];
  const int axes = input.shape.rank() - 2;
  if (axes < 1 || axes > kMaxSpatialAxes)
    return rule_error("the input has shape " + input.shape.to_string() +
                      ", expected batch, channels and one to three spatial axes");
  const std::pair<const char*, std::span<const int32_t>> lists[] = {{"kernel", span_of(pool.kernel())},
                                                                    {"stride", span_of(pool.stride())},
                                                                    {"dilation", span_of(pool.dilation())},
                                                                    {"pad_begin", span_of(pool.pad_begin())},
                                                                    {"pad_end", span_of(pool.pad_end())}};
  for (const auto& [attribute, list] : lists)
    if (list.size() != static_cast<size_t>(axes))
      return rule_error(std::string(attribute) + " has " + std::to_string(list.size()) + " entries, expected " +
                        std::to_string(axes) + ", one per spatial axis");
  if (pool.kind() > plan::PoolKind::MAX)
    return rule_error("kind has the unknown value " + std::to_string(static_cast<int>(pool.kind())));
  if (pool.kind() == plan::PoolKind::lp && pool.p() < 1)
    return rule_error("p is " + std::to_string(pool.p()) + ", expected at least 1");
  if (!takes(pool.kind(), input.type))
    return rule_error(std::string(plan::EnumNamePoolKind(pool.kind())) + " pooling does not take " +
                      std::string(name(input.type)));
  return ok_status();
}

Status check_quantization(const OperatorSpec& spec) {
  const plan::Pool& pool = *spec.op->attributes_as_Pool();
  if (spec.inputs[0].type == DataType::kF32) return {};
  int64_t window = 1;
  for (int32_t extent : *pool.kernel())
    if (pool.kind() == plan::PoolKind::average &&
        (__builtin_mul_overflow(window, extent, &window) || window > s8::kMaxWindow))
      return Status(Code::kUnsupported, "an s8 average takes windows of at most 2^23 elements");
  if (spec.outputs.empty()) return {};
  if (pool.kind() != plan::PoolKind::average || !s8c::has_scales(spec.inputs[0]))
    return s8::check_same_quantization(spec);
  NESTRT_RETURN_IF_ERROR(s8c::affine_of(spec.inputs[0], "the input").error());
  return s8c::affine_of(spec.outputs[0], "the output").error();
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(check_attributes(spec));
  const plan::Pool& pool = *spec.op->attributes_as_Pool();
  Shape shape = spec.inputs[0].shape;
  for (int axis = 0; axis < shape.rank() - 2; ++axis) {
    const PoolAxis along = pool_axis(pool, axis, shape[axis + 2]);
    NESTRT_RETURN_IF_ERROR(check_axis(along, axis));
    shape[axis + 2] = output_dim(along, pool.ceil_mode());
  }
  NESTRT_RETURN_IF_ERROR(checked_shape(shape.dims(), "the output").error());
  NESTRT_RETURN_IF_ERROR(check_quantization(spec));
  return single_output(spec.inputs[0].type, shape);
}

}  // namespace

PoolWindow PoolAxis::edge_window(int64_t start) const {
  const int64_t skipped = start < 0 ? ceil_div(-start, dilation) : 0;
  // Elements of the window before position `end`.
  const auto before = [&](int64_t end) { return std::clamp<int64_t>(ceil_div(end - start, dilation), 0, kernel); };
  const int64_t count = std::max<int64_t>(0, before(input) - skipped);
  return {count > 0 ? start + skipped * dilation : 0, count, include_pad ? before(input + pad_end) : count};
}

PoolParameters pool_parameters(const OperatorSpec& spec) {
  const plan::Pool& pool = *spec.op->attributes_as_Pool();
  const Shape &input = spec.inputs[0].shape, &output = spec.outputs[0].shape;
  PoolParameters parameters;
  parameters.kind = pool.kind();
  parameters.p = pool.p();
  parameters.planes = input[0] * input[1];
  for (int i = 0; i < input.rank() - 2; ++i) {
    PoolAxis& axis = parameters.axes[kMaxSpatialAxes - (input.rank() - 2) + i];
    axis = pool_axis(pool, i, input[i + 2]);
    axis.output = output[i + 2];
  }
  return parameters;
}

const OperatorRules& pool_rules() {
  static constexpr KernelVariant kVariants[] = {
      {"pool.reference", 0, is_plain, prepare_pool_reference},
      {"pool.f32.blocked16", 10, accepts_pool_blocked16, prepare_pool_blocked16},
      {"pool.f32.global", 20, accepts_pool_global, prepare_pool_global},
      {"pool.s8.blocked16", 10, accepts_pool_s8_blocked16, prepare_pool_s8_blocked16},
      {"pool.s8.global", 20, accepts_pool_s8_global, prepare_pool_s8_global},
  };
  static const OperatorRules rules{plan::Attributes::Pool, "Pool", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
