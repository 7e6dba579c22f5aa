// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/check/output_range.h"

#include <variant>

#include "nestrt/driver/plan_tables.h"
#include "tools/support/report/marked_tensors.h"

namespace nestrt::compiler {
namespace {

bool ends_in_sigmoid(const plan::Operator& op) {
  return std::visit(
      [](const auto& attributes) {
        if constexpr (requires { attributes.activation.kind; }) {
          return attributes.activation.kind == ops::ActivationKind::kSigmoid ||
                 attributes.activation.kind == ops::ActivationKind::kHardSigmoid;
        }
        return false;
      },
      static_cast<const ops::AnyOperator&>(op.attributes));
}

bool gives_0_to_1(const plan::Operator& op) {
  if (op.kind() == ops::Kind::kSoftmax || ends_in_sigmoid(op)) return true;
  const auto* unary = op.as<ops::Unary>();
  return unary != nullptr && (unary->kind == ops::UnaryKind::kSigmoid || unary->kind == ops::UnaryKind::kHardSigmoid);
}

// Returns true for operators that only move or convert the values of their first input.
bool moves_values(ops::Kind kind) {
  using enum ops::Kind;
  return kind == kReshape || kind == kTranspose || kind == kReorder || kind == kSlice || kind == kQuantize ||
         kind == kDequantize;
}

}  // namespace

bool goes_from_0_to_1(const Plan& plan, size_t output) {
  const auto marks = [](const plan::Operator& op, const auto& is_bounded) {
    if (gives_0_to_1(op)) return true;
    if (op.kind() != ops::Kind::kConcat) return moves_values(op.kind()) && is_bounded(0);
    bool all = true;
    for (size_t operand = 0; operand < op.inputs.size(); ++operand) all = all && is_bounded(operand);
    return all;
  };
  return tools::marked_tensors(plan.tables(), marks)[plan.tables().outputs[output]];
}

}  // namespace nestrt::compiler
