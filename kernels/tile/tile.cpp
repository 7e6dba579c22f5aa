#include "kernels/tile/tile.h"

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(span_of(spec.op->attributes_as_Tile()->shape()), "shape"));
  const int added = shape.rank() - input.shape.rank();
  bool fits = added >= 0;
  for (int axis = 0; fits && axis < input.shape.rank(); ++axis) {
    const int64_t from = input.shape[axis], to = shape[added + axis];
    fits = from == 0 ? to == 0 : to % from == 0;
  }
  if (!fits)
    return rule_error("shape " + shape.to_string() + " does not repeat the input " + input.shape.to_string() +
                      " a whole number of times on every axis");
  return single_output(input.type, shape);
}

}  // namespace

const OperatorRules& tile_rules() {
  static constexpr KernelVariant kVariants[] = {
      {"tile.reference", 0, is_plain, prepare_tile_reference},
      {"tile.copy", 10, is_plain, prepare_tile_copy},
  };
  static const OperatorRules rules{plan::Attributes::Tile, "Tile", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
