// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <numeric>

#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/float_forms.h"

namespace nestrt::compiler {
namespace {

using ops::ReduceKind;

// Returns true for types whose extremes are computed in 32 bits. Conversion preserves values and their order, including
// booleans.
bool is_narrow(DataType type) { return type == DataType::kS8 || type == DataType::kU8 || type == DataType::kBool; }

// Imports a reduction along no axis: applies only the element-wise functions that precede and follow a reduction.
Result<ValueId> reduce_nothing(NodeContext& node, ReduceKind kind, ValueId x) {
  switch (kind) {
    case ReduceKind::kL1:
    case ReduceKind::kL2:
      return node.unary(ops::UnaryKind::kAbs, x);
    case ReduceKind::kSumSquare:
      return node.binary(ops::BinaryKind::kMul, x, x);
    case ReduceKind::kLogSum:
      return node.unary(ops::UnaryKind::kLog, x);
    default:
      return x;
  }
}

bool is_composite(ReduceKind kind) {
  return kind == ReduceKind::kL1 || kind == ReduceKind::kL2 || kind == ReduceKind::kSumSquare ||
         kind == ReduceKind::kLogSum || kind == ReduceKind::kLogSumExp;
}

Status import_reduce(NodeContext& node) {
  const ReduceKind kind = find_name(kReduceNames, node.op_type())->kind;
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> stated, node.stated_axes());
  NESTRT_ASSIGN_OR_RETURN(ops::Reduce reduce, read_reduce(node, kind, node.shape(x), stated));
  const bool is_integer_sum = node.type(x) != DataType::kF32 && is_composite(kind);
  if (is_integer_sum && kind != ReduceKind::kL1 && kind != ReduceKind::kSumSquare)
    return node.unsupported(fmt::format("{} of {}; cast it to float", node.op_type(), name(node.type(x))));
  const bool keep_input = node.flag("noop_with_empty_axes", false);
  if (stated.empty() && keep_input) return node.set_output(reduce_nothing(node, kind, x));
  const DataType type = node.type(x);
  if (is_integer_sum) {
    NESTRT_ASSIGN_OR_RETURN(x, reduce_nothing(node, kind, x));
    reduce.kind = ReduceKind::kSum;
  }
  if (!is_narrow(type) || (kind != ReduceKind::kMax && kind != ReduceKind::kMin))
    return node.finish(std::move(reduce), {x});
  if (node.shape(x).num_elements() == 0)
    return node.unsupported("the maximum or minimum of an empty tensor of this type is not supported");
  NESTRT_ASSIGN_OR_RETURN(x, node.cast(x, DataType::kS32));
  NESTRT_ASSIGN_OR_RETURN(x, node.add(std::move(reduce), {x}));
  return node.set_output(node.cast(x, type));
}

template <bool kMin>
Status import_arg_reduce(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  ops::ArgReduce reduce;
  reduce.min = kMin;
  NESTRT_ASSIGN_OR_RETURN(reduce.axis, node.axis(node.attribute("axis", int64_t{0}), node.shape(x).rank()));
  reduce.keep_dims = node.flag("keepdims", true);
  reduce.select_last = node.flag("select_last_index", false);
  return node.finish(std::move(reduce), {x});
}

template <bool kProduct>
Status import_cumulative(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> axis, node.constant_ints(1, "axis"));
  if (axis.size() != 1) return node.invalid("axis must be one number");
  ops::CumSum sum;
  sum.product = kProduct;
  NESTRT_ASSIGN_OR_RETURN(sum.axis, node.axis(axis.front(), node.shape(x).rank()));
  sum.exclusive = node.flag("exclusive", false);
  sum.reverse = node.flag("reverse", false);
  return node.finish(std::move(sum), {x});
}

constexpr ImportRule kOtherReductionRules[] = {
    {"ArgMax", import_arg_reduce<false>},
    {"ArgMin", import_arg_reduce<true>},
    {"CumProd", import_cumulative<true>, 26},
    {"CumSum", import_cumulative<false>, 11},
};
constexpr auto kReductionRules = rules_of(kReduceNames, import_reduce, kOtherReductionRules);

}  // namespace

Result<ops::Reduce> read_reduce(NodeContext& node, ops::ReduceKind kind, const Shape& x,
                                const std::vector<int64_t>& stated_axes) {
  NESTRT_ASSIGN_OR_RETURN(std::vector<int> axes, node.axes(stated_axes, x.rank()));
  if (axes.empty()) {
    axes.resize(static_cast<size_t>(x.rank()));
    std::iota(axes.begin(), axes.end(), 0);
  }
  ops::Reduce reduce;
  reduce.kind = kind;
  reduce.keep_dims = node.flag("keepdims", true);
  reduce.axes.assign(axes.begin(), axes.end());
  return reduce;
}

std::span<const ImportRule> reduction_rules() { return kReductionRules; }

}  // namespace nestrt::compiler
