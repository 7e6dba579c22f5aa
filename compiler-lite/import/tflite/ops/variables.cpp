// SPDX-License-Identifier: Apache-2.0
// State variables. Each becomes an input of the graph when it is first read; import_tflite.cpp adds the outputs.
#include <fmt/core.h>

#include "compiler-lite/import/tflite/lite_table.h"
#include "compiler-lite/import/tflite/ops/state.h"

namespace nestrt::compiler {
namespace {

constexpr uint8_t kVarHandle = 111;

Result<LiteVariable*> variable_of(LiteNode& node) {
  LiteVariable* const variable = node.graph().variable(node.input_tensor(0));
  if (variable == nullptr) return node.invalid("input 0 does not refer to a variable of the same subgraph");
  return variable;
}

Status import_var_handle(LiteNode& node) {
  std::string name = lite_text(node.options<tflite::VarHandleOptions>().shared_name());
  if (name.empty()) return node.invalid("the variable has no name");
  node.graph().set_handle(node.output_tensor(0), std::move(name));
  return ok_status();
}

Status import_read_variable(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(LiteVariable * variable, variable_of(node));
  if (variable->value == kNoValue) {
    const std::string name = node.graph().variable_name(node.input_tensor(0));
    NESTRT_ASSIGN_OR_RETURN(variable->value, add_state_input(node, name, node.output_tensor(0)));
  }
  return node.graph().define_argument(node.output_tensor(0), variable->value);
}

Status import_assign_variable(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(LiteVariable * variable, variable_of(node));
  NESTRT_ASSIGN_OR_RETURN(variable->value, node.stored_input(1));
  variable->is_assigned = true;
  return ok_status();
}

// Sets the values before the first run, which the caller provides.
Status import_call_once(LiteNode&) { return ok_status(); }

constexpr LiteRule kLiteVariablesRules[] = {
    lite_sink(LiteOp::ASSIGN_VARIABLE, 2, import_assign_variable),
    lite_sink(LiteOp::CALL_ONCE, 0, import_call_once),
    lite_rule(LiteOp::READ_VARIABLE, 1, import_read_variable),
    lite_rule<tflite::VarHandleOptions>(LiteOp::VAR_HANDLE, 0, import_var_handle, kVarHandle),
};

}  // namespace

Result<ValueId> add_state_input(LiteNode& node, const std::string& name, int32_t tensor) {
  Value state;
  state.name = name;
  NESTRT_ASSIGN_OR_RETURN(state.type, node.graph().type(tensor));
  const std::vector<int32_t> dims = lite_list(node.graph().tensor(tensor).shape());
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank))
    return node.unsupported("the variable has too many dimensions");
  for (const int32_t dim : dims) state.shape.push_back(dim);
  GraphBuilder& builder = node.graph().builder();
  NESTRT_RETURN_IF_ERROR(builder.check_size(name, state.type, state.shape));
  NESTRT_ASSIGN_OR_RETURN(const auto quantization, node.graph().quantization(tensor));
  const ValueId id = builder.graph().add_value(std::move(state));
  NESTRT_RETURN_IF_ERROR(builder.define(name, id));
  builder.graph().inputs.push_back({id, std::nullopt});
  return quantization ? node.reinterpret(id, quantization) : Result<ValueId>(id);
}

std::span<const LiteRule> lite_variable_rules() { return kLiteVariablesRules; }

}  // namespace nestrt::compiler
