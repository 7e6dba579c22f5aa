// Parts of operators that have float and quantized forms: both read attributes and build products in the same way.
#pragma once

#include "compiler-lite/import/node_context.h"

namespace nestrt::compiler {

// The attributes of a convolution of `x` with `weights`. Errors: kInvalidModel.
Result<ops::Conv> read_conv(NodeContext& node, const Shape& x, const Shape& weights);

// numpy.matmul(a, b). A constant f32 matrix on the right makes a fully connected layer, over all leading dimensions of
// the left side.
Result<ValueId> matrix_product(NodeContext& node, ValueId a, ValueId b);

// A pool whose window is the whole picture of `x`.
Result<ops::Pool> global_pool(NodeContext& node, ops::PoolKind kind, const Shape& x);

// The attributes of a pool over `x`.
Result<ops::Pool> read_pool(NodeContext& node, ops::PoolKind kind, const Shape& x);

}  // namespace nestrt::compiler
