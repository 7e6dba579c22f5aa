// SPDX-License-Identifier: Apache-2.0
// Matrix products.
#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/tflite/lite_table.h"
#include "compiler-lite/import/tflite/ops/integer_product.h"
#include "compiler-lite/import/tflite/ops/product_bias.h"

namespace nestrt::compiler {
namespace {

constexpr uint8_t kFullyConnected = 8, kBatchMatMul = 101;

// The input of a FULLY_CONNECTED as a matrix [M, K], and the weights as a matrix [K, N].
struct Factors {
  ValueId x;
  ValueId weights;
};

Result<ValueId> as_rows(LiteNode& node, ValueId x, int64_t columns) {
  const int64_t count = node.shape(x).num_elements();
  if (columns < 1 || count % columns != 0)
    return node.invalid(
        fmt::format("input of shape {} does not fit weights of {} columns", node.shape(x).to_string(), columns));
  return node.reshape(x, {count / columns, columns});
}

// Used if x is an image flattened with channels last: reorders the columns of the weights instead of the image.
Result<Factors> flattened_factors(LiteNode& node, int32_t image, ValueId weights) {
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.graph().real(image, Form::kChannelsFirst));
  const Shape first = node.shape(x), stored = node.shape(weights);
  NESTRT_ASSIGN_OR_RETURN(x, as_rows(node, x, stored[1]));
  Shape split{stored[0]};
  for (int axis = 2; axis < first.rank(); ++axis) split.push_back(first[axis]);
  split.push_back(first[1]);
  NESTRT_ASSIGN_OR_RETURN(weights, node.reshape(weights, split));
  NESTRT_ASSIGN_OR_RETURN(weights, node.transpose(weights, permutation_to(Form::kChannelsFirst, split.rank())));
  NESTRT_ASSIGN_OR_RETURN(weights, node.reshape(weights, stored));
  return Factors{x, weights};
}

Result<Factors> read_factors(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, node.input(1));
  if (node.shape(weights).rank() != 2)
    return node.invalid(fmt::format("weights of shape {} must have rank 2", node.shape(weights).to_string()));
  const int32_t image = node.graph().flattened_from(node.input_tensor(0));
  // Reordering the columns would invalidate per-column scales.
  NESTRT_ASSIGN_OR_RETURN(const auto scales, node.graph().quantization(node.input_tensor(1)));
  const bool per_column = scales && scales->axis > 0;
  if (image >= 0 && node.value(weights).is_constant() && !per_column) {
    const Shape flat = node.shape(weights);
    NESTRT_ASSIGN_OR_RETURN(const Shape stated, node.input_shape(0));
    if (stated.rank() == 2 && stated[1] == flat[1]) return flattened_factors(node, image, weights);
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId rows, as_rows(node, x, node.shape(weights)[1]));
  return Factors{rows, weights};
}

Result<ValueId> product(LiteNode& node, const Factors& factors, ValueId bias) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, node.transpose(factors.weights, {1, 0}));
  if (node.value(weights).is_constant()) {
    std::vector<ValueId> operands = {factors.x, weights};
    if (bias != kNoValue) operands.push_back(bias);
    return node.add(ops::Dense(), std::move(operands));
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(ops::MatMul(), {factors.x, weights}));
  return bias == kNoValue ? Result<ValueId>(y) : node.binary(ops::BinaryKind::kAdd, y, bias);
}

Status import_fully_connected(LiteNode& node) {
  const auto& options = node.options<tflite::FullyConnectedOptions>();
  if (options.weights_format() != 0) return node.unsupported("shuffled weights are not supported");
  NESTRT_ASSIGN_OR_RETURN(const Factors factors, read_factors(node));
  NESTRT_ASSIGN_OR_RETURN(const ValueId bias, product_bias(node, 2));
  NESTRT_ASSIGN_OR_RETURN(ValueId y, product(node, factors, bias));
  NESTRT_ASSIGN_OR_RETURN(y, node.activated(y, options.activation()));
  if (!options.keep_num_dims()) return node.set(0, y);
  NESTRT_ASSIGN_OR_RETURN(Shape kept, node.input_shape(0));
  if (kept.rank() < 1) return node.invalid("keep_num_dims needs an input of rank 1 or more");
  const int64_t columns = node.shape(y)[1];
  kept[kept.rank() - 1] = columns;
  if (kept.num_elements() != node.shape(y).num_elements())
    return node.invalid("keep_num_dims needs an input whose last dimension is that of the weights");
  return node.finish(node.reshape(y, kept));
}

// Returns true if both operands are integers of one scale. The passes make constant matrices integer weights.
Result<bool> multiplies_integers(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const bool a, is_integer_factor(node, 0));
  NESTRT_ASSIGN_OR_RETURN(const bool b, is_integer_factor(node, 1));
  if (!a || !b) return false;
  NESTRT_ASSIGN_OR_RETURN(const ValueId right, node.stored_input(1));
  return !node.value(right).is_constant() || node.shape(right).rank() != 2;
}

Status import_batch_matmul(LiteNode& node) {
  const auto& options = node.options<tflite::BatchMatMulOptions>();
  NESTRT_ASSIGN_OR_RETURN(const bool multiplies, multiplies_integers(node));
  if (multiplies) {
    NESTRT_ASSIGN_OR_RETURN(const IntegerFactor x, integer_factor(node, 0, options.adj_x()));
    NESTRT_ASSIGN_OR_RETURN(const IntegerFactor y, integer_factor(node, 1, options.adj_y()));
    return node.finish(integer_product(node, x, y));
  }
  NESTRT_ASSIGN_OR_RETURN(ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(ValueId b, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(a, adjoint(node, a, options.adj_x()));
  NESTRT_ASSIGN_OR_RETURN(b, adjoint(node, b, options.adj_y()));
  return node.finish(node.add(ops::MatMul(), {a, b}));
}

constexpr LiteRule kLiteMatrixRules[] = {
    lite_rule<tflite::BatchMatMulOptions>(LiteOp::BATCH_MATMUL, 2, import_batch_matmul, kBatchMatMul),
    lite_rule<tflite::FullyConnectedOptions>(LiteOp::FULLY_CONNECTED, 2, import_fully_connected, kFullyConnected),
};

}  // namespace

std::span<const LiteRule> lite_matrix_rules() { return kLiteMatrixRules; }

}  // namespace nestrt::compiler
