// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/float_forms.h"

namespace nestrt::compiler {
namespace {

bool is_constant_matrix(const NodeContext& node, ValueId id) {
  return node.value(id).is_constant() && node.shape(id).rank() == 2 && node.type(id) == DataType::kF32;
}

Result<ValueId> scaled(NodeContext& node, ValueId id, float factor) {
  if (factor == 1.0f) return id;
  if (node.type(id) != DataType::kF32)
    return node.unsupported("alpha and beta other than 1 are supported only for floats");
  NESTRT_ASSIGN_OR_RETURN(const ValueId scale, node.scalar(factor));
  return node.binary(ops::BinaryKind::kMul, id, scale);
}

// Returns C of Gemm as a vector of N elements if it is a constant that does not depend on the row, or else kNoValue.
Result<ValueId> as_bias(NodeContext& node, ValueId c, int64_t n) {
  if (!node.value(c).is_constant() || node.type(c) != DataType::kF32) return kNoValue;
  const Shape shape = node.shape(c);
  if (shape.rank() > 2 || (shape.rank() == 2 && shape[0] != 1)) return kNoValue;
  const int64_t last = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  if (last == n) return node.reshape(c, {n});
  if (last != 1) return kNoValue;  // rejected later by the broadcast rules
  NESTRT_ASSIGN_OR_RETURN(const ValueId flat, node.reshape(c, {1}));
  return node.add(ops::Tile{.shape = {n}}, {flat});
}

Result<ValueId> dense_product(NodeContext& node, ValueId a, ValueId b, ValueId bias) {
  std::vector<ValueId> operands = {a, b};
  if (bias != kNoValue) operands.push_back(bias);
  return node.add(ops::Dense(), std::move(operands));
}

Result<ValueId> scaled_product(NodeContext& node, ValueId a, ValueId b, float alpha) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId product, node.add(ops::MatMul(), {a, b}));
  return scaled(node, product, alpha);
}

Status import_gemm(NodeContext& node) { return node.set_output(read_gemm(node)); }

Status import_mat_mul(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, node.input(1));
  return node.set_output(matrix_product(node, a, b));
}

constexpr ImportRule kMatrixRules[] = {
    {"Gemm", import_gemm},
    {"MatMul", import_mat_mul},
};

}  // namespace

Result<ValueId> read_gemm(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(ValueId b, node.input(1));
  node.ignore("broadcast");  // exists before opset 7
  NESTRT_ASSIGN_OR_RETURN(a, matrix_operand(node, a, node.flag("transA", false)));
  NESTRT_ASSIGN_OR_RETURN(b, matrix_operand(node, b, node.flag("transB", false)));
  const float alpha = node.attribute("alpha", 1.0f);
  const float beta = node.attribute("beta", 1.0f);
  ValueId c = node.optional_input(2);
  if (c != kNoValue) {
    NESTRT_ASSIGN_OR_RETURN(c, scaled(node, c, beta));
  }
  return gemm(node, a, b, c, alpha);
}

Result<ValueId> matrix_operand(NodeContext& node, ValueId id, bool transposed) {
  if (node.shape(id).rank() != 2) return node.invalid("A and B must be matrices");
  return transposed ? node.transpose(id, {1, 0}) : Result<ValueId>(id);
}

Result<ValueId> gemm(NodeContext& node, ValueId a, ValueId b, ValueId c, float alpha) {
  const bool dense = is_constant_matrix(node, b) && node.type(a) == DataType::kF32;
  if (dense) {
    NESTRT_ASSIGN_OR_RETURN(b, scaled(node, b, alpha));
  }
  ValueId bias = kNoValue;
  if (dense && c != kNoValue) {
    NESTRT_ASSIGN_OR_RETURN(bias, as_bias(node, c, node.shape(b)[1]));
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId product,
                          dense ? dense_product(node, a, b, bias) : scaled_product(node, a, b, alpha));
  if (c == kNoValue || bias != kNoValue) return product;
  return node.binary(ops::BinaryKind::kAdd, product, c);
}

Result<ValueId> matrix_product(NodeContext& node, ValueId a, ValueId b) {
  Shape shape = node.shape(a);
  const int rank = shape.rank();
  const bool dense =
      is_constant_matrix(node, b) && node.type(a) == DataType::kF32 && rank >= 2 && shape[rank - 1] == node.shape(b)[0];
  if (!dense) return node.add(ops::MatMul(), {a, b});
  NESTRT_ASSIGN_OR_RETURN(const ValueId rows, node.reshape(a, {shape.product(0, rank - 1), shape[rank - 1]}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId product, node.add(ops::Dense(), {rows, b}));
  shape[rank - 1] = node.shape(b)[1];
  return node.reshape(product, shape);
}

std::span<const ImportRule> matrix_rules() { return kMatrixRules; }

}  // namespace nestrt::compiler
