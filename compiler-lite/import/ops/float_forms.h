// The float forms of operators that have quantized ones, too: both read attributes and compute in the same way.
#pragma once

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

// The attributes of a convolution of `x` with `weights`. Errors: kInvalidModel.
Result<ops::Conv> read_conv(NodeContext& node, const Shape& x, const Shape& weights);

// numpy.matmul(a, b). A constant f32 matrix on the right makes a fully connected layer, over all leading dimensions of
// the left side.
Result<ValueId> matrix_product(NodeContext& node, ValueId a, ValueId b);

// Gemm of matrices: alpha * a b + c; `c` is kNoValue where there is none. Operands that stand the other way round are
// transposed before.
Result<ValueId> gemm(NodeContext& node, ValueId a, ValueId b, ValueId c, float alpha);

// The matrix as it is, or transposed where that is wanted. Errors: kInvalidModel for what is no matrix.
Result<ValueId> matrix_operand(NodeContext& node, ValueId id, bool transposed);

// Softmax along an axis, counted from the end where negative, as `opset` means it: until 12 all axes from it on were
// one.
Result<ValueId> softmax(NodeContext& node, ValueId x, int64_t stated_axis, int64_t opset, bool log);

// The attributes of a reduction of `x` along these axes; along all where none is stated.
Result<ops::Reduce> read_reduce(NodeContext& node, ops::ReduceKind kind, const Shape& x,
                                const std::vector<int64_t>& stated_axes);

// A pool whose window is the whole image of `x`.
Result<ops::Pool> global_pool(NodeContext& node, ops::PoolKind kind, const Shape& x);

// The attributes of a pool over `x`.
Result<ops::Pool> read_pool(NodeContext& node, ops::PoolKind kind, const Shape& x);

}  // namespace nestrt::compiler
