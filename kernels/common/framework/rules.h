// What the shape rules of operators have in common. The messages name the operand or attribute; the caller of infer()
// adds the operator's name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

inline constexpr int64_t kMaxElements = int64_t{1} << 40;  // a tensor's

// A broken rule.
Status rule_error(std::string message);

// Between `minimum` and `maximum` inputs, of which the first `minimum` are present.
Status expect_inputs(const OperatorSpec& spec, size_t minimum, size_t maximum);

// `what` names the operand: "the input", "scale".
Status expect_type(const TensorSpec& tensor, DataType type, std::string_view what);

// The shape of these dimensions, proven to be one: rank, signs and number of elements. `what` names the attribute or
// operand that they come from.
Result<Shape> checked_shape(std::span<const int64_t> dims, std::string_view what);

// An axis counted from either end as one in [0, rank).
Result<int> checked_axis(int64_t axis, int rank, std::string_view what = "axis");

// The outputs of an operator that has one.
std::vector<TensorSpec> single_output(DataType type, const Shape& shape);

// True where every operand is in plain layout and no constant is packed: what references accept.
bool is_plain(const OperatorSpec& spec);

}  // namespace nestrt::kernels
