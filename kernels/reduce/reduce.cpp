// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/reduce.h"

#include <fmt/core.h>

#include <string>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

using Kind = ops::ReduceKind;

bool supports_integers(Kind kind) {
  return kind == Kind::kMean || kind == Kind::kSum || kind == Kind::kMax || kind == Kind::kMin || kind == Kind::kProd;
}

Status check_type(Kind kind, DataType type) {
  if (type == DataType::kF32) return ok_status();
  if ((type == DataType::kS32 || type == DataType::kS64) && supports_integers(kind)) return ok_status();
  return rule_error(fmt::format("{} does not support {}", ops::name(kind), name(type)));
}

Status check_axes(const ops::Reduce& attributes, int rank) {
  uint32_t seen = 0;
  for (int32_t stated : attributes.axes) {
    NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(stated, rank, "an entry of axes"));
    if (seen & (1u << axis)) return rule_error(fmt::format("axes lists axis {} twice", axis));
    seen |= 1u << axis;
  }
  return ok_status();
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const ops::Reduce& attributes = *spec.as<ops::Reduce>();
  const TensorSpec& input = spec.inputs[0];
  NESTRT_RETURN_IF_ERROR(check_type(attributes.kind, input.type));
  NESTRT_RETURN_IF_ERROR(check_axes(attributes, input.shape.rank()));
  const uint32_t reduced = reduced_axes(spec);
  Shape shape;
  for (int axis = 0; axis < input.shape.rank(); ++axis) {
    if ((reduced & (1u << axis)) == 0)
      shape.push_back(input.shape[axis]);
    else if (attributes.keep_dims)
      shape.push_back(1);
  }
  return single_output(input.type, shape);
}

int64_t steps(const OperatorSpec& spec) { return element_steps(spec, kFunctionSteps, kCopySteps); }

constexpr KernelVariant kKernels[] = {
    {"reduce.reference", 0, accepts_reduce_reference, prepare_reduce_reference},
    {"reduce.integers", 10, accepts_reduce_integers, prepare_reduce_integers},
    {"reduce.f32.fold", 9, accepts_reduce_fold, prepare_reduce_fold},
    {"reduce.f32.rows", 10, accepts_reduce_rows, prepare_reduce_rows},
    {"reduce.f32.blocked", 10, accepts_reduce_blocked, prepare_reduce_blocked},
};

}  // namespace

uint32_t reduced_axes(const OperatorSpec& spec) {
  const int rank = spec.inputs[0].shape.rank();
  const auto& axes = spec.as<ops::Reduce>()->axes;
  if (axes.empty()) return (1u << rank) - 1;
  uint32_t mask = 0;
  for (int32_t axis : axes) mask |= 1u << (axis < 0 ? axis + rank : axis);
  return mask;
}

template <>
const OperatorRules& rules<ops::Reduce>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kReduce,
      .infer = infer,
      .macs = no_macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
