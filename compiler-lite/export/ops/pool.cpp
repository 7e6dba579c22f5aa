// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "compiler-lite/export/export.h"
#include "compiler-lite/export/ops/families.h"
#include "compiler-lite/export/ops/window.h"
#include "compiler-lite/import/onnx/onnx_names.h"

namespace nestrt::compiler {
namespace {

using ops::PoolKind;

bool all_are(const std::vector<int32_t>& list, int32_t number) {
  return std::all_of(list.begin(), list.end(), [number](int32_t entry) { return entry == number; });
}

// Returns true if the window covers the spatial axes exactly once.
bool is_global(const ops::Pool& op, const Shape& x) {
  for (int axis = 2; axis < x.rank(); ++axis)
    if (op.kernel[static_cast<size_t>(axis - 2)] != x[axis]) return false;
  return all_are(op.stride, 1) && all_are(op.dilation, 1) && all_are(op.pad_begin, 0) && all_are(op.pad_end, 0) &&
         !op.count_include_pad && !op.ceil_mode;
}

// Sizes of a pool along one spatial axis. `span` is the extent of the dilated kernel.
struct Axis {
  int64_t input, output, kernel, span, stride, begin, end;
};

Axis axis_of(const ops::Pool& op, const Shape& x, const Shape& y, size_t i) {
  const int axis = static_cast<int>(i) + 2;
  return {x[axis],      y[axis],         op.kernel[i], (op.kernel[i] - 1) * op.dilation[i] + int64_t{1},
          op.stride[i], op.pad_begin[i], op.pad_end[i]};
}

// Returns the number of windows as the ONNX model checker counts them; it includes a window that lies only in the
// padding.
int64_t windows_by_library(const Axis& axis) {
  return (axis.input + axis.begin + axis.end - axis.span + axis.stride - 1) / axis.stride + 1;
}

// Returns the padding at the end that gives the same number of windows without ceil_mode, or nullopt if that padding is
// too large for ONNX.
std::optional<int64_t> end_without_ceil(const Axis& axis) {
  const int64_t least = (axis.output - 1) * axis.stride + axis.span - axis.input - axis.begin;
  const int64_t end = std::clamp(axis.end, std::max(least, int64_t{0}), std::max(least + axis.stride - 1, int64_t{0}));
  if (end < least || end >= least + axis.stride || end >= axis.kernel) return std::nullopt;
  return end;
}

// The pool to write: the original, or an equivalent without ceil_mode if the ONNX checker would reject it.
struct WrittenPool {
  ops::Pool op;
  std::vector<int64_t> padded;  // pads of a separate Pad: begins, then ends, of all axes; empty if none
};

// Moves counted padding into a Pad of zeros. Padding beyond the original amount stays in the pool and is not counted.
WrittenPool padded_before(const ops::Pool& op, const ops::Pool& written) {
  WrittenPool result{written, std::vector<int64_t>(2 * (op.kernel.size() + 2), 0)};
  const size_t rank = op.kernel.size() + 2;
  for (size_t i = 0; i < op.kernel.size(); ++i) {
    const int32_t end = std::min(op.pad_end[i], written.pad_end[i]);
    result.padded[i + 2] = op.pad_begin[i];
    result.padded[rank + i + 2] = end;
    result.op.pad_begin[i] = 0;
    result.op.pad_end[i] = written.pad_end[i] - end;
  }
  result.op.count_include_pad = false;
  return result;
}

WrittenPool as_written(const ops::Pool& op, const Shape& x, const Shape& y) {
  ops::Pool written = op;
  written.ceil_mode = false;
  bool is_refused = op.kind == PoolKind::kLp, reaches_beyond = false;
  for (size_t i = 0; i < op.kernel.size(); ++i) {
    const Axis axis = axis_of(op, x, y, i);
    is_refused |= windows_by_library(axis) != axis.output;
    const std::optional<int64_t> end = end_without_ceil(axis);
    if (!end) return {op, {}};
    written.pad_end[i] = static_cast<int32_t>(*end);
    reaches_beyond |= *end > axis.end;
  }
  if (!op.ceil_mode || !is_refused) return {op, {}};
  return op.count_include_pad && reaches_beyond ? padded_before(op, written) : WrittenPool{written, {}};
}

Result<std::string> write_pool(NodeWriter& node) {
  const WrittenPool pool = as_written(node.attributes<ops::Pool>(), node.operand(0).shape, node.result().shape);
  const ops::Pool& op = pool.op;
  const bool global = is_global(op, node.operand(0).shape);
  WrittenAttributes attributes;
  const bool all = node.form().all_attributes;
  if (!global) attributes = window_attributes(op, all && op.kind == PoolKind::kMax);
  if (op.kind == PoolKind::kLp) attributes.emplace_back("p", int64_t{op.p});
  const bool states_counting = all && op.kind == PoolKind::kAverage && !global;
  if (op.count_include_pad || states_counting) attributes.emplace_back("count_include_pad", op.count_include_pad);
  const bool states_ceiling = all && op.kind != PoolKind::kLp && !global;
  if (op.ceil_mode || states_ceiling) attributes.emplace_back("ceil_mode", op.ceil_mode);
  if (op.kind != PoolKind::kMax && !all_are(op.dilation, 1))
    return node.unsupported("only MaxPool can have a dilated window");
  if (op.kind == PoolKind::kLp && op.ceil_mode) return node.unsupported("LpPool has no ceil_mode");
  std::string input = node.real(0);
  if (!pool.padded.empty()) input = node.write("Pad", {input, node.constant(pool.padded)});
  const std::string_view type = global ? onnx_name(kGlobalPoolNames, op.kind) : onnx_name(kPoolNames, op.kind);
  return node.write(type, {input}, std::move(attributes));
}

constexpr ExportRule kPoolExportRules[] = {{ops::Kind::kPool, write_pool}};

}  // namespace

std::span<const ExportRule> pool_export_rules() { return kPoolExportRules; }

}  // namespace nestrt::compiler
