// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler-lite/export/ops/families.h"

namespace nestrt::compiler {
namespace {

Result<std::string> write_concat(NodeWriter& node) {
  return node.write("Concat", node.reals(node.num_inputs()), {{"axis", int64_t{node.attributes<ops::Concat>().axis}}});
}

Result<std::string> write_transpose(NodeWriter& node) {
  const std::vector<int32_t>& axes = node.attributes<ops::Transpose>().permutation;
  if (axes.empty()) return node.write("Identity", {node.real(0)});  // ONNX's checker requires axes
  return node.write("Transpose", {node.real(0)}, {{"perm", axes}});
}

// Returns the end of a slice. ONNX counts -1 from the end, so a slice that includes the first element with a negative
// step ends at INT64_MIN.
int64_t end_of(int64_t start, int64_t step, int64_t count) {
  if (count == 0) return start;
  const int64_t last = start + (count - 1) * step;
  if (step > 0) return last + 1;
  return last == 0 ? INT64_MIN : last - 1;
}

Result<std::string> write_slice(NodeWriter& node) {
  const auto& op = node.attributes<ops::Slice>();
  const Shape& x = node.operand(0).shape;
  std::vector<int64_t> starts, ends, axes, steps;
  for (size_t axis = 0; axis < op.start.size(); ++axis) {
    if (op.start[axis] == 0 && op.step[axis] == 1 && op.shape[axis] == x[static_cast<int>(axis)]) continue;
    starts.push_back(op.start[axis]);
    ends.push_back(end_of(op.start[axis], op.step[axis], op.shape[axis]));
    axes.push_back(static_cast<int64_t>(axis));
    steps.push_back(op.step[axis]);
  }
  std::vector<std::string> inputs = {node.real(0)};
  for (const auto* list : {&starts, &ends, &axes, &steps}) inputs.push_back(node.constant(*list));
  return node.write("Slice", std::move(inputs));
}

// Writes an Expand if only axes of one element are repeated, or else a Tile of an input with the result's rank.
Result<std::string> write_tile(NodeWriter& node) {
  const std::vector<int64_t>& shape = node.attributes<ops::Tile>().shape;
  const Shape& x = node.operand(0).shape;
  std::vector<int64_t> aligned(shape.size() - static_cast<size_t>(x.rank()), 1);
  aligned.insert(aligned.end(), x.begin(), x.end());
  bool expands = true;
  std::vector<int64_t> repeats;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    expands = expands && (aligned[axis] == 1 || aligned[axis] == shape[axis]);
    repeats.push_back(aligned[axis] == 0 ? 1 : shape[axis] / aligned[axis]);
  }
  if (expands) return node.write("Expand", {node.real(0), node.constant(shape)});
  std::string whole = node.real(0);
  if (aligned.size() != static_cast<size_t>(x.rank())) whole = node.write("Reshape", {whole, node.constant(aligned)});
  return node.write("Tile", {whole, node.constant(repeats)});
}

template <typename Op>
Result<std::string> write_gather(NodeWriter& node) {
  constexpr bool kByElement = std::is_same_v<Op, ops::GatherElements>;
  return node.write(kByElement ? "GatherElements" : "Gather", {node.real(0), node.input(1)},
                    {{"axis", int64_t{node.attributes<Op>().axis}}});
}

constexpr ExportRule kMovementExportRules[] = {
    {ops::Kind::kConcat, write_concat},
    {ops::Kind::kSlice, write_slice},
    {ops::Kind::kTranspose, write_transpose},
    {ops::Kind::kTile, write_tile},
    {ops::Kind::kGather, write_gather<ops::Gather>},
    {ops::Kind::kGatherElements, write_gather<ops::GatherElements>},
};

}  // namespace

std::span<const ExportRule> movement_export_rules() { return kMovementExportRules; }

}  // namespace nestrt::compiler
