// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/export.h"
#include "compiler-lite/export/ops/families.h"
#include "compiler-lite/import/onnx/onnx_names.h"

namespace nestrt::compiler {
namespace {

using ops::ReduceKind;

// Writes a reduction. The axes are an input for ReduceSum and, since opset 18, for the other reductions. An empty list
// means all axes.
Result<std::string> write_reduce(NodeWriter& node) {
  const auto& op = node.attributes<ops::Reduce>();
  std::vector<std::string> inputs = {node.real(0)};
  WrittenAttributes attributes = {{"keepdims", op.keep_dims}};
  const std::vector<int64_t> axes(op.axes.begin(), op.axes.end());
  const bool has_axes_input = op.kind == ReduceKind::kSum || node.opset() >= 18;
  if (has_axes_input && node.form().all_attributes) attributes.emplace_back("noop_with_empty_axes", false);
  if (has_axes_input && !axes.empty())
    inputs.push_back(node.constant(axes));
  else if (!axes.empty())
    attributes.emplace_back("axes", axes);
  return node.write(onnx_name(kReduceNames, op.kind), std::move(inputs), std::move(attributes));
}

Result<std::string> write_arg_reduce(NodeWriter& node) {
  const auto& op = node.attributes<ops::ArgReduce>();
  WrittenAttributes attributes = {{"axis", int64_t{op.axis}}, {"keepdims", op.keep_dims}};
  if (op.select_last || node.form().all_attributes) attributes.emplace_back("select_last_index", op.select_last);
  return node.write(op.min ? "ArgMin" : "ArgMax", {node.real(0)}, std::move(attributes));
}

Result<std::string> write_cum_sum(NodeWriter& node) {
  const auto& op = node.attributes<ops::CumSum>();
  if (op.product) return node.unsupported("CumProd requires opset 26");
  return node.write("CumSum", {node.real(0), node.scalar(DataType::kS64, op.axis)},
                    {{"exclusive", op.exclusive}, {"reverse", op.reverse}});
}

constexpr ExportRule kReductionExportRules[] = {
    {ops::Kind::kReduce, write_reduce},
    {ops::Kind::kArgReduce, write_arg_reduce},
    {ops::Kind::kCumSum, write_cum_sum},
};

}  // namespace

std::span<const ExportRule> reduction_export_rules() { return kReductionExportRules; }

}  // namespace nestrt::compiler
