// SPDX-License-Identifier: Apache-2.0
// Helpers for the shape rules of operators. Messages name the operand or attribute; the caller of infer() adds the
// operator name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

inline constexpr int64_t kMaxElements = int64_t{1} << 40;  // per tensor

// Returns a kInvalidModel status.
Status rule_error(std::string message);

// Checks that there are `minimum` to `maximum` inputs and that the first `minimum` are present.
Status expect_inputs(const OperatorSpec& spec, size_t minimum, size_t maximum);

// Checks the type of a tensor. `what` names the operand: "the input", "scale".
Status expect_type(const TensorSpec& tensor, DataType type, std::string_view what);

// Returns the shape with these dimensions after checking rank, signs and number of elements. `what` names the attribute
// or operand that they come from.
Result<Shape> checked_shape(std::span<const int64_t> dims, std::string_view what);

// Converts an axis that may count from the end to an axis in [0, rank).
Result<int> checked_axis(int64_t axis, int rank, std::string_view what = "axis");

// Returns the outputs of a single-output operator.
std::vector<TensorSpec> single_output(DataType type, const Shape& shape);

// Returns whether all operands have plain layout and no constant is packed, as reference kernels require.
bool is_plain(const OperatorSpec& spec);

}  // namespace nestrt::kernels
