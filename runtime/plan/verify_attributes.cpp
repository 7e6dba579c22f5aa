// Operators' attributes: the union's member is known and there, and every enumeration in it has a value that exists.
// Numbers are checked against shapes by the operator's own rules (OperatorRules::infer).
#include "runtime/plan/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

// The first enumeration with an unknown value, as "field = value"; empty where all are known.
class EnumCheck {
 public:
  template <typename Enum>
  EnumCheck& field(std::string_view name, Enum value, const char* (*enum_name)(Enum)) {
    if (complaint_.empty() && !known(enum_name(value))) complaint_ = text(name, " = ", static_cast<int>(value));
    return *this;
  }
  EnumCheck& activation(const plan::Activation* activation) {
    return activation == nullptr ? *this : field("activation", activation->kind(), plan::EnumNameActivationKind);
  }
  EnumCheck& rounding(plan::Rounding rounding) { return field("rounding", rounding, plan::EnumNameRounding); }
  std::string complaint() const { return complaint_; }

 private:
  std::string complaint_;
};

std::string unknown_enum(const plan::Operator& op) {
  EnumCheck check;
  switch (op.attributes_type()) {
    case plan::Attributes::Conv: {
      const plan::Conv& conv = *op.attributes_as_Conv();
      return check.activation(conv.activation()).rounding(conv.rounding()).complaint();
    }
    case plan::Attributes::ConvTranspose:
      return check.activation(op.attributes_as_ConvTranspose()->activation()).complaint();
    case plan::Attributes::Dense: {
      const plan::Dense& dense = *op.attributes_as_Dense();
      return check.activation(dense.activation()).rounding(dense.rounding()).complaint();
    }
    case plan::Attributes::Binary: {
      const plan::Binary& binary = *op.attributes_as_Binary();
      return check.field("kind", binary.kind(), plan::EnumNameBinaryKind)
          .activation(binary.activation())
          .rounding(binary.rounding())
          .complaint();
    }
    case plan::Attributes::Unary:
      return check.field("kind", op.attributes_as_Unary()->kind(), plan::EnumNameUnaryKind).complaint();
    case plan::Attributes::Pool: {
      const plan::Pool& pool = *op.attributes_as_Pool();
      return check.field("kind", pool.kind(), plan::EnumNamePoolKind).rounding(pool.rounding()).complaint();
    }
    case plan::Attributes::Quantize:
      return check.rounding(op.attributes_as_Quantize()->rounding())
          .field("to", op.attributes_as_Quantize()->to(), plan::EnumNameDataType)
          .complaint();
    case plan::Attributes::Requantize: {
      const plan::Requantize& requantize = *op.attributes_as_Requantize();
      return check.rounding(requantize.rounding())
          .field("to", requantize.to(), plan::EnumNameDataType)
          .activation(requantize.activation())
          .complaint();
    }
    case plan::Attributes::Pad:
      return check.field("mode", op.attributes_as_Pad()->mode(), plan::EnumNamePadMode).complaint();
    case plan::Attributes::Reduce:
      return check.field("kind", op.attributes_as_Reduce()->kind(), plan::EnumNameReduceKind).complaint();
    case plan::Attributes::Resize: {
      const plan::Resize& resize = *op.attributes_as_Resize();
      return check.field("mode", resize.mode(), plan::EnumNameResizeMode)
          .field("coordinate", resize.coordinate(), plan::EnumNameCoordinateMode)
          .field("nearest", resize.nearest(), plan::EnumNameNearestMode)
          .complaint();
    }
    default:
      return {};
  }
}

template <typename... Vectors>
bool all_aligned(const Vectors*... vectors) {
  return (is_aligned(vectors) && ...);
}

bool lists_aligned(const plan::Operator& op) {
  if (const plan::Slice* slice = op.attributes_as_Slice())
    return all_aligned(slice->start(), slice->step(), slice->shape());
  if (const plan::Pad* pad = op.attributes_as_Pad()) return all_aligned(pad->begin(), pad->end());
  if (const plan::Reshape* reshape = op.attributes_as_Reshape()) return all_aligned(reshape->shape());
  if (const plan::Tile* tile = op.attributes_as_Tile()) return all_aligned(tile->shape());
  if (const plan::Resize* resize = op.attributes_as_Resize()) return all_aligned(resize->sizes());
  return true;
}

}  // namespace

Status verify_attributes(Context& context) {
  const auto& operators = items(context.plan.operators());
  if (!context.charge(&operators)) return shared_vectors();
  for (uint32_t index = 0; index < operators.size(); ++index) {
    const plan::Operator& op = *operators[index];
    if (op.attributes_type() == plan::Attributes::NONE || op.attributes_type() > plan::Attributes::MAX ||
        op.attributes() == nullptr) {
      return damaged_plan(text(operator_name(context.plan, index), ": operator kind ",
                               static_cast<int>(op.attributes_type()), " is unknown"));
    }
    if (!lists_aligned(op))
      return damaged_plan(text(operator_name(context.plan, index), ": a list of its attributes is misaligned"));
    if (const std::string complaint = unknown_enum(op); !complaint.empty())
      return damaged_plan(text(operator_name(context.plan, index), ": ", complaint, " is unknown"));
  }
  return {};
}

}  // namespace nestrt::plan_verify
