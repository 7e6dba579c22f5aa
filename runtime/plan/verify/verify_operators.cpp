// SPDX-License-Identifier: Apache-2.0
// The rules of operators: attributes, number, types and shapes of operands.
#include <fmt/core.h>

#include "runtime/core/services.h"
#include "runtime/plan/queries/tensor_spec.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt {
namespace {

// Checks that only operators which support folded layouts have operands in them. Every other operator preserves the
// channel blocks of operands that are not plain.
Status verify_folded(const OperatorSpec& spec) {
  const ops::Kind kind = spec.kind();
  const auto fail = [&](const TensorSpec& operand) {
    return Status(Code::kInvalidPlan,
                  fmt::format("{} has an operand in layout {}, which it does not support for this operand",
                              ops::name(kind), name(operand.layout)));
  };
  for (size_t i = 0; i < spec.inputs.size(); ++i)
    if (is_folded(spec.inputs[i].layout) && kind != ops::Kind::kReorder && !(kind == ops::Kind::kConv && i == 0))
      return fail(spec.inputs[i]);
  for (const TensorSpec& output : spec.outputs)
    if (is_folded(output.layout) && kind != ops::Kind::kReorder && kind != ops::Kind::kQuantize) return fail(output);
  return {};
}

}  // namespace

Status verify_operator(const OperatorSpec& spec) {
  const OperatorRules* const rules = services().operators.find(spec.kind());
  if (rules == nullptr) return Status(Code::kUnsupported, "this build has no kernels for the operator");
  NESTRT_ASSIGN_OR_RETURN(const std::vector<TensorSpec> inferred, rules->infer(spec));
  if (inferred.size() != spec.outputs.size())
    return Status(Code::kInvalidPlan, fmt::format("has {} outputs, expected {}", spec.outputs.size(), inferred.size()));
  for (size_t i = 0; i < inferred.size(); ++i) {
    const TensorSpec &expected = inferred[i], &stated = spec.outputs[i];
    if (stated.type != expected.type || !(stated.shape == expected.shape))  // the plan determines the layout
      return Status(Code::kInvalidPlan,
                    fmt::format("output {} is {} {}, but the operator computes {} {}", i, name(stated.type),
                                stated.shape.to_string(), name(expected.type), expected.shape.to_string()));
  }
  return verify_folded(spec);
}

namespace plan_verify {
namespace {

TensorSpec operand(const Context& context, int32_t tensor) {
  TensorSpec spec = tensor_spec(context.plan, tensor);
  if (!spec.present) return spec;
  const Extent& extent = context.extents[static_cast<uint32_t>(tensor)];
  const plan::Buffer& buffer = context.plan.buffers[extent.buffer];
  if (buffer.kind == plan::BufferKind::kConstant)
    spec.constant = context.data.data() + buffer.data_offset + extent.begin;
  return spec;
}

}  // namespace

Status verify_operators(Context& context) {
  std::vector<TensorSpec> operands;
  for (uint32_t index = 0; index < context.plan.operators.size(); ++index) {
    const plan::Operator& op = context.plan.operators[index];
    operands.clear();
    for (const auto* tensors : {&op.inputs, &op.outputs})
      for (const int32_t tensor : *tensors) operands.push_back(operand(context, tensor));
    const std::span<const TensorSpec> all = operands;
    const Status status = verify_operator({&op.attributes, all.first(op.inputs.size()), all.subspan(op.inputs.size())});
    if (!status.ok()) return as_plan_error(status).with_context(operator_name(context.plan, index));
  }
  return {};
}

}  // namespace plan_verify
}  // namespace nestrt
