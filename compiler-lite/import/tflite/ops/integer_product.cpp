// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/tflite/ops/integer_product.h"

#include <fmt/core.h>

#include <utility>

namespace nestrt::compiler {

Result<bool> is_integer_factor(LiteNode& node, size_t index) {
  NESTRT_ASSIGN_OR_RETURN(const auto steps, node.graph().quantization(node.input_tensor(index)));
  return steps && steps->axis == -1;
}

Result<IntegerFactor> integer_factor(LiteNode& node, size_t index, bool transposed) {
  NESTRT_ASSIGN_OR_RETURN(const auto steps, node.graph().quantization(node.input_tensor(index)));
  NESTRT_ASSIGN_OR_RETURN(ValueId elements, node.stored_input(index));
  NESTRT_ASSIGN_OR_RETURN(elements, node.reinterpret(elements, std::nullopt));
  NESTRT_ASSIGN_OR_RETURN(elements, adjoint(node, elements, transposed));
  const std::vector zero_point{static_cast<uint8_t>(steps->zero_points[0])};
  IntegerFactor factor{elements, kNoValue, kNoValue};
  NESTRT_ASSIGN_OR_RETURN(factor.zero_point, node.constant(node.value(elements).type, {1}, to_bytes(zero_point)));
  NESTRT_ASSIGN_OR_RETURN(factor.scale, node.constant(DataType::kF32, {1}, to_bytes(std::vector{steps->scales[0]})));
  return factor;
}

Result<ValueId> integer_product(LiteNode& node, const IntegerFactor& a, const IntegerFactor& b) {
  return node.add(ops::MatMulInteger(), {a.elements, b.elements, a.zero_point, b.zero_point, a.scale, b.scale});
}

Result<ValueId> adjoint(LiteNode& node, ValueId id, bool transposed) {
  const int rank = node.shape(id).rank();
  if (rank < 2) return node.invalid(fmt::format("operand of shape {} must be a matrix", node.shape(id).to_string()));
  if (!transposed) return id;
  std::vector<int32_t> permutation(static_cast<size_t>(rank));
  for (int axis = 0; axis < rank; ++axis) permutation[static_cast<size_t>(axis)] = axis;
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return node.transpose(id, permutation);
}

}  // namespace nestrt::compiler
