// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/verify/verify.h"

#include <fmt/core.h>

#include "runtime/plan/verify/operand_uses.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt {

Status verify_plan(const plan::Tables& plan, std::span<const std::byte> data) {
  NESTRT_RETURN_IF_ERROR(verify_shape(plan, data));
  for (uint32_t index = 0; index < plan.shapes.size(); ++index)
    if (const Status status = verify_shape(plan.shapes[index], data); !status.ok())
      return status.with_context(fmt::format("shape {}", index + 1));
  return plan_verify::verify_shapes(plan);
}

Status verify_shape(const plan::Tables& plan, std::span<const std::byte> data) {
  using namespace plan_verify;
  Context context{plan, data};
  for (const auto verify_part :
       {verify_targets, verify_buffers, verify_tensors, verify_interface, verify_dataflow, verify_writes,
        verify_dependencies, verify_operand_uses, verify_operators, verify_memory, verify_programs,
        verify_vendor_programs, verify_stated_costs, verify_program_uses, verify_results, verify_branch_memory}) {
    NESTRT_RETURN_IF_ERROR(verify_part(context));
  }
  return {};
}

namespace plan_verify {
namespace {

std::string quoted(std::string_view name) { return name.empty() ? std::string() : fmt::format(" '{}'", name); }

}  // namespace

Status verify_operand_uses(Context& context) {
  return as_plan_error(check_operand_uses(context.plan, context.data.size()));
}

Status verify_program_uses(Context& context) {
  return as_plan_error(check_program_uses(context.plan, context.data.size()));
}

std::string tensor_name(const plan::Tables& plan, uint64_t index) {
  return fmt::format("tensor {}{}", index, index < plan.tensors.size() ? quoted(plan.tensors[index].name) : "");
}

std::string operator_name(const plan::Tables& plan, uint64_t index) {
  if (index >= plan.operators.size()) return fmt::format("operator {}", index);
  const plan::Operator& op = plan.operators[index];
  return fmt::format("operator {}{} ({})", index, quoted(op.name), ops::name(op.kind()));
}

}  // namespace plan_verify
}  // namespace nestrt
