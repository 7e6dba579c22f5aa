// SPDX-License-Identifier: Apache-2.0
#include "kernels/binary/binary.h"

#include <fmt/core.h>

#include <array>
#include <string>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/layout/broadcast.h"
#include "kernels/common/math/channel_division.h"
#include "kernels/common/quantization/s8c_operands.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

using Kind = ops::BinaryKind;

bool is_comparison(Kind kind) { return kind >= Kind::kEqual && kind <= Kind::kGreaterOrEqual; }
bool is_bitwise(Kind kind) { return kind >= Kind::kBitwiseAnd && kind <= Kind::kShiftRight; }
bool is_logical(Kind kind) { return kind >= Kind::kLogicalAnd && kind <= Kind::kLogicalXor; }

bool supports(Kind kind, DataType type) {
  switch (type) {
    case DataType::kF32:
      return !is_logical(kind) && !is_bitwise(kind);
    case DataType::kS8:
      return kind == Kind::kAdd || kind == Kind::kSub || kind == Kind::kMul || kind == Kind::kMin ||
             kind == Kind::kMax || kind == Kind::kPrelu;
    case DataType::kS32:
    case DataType::kS64:
      return !is_logical(kind);
    case DataType::kBool:
      return kind == Kind::kEqual || is_logical(kind);
    default:
      return false;
  }
}

Status check_quantization(const OperatorSpec& spec) {
  if (s8c::has_scales(spec.inputs[0])) return s8c::binary_factors(spec).error();
  const Kind kind = spec.as<ops::Binary>()->kind;
  if (kind != Kind::kAdd) return rule_error(fmt::format("{} of s8 requires tensors with scales", ops::name(kind)));
  return s8::binary_shifts(spec).error();
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 2));
  const ops::Binary& attributes = *spec.as<ops::Binary>();
  const Kind kind = attributes.kind;
  const TensorSpec &a = spec.inputs[0], &b = spec.inputs[1];
  if (a.type != b.type) {
    return rule_error(fmt::format("{} of {} and {}: both inputs must have the same type; insert a Cast",
                                  ops::name(kind), name(a.type), name(b.type)));
  }
  if (!supports(kind, a.type)) return rule_error(fmt::format("{} does not support {}", ops::name(kind), name(a.type)));
  const DataType type = is_comparison(kind) ? DataType::kBool : a.type;
  if (type == DataType::kS8) {
    NESTRT_RETURN_IF_ERROR(s8::check_s8_activation(attributes.activation));
    if (!spec.outputs.empty()) NESTRT_RETURN_IF_ERROR(check_quantization(spec));
  } else if (type != DataType::kF32 && attributes.activation.kind != ops::ActivationKind::kNone) {
    return rule_error(fmt::format("an activation requires an f32 output, but the output is {}", name(type)));
  }
  const std::array shapes = {&a.shape, &b.shape};
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, broadcast_shapes(shapes));
  return single_output(type, shape);
}

int64_t steps(const OperatorSpec& spec) {
  const Kind kind = spec.as<ops::Binary>()->kind;
  return kind == Kind::kPow || kind == Kind::kMod || kind == Kind::kFmod ? function_steps(spec) : copy_steps(spec);
}

bool divides(const OperatorSpec& spec) {
  return divides_elements(spec, 2) && spec.as<ops::Binary>()->kind == Kind::kAdd;
}

constexpr KernelVariant kKernels[] = {
    {"binary.reference", 0, accepts_binary_reference, prepare_binary_reference},
    {"binary.f32.runs", 10, accepts_binary_runs, prepare_binary_runs},
    {"binary.f32.functions", 10, accepts_binary_functions, prepare_binary_functions},
    {"binary.elements", 10, accepts_binary_elements, prepare_binary_elements},
    {"binary.f32.blocked", 10, accepts_binary_blocked, prepare_binary_blocked},
    {"binary.s8.add", 20, accepts_binary_s8_add, prepare_binary_s8_add},
    {"binary.s8.scaled", 10, accepts_binary_s8_scaled, prepare_binary_s8_scaled},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Binary>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kBinary,
      .infer = infer,
      .macs = no_macs,
      .steps = steps,
      .division = Division{divides, cut_channels},
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
