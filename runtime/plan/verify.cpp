#include "runtime/plan/verify.h"

#include "runtime/plan/verify_parts.h"

namespace nestrt {

Status damaged_plan(std::string what) {
  return Status(Code::kInvalidPlan, std::move(what) + "; recompile the model with nestc or copy the file again");
}

Status verify_plan(const plan::Plan& plan, uint64_t tables_bytes, uint64_t data_bytes) {
  using namespace plan_verify;
  Context context{plan, data_bytes, tables_bytes};
  for (const auto verify_part : {verify_buffers, verify_tensors, verify_interface, verify_attributes, verify_dataflow,
                                 verify_memory, verify_programs, verify_regions}) {
    NESTRT_RETURN_IF_ERROR(verify_part(context));
  }
  return {};
}

namespace plan_verify {
namespace {

std::string quoted(std::string_view name) { return name.empty() ? std::string() : text(" '", name, "'"); }

}  // namespace

std::string tensor_name(const plan::Plan& plan, uint64_t index) {
  const auto& tensors = items(plan.tensors());
  return text("tensor ", index,
              index < tensors.size() ? quoted(view(tensors[static_cast<uint32_t>(index)]->name())) : "");
}

std::string operator_name(const plan::Plan& plan, uint64_t index) {
  const auto& operators = items(plan.operators());
  if (index >= operators.size()) return text("operator ", index);
  const plan::Operator& op = *operators[static_cast<uint32_t>(index)];
  return text("operator ", index, quoted(view(op.name())), " (", plan::EnumNameAttributes(op.attributes_type()), ")");
}

Status shared_vectors() { return damaged_plan("the tables refer to more entries than they can hold"); }

}  // namespace plan_verify
}  // namespace nestrt
