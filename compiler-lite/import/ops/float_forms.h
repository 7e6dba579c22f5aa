// SPDX-License-Identifier: Apache-2.0
// Import functions of float operators, shared with their quantized forms.
#pragma once

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

// Reads the attributes of a convolution of `x` with `weights`. Errors: kInvalidModel.
Result<ops::Conv> read_conv(NodeContext& node, const Shape& x, const Shape& weights);

// Returns numpy.matmul(a, b). If b is a constant f32 matrix, the product becomes a fully connected layer over all
// leading dimensions of a.
Result<ValueId> matrix_product(NodeContext& node, ValueId a, ValueId b);

// Returns alpha * a * b + c, as in Gemm. `c` may be kNoValue. Requires: `a` and `b` already transposed as the node
// requests.
Result<ValueId> gemm(NodeContext& node, ValueId a, ValueId b, ValueId c, float alpha);

// Reads inputs and attributes of a Gemm and returns its result.
Result<ValueId> read_gemm(NodeContext& node);

// Returns the matrix `id`, transposed if `transposed`. Errors: kInvalidModel if `id` is not a matrix.
Result<ValueId> matrix_operand(NodeContext& node, ValueId id, bool transposed);

// Returns the softmax along an axis; a negative axis counts from the end. Up to opset 12, `stated_axis` and all
// following axes together count as one axis.
Result<ValueId> softmax(NodeContext& node, ValueId x, int64_t stated_axis, int64_t opset, bool log);

// Reads the attributes of a reduction of `x` along `stated_axes`, or along all axes if the list is empty.
Result<ops::Reduce> read_reduce(NodeContext& node, ops::ReduceKind kind, const Shape& x,
                                const std::vector<int64_t>& stated_axes);

// Returns a pool whose window covers the entire spatial extent of `x`.
Result<ops::Pool> global_pool(NodeContext& node, ops::PoolKind kind, const Shape& x);

// Reads the attributes of a pool over `x`.
Result<ops::Pool> read_pool(NodeContext& node, ops::PoolKind kind, const Shape& x);

}  // namespace nestrt::compiler
