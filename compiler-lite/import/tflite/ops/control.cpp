// SPDX-License-Identifier: Apache-2.0
// Control flow that is known at compile time: loop counters are constants, and so is the condition in every step.
#include <fmt/core.h>

#include "compiler-lite/import/tflite/lite_operators.h"
#include "compiler-lite/import/tflite/lite_table.h"

namespace nestrt::compiler {
namespace {

constexpr uint8_t kIf = 92, kWhile = 93;

Result<std::vector<ValueId>> stored_inputs(LiteNode& node, size_t first) {
  std::vector<ValueId> values;
  for (size_t i = first; i < node.num_inputs(); ++i) {
    if (!node.has_input(i)) return node.invalid(fmt::format("input {} is missing", i));
    NESTRT_ASSIGN_OR_RETURN(values.emplace_back(), node.stored_input(i));
  }
  return values;
}

// `what` names the condition in the error message.
Result<bool> known_condition(LiteNode& node, ValueId id, std::string_view what) {
  const Value& found = node.value(id);
  if (found.type != DataType::kBool || found.shape.num_elements() != 1)
    return node.invalid(fmt::format("{} must be one boolean", what));
  if (!found.is_constant())
    return node.unsupported(fmt::format("{} that depends on the inputs is not supported", what));
  return *found.data<uint8_t>() != 0;
}

Status set_results(LiteNode& node, const std::vector<ValueId>& results) {
  if (results.size() != node.num_outputs())
    return node.invalid(fmt::format("{} results for {} outputs", results.size(), node.num_outputs()));
  for (size_t i = 0; i < results.size(); ++i) NESTRT_RETURN_IF_ERROR(node.set(i, results[i]));
  return ok_status();
}

// Repeats the body until the condition is false.
Status import_while(LiteNode& node) {
  const auto& options = node.options<tflite::WhileOptions>();
  NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> state, stored_inputs(node, 0));
  for (int64_t step = 0;; ++step) {
    const std::string scope = fmt::format("{}/{}/", node.scope(), step);
    NESTRT_ASSIGN_OR_RETURN(const auto condition, call_lite_subgraph(node, options.cond_subgraph(), state, scope));
    if (condition.size() != 1) return node.invalid("the condition of the loop has no single result");
    NESTRT_ASSIGN_OR_RETURN(const bool goes_on, known_condition(node, condition.front(), "a number of steps"));
    if (!goes_on) return set_results(node, state);
    NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> next, call_lite_subgraph(node, options.body_subgraph(), state, scope));
    if (next.size() != state.size()) return node.invalid("the body of the loop has a different number of results");
    state = std::move(next);
  }
}

Status import_if(LiteNode& node) {
  const auto& options = node.options<tflite::IfOptions>();
  NESTRT_ASSIGN_OR_RETURN(const ValueId condition, node.stored_input(0));
  NESTRT_ASSIGN_OR_RETURN(const bool holds, known_condition(node, condition, "a condition"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> arguments, stored_inputs(node, 1));
  const int32_t branch = holds ? options.then_subgraph() : options.else_subgraph();
  NESTRT_ASSIGN_OR_RETURN(const auto results, call_lite_subgraph(node, branch, arguments, node.scope() + "/"));
  return set_results(node, results);
}

constexpr LiteRule kLiteControlRules[] = {
    lite_rule<tflite::IfOptions>(LiteOp::IF, 1, import_if, kIf),
    lite_rule<tflite::WhileOptions>(LiteOp::WHILE, 1, import_while, kWhile),
};

}  // namespace

std::span<const LiteRule> lite_control_rules() { return kLiteControlRules; }

}  // namespace nestrt::compiler
