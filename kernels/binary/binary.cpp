#include "kernels/binary/binary.h"

#include <array>
#include <string>

#include "kernels/common/activation.h"
#include "kernels/common/broadcast.h"
#include "kernels/common/rules.h"
#include "kernels/common/s8c_operands.h"

namespace nestrt::kernels {
namespace {

using Kind = plan::BinaryKind;

bool is_comparison(Kind kind) { return kind >= Kind::equal && kind <= Kind::greater_or_equal; }
bool is_logical(Kind kind) { return kind >= Kind::logical_and && kind <= Kind::logical_xor; }

bool takes(Kind kind, DataType type) {
  switch (type) {
    case DataType::kF32:
      return kind != Kind::mod && !is_logical(kind);
    case DataType::kS8:
      return kind == Kind::add;
    case DataType::kS32:
    case DataType::kS64:
      return !is_logical(kind);
    case DataType::kBool:
      return kind == Kind::equal || is_logical(kind);
    default:
      return false;
  }
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 2));
  const plan::Binary& attributes = *spec.op->attributes_as_Binary();
  const Kind kind = attributes.kind();
  const std::string kind_name = plan::EnumNameBinaryKind(kind);
  if (kind_name.empty()) return rule_error("kind " + std::to_string(static_cast<int>(kind)) + " does not exist");
  const TensorSpec &a = spec.inputs[0], &b = spec.inputs[1];
  if (a.type != b.type) {
    return rule_error(kind_name + " of " + std::string(name(a.type)) + " and " + std::string(name(b.type)) +
                      ": both inputs must have one type; insert a Cast");
  }
  if (!takes(kind, a.type)) return rule_error(kind_name + " does not take " + std::string(name(a.type)));
  NESTRT_RETURN_IF_ERROR(check_activation(attributes.activation()));
  const DataType type = is_comparison(kind) ? DataType::kBool : a.type;
  if (type == DataType::kS8) {
    NESTRT_RETURN_IF_ERROR(s8::check_s8_activation(attributes.activation()));
    if (!spec.outputs.empty())
      NESTRT_RETURN_IF_ERROR(s8c::has_scales(a) ? s8c::addition_of(spec).error() : s8::binary_shifts(spec).error());
  } else if (type != DataType::kF32 && activation_of(attributes.activation()).kind != plan::ActivationKind::none) {
    return rule_error("an activation needs an f32 output, and this one is " + std::string(name(type)));
  }
  const std::array shapes = {&a.shape, &b.shape};
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, broadcast_shapes(shapes));
  return single_output(type, shape);
}

constexpr std::array kKernels = {
    KernelVariant{"binary.reference", 0, accepts_binary_reference, prepare_binary_reference},
    KernelVariant{"binary.f32.runs", 10, accepts_binary_runs, prepare_binary_runs},
    KernelVariant{"binary.f32.blocked", 10, accepts_binary_blocked, prepare_binary_blocked},
    KernelVariant{"binary.s8.add", 10, accepts_binary_s8_add, prepare_binary_s8_add},
};

}  // namespace

const OperatorRules& binary_rules() {
  static const OperatorRules rules{plan::Attributes::Binary, "Binary", infer, kKernels};
  return rules;
}

}  // namespace nestrt::kernels
