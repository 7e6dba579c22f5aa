// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/float_forms.h"
#include "compiler-lite/import/ops/window.h"

namespace nestrt::compiler {
namespace {

Status import_pool(NodeContext& node) {
  const ops::PoolKind kind = find_name(kPoolNames, node.op_type())->kind;
  if (kind == ops::PoolKind::kMax) node.ignore("storage_order");  // affects only the output Indices
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(ops::Pool pool, read_pool(node, kind, node.shape(x)));
  return node.finish(std::move(pool), {x});
}

Status import_global_pool(NodeContext& node) {
  const ops::PoolKind kind = find_name(kGlobalPoolNames, node.op_type())->kind;
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(ops::Pool pool, global_pool(node, kind, node.shape(x)));
  return node.finish(std::move(pool), {x});
}

constexpr ImportRule kGlobalRules[] = {
    {"GlobalAveragePool", import_global_pool, 1},
    {"GlobalLpPool", import_global_pool},
    {"GlobalMaxPool", import_global_pool, 1},
};
constexpr auto kPoolRules = rules_of(kPoolNames, import_pool, kGlobalRules);

// Adds padding at the end if the window exceeds the padded input by less than a stride. ONNX Runtime's division
// truncates towards zero and so gives one output in this case; the ONNX standard gives none.
void fit_window(const Shape& x, Window& window) {
  for (int axis = 0; axis < window.spatial_rank(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    const int64_t missing = window.extent(axis) - (x[axis + 2] + window.pad_begin[i] + int64_t{window.pad_end[i]});
    if (x[axis + 2] > 0 && missing > 0 && missing < window.stride[i])
      window.pad_end[i] += static_cast<int32_t>(missing);
  }
}

}  // namespace

Result<ops::Pool> read_pool(NodeContext& node, ops::PoolKind kind, const Shape& x) {
  if (x.rank() < 3) return node.invalid(fmt::format("input of shape {} has no spatial axes", x.to_string()));
  NESTRT_ASSIGN_OR_RETURN(Window window, read_window(node, x.rank() - 2, {}));
  NESTRT_RETURN_IF_ERROR(resolve_auto_pad(node, x, window));
  ops::Pool pool;
  pool.kind = kind;
  pool.ceil_mode = node.flag("ceil_mode", false);
  if (kind == ops::PoolKind::kAverage) pool.count_include_pad = node.flag("count_include_pad", false);
  if (!pool.count_include_pad) fit_window(x, window);
  set_window(pool, window);
  if (kind == ops::PoolKind::kLp) pool.p = static_cast<int32_t>(node.attribute("p", int64_t{2}));
  return pool;
}

Result<ops::Pool> global_pool(NodeContext& node, ops::PoolKind kind, const Shape& x) {
  if (x.rank() < 3) return node.invalid(fmt::format("input of shape {} has no spatial axes", x.to_string()));
  ops::Pool pool;
  pool.kind = kind;
  for (int axis = 2; axis < x.rank(); ++axis) {
    if (x[axis] < 1 || x[axis] > INT32_MAX) return node.invalid("spatial axes must have 1 to 2^31 - 1 elements");
    pool.kernel.push_back(static_cast<int32_t>(x[axis]));
  }
  pool.stride.assign(pool.kernel.size(), 1);
  pool.dilation.assign(pool.kernel.size(), 1);
  pool.pad_begin.assign(pool.kernel.size(), 0);
  pool.pad_end.assign(pool.kernel.size(), 0);
  if (kind == ops::PoolKind::kLp) pool.p = static_cast<int32_t>(node.attribute("p", int64_t{2}));
  return pool;
}

std::span<const ImportRule> pool_rules() { return kPoolRules; }

}  // namespace nestrt::compiler
