#include "compiler-lite/check/output_range.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "nestrt/plan_tables.h"

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

// Operators whose output has the values of their inputs, in another place or form.
bool moves_values(ops::Kind kind) {
  using enum ops::Kind;
  return kind == kReshape || kind == kTranspose || kind == kReorder || kind == kConcat || kind == kSlice ||
         kind == kQuantize || kind == kDequantize;
}

}  // namespace

bool goes_from_0_to_1(const Plan& plan, size_t output) {
  const plan::Tables& tables = plan.tables();
  std::vector<bool> bounded(tables.tensors.size());
  for (const plan::Operator& op : tables.operators) {  // in the order of computation
    const auto is_bounded = [&](int32_t input) { return input >= 0 && bounded[static_cast<size_t>(input)]; };
    const bool carries =
        moves_values(op.kind()) && !op.inputs.empty() &&
        (op.kind() == ops::Kind::kConcat ? std::ranges::all_of(op.inputs, is_bounded) : is_bounded(op.inputs[0]));
    if (!carries && !gives_0_to_1(op)) continue;
    for (const int32_t written : op.outputs)
      if (written >= 0) bounded[static_cast<size_t>(written)] = true;
  }
  return bounded[tables.outputs[output]];
}

}  // namespace nestrt::compiler
