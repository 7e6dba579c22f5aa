#include <algorithm>

#include "compiler-lite/export/ops/families.h"
#include "compiler-lite/export/ops/window.h"

namespace nestrt::compiler {
namespace {

using ops::PoolKind;

bool all_are(const std::vector<int32_t>& list, int32_t number) {
  return std::all_of(list.begin(), list.end(), [number](int32_t entry) { return entry == number; });
}

// The window is the whole picture, once.
bool is_global(const ops::Pool& op, const Shape& x) {
  for (int axis = 2; axis < x.rank(); ++axis)
    if (op.kernel[static_cast<size_t>(axis - 2)] != x[axis]) return false;
  return all_are(op.stride, 1) && all_are(op.dilation, 1) && all_are(op.pad_begin, 0) && all_are(op.pad_end, 0) &&
         !op.count_include_pad && !op.ceil_mode;
}

std::string_view type_of(PoolKind kind, bool global) {
  switch (kind) {
    case PoolKind::kMax:
      return global ? "GlobalMaxPool" : "MaxPool";
    case PoolKind::kAverage:
      return global ? "GlobalAveragePool" : "AveragePool";
    case PoolKind::kLp:
      return global ? "GlobalLpPool" : "LpPool";
  }
  return "";
}

Result<std::string> write_pool(NodeWriter& node) {
  const auto& op = node.attributes<ops::Pool>();
  const bool global = is_global(op, node.operand(0).shape);
  WrittenAttributes attributes;
  if (!global) attributes = window_attributes(op);
  if (op.kind == PoolKind::kLp) attributes.emplace_back("p", int64_t{op.p});
  if (op.count_include_pad) attributes.emplace_back("count_include_pad", true);
  if (op.ceil_mode) attributes.emplace_back("ceil_mode", true);
  if (op.kind != PoolKind::kMax && !all_are(op.dilation, 1))
    return node.unsupported("only MaxPool can have a dilated window");
  if (op.kind == PoolKind::kLp && op.ceil_mode) return node.unsupported("LpPool has no ceil_mode");
  return node.write(type_of(op.kind, global), {node.real(0)}, std::move(attributes));
}

constexpr ExportRule kRules[] = {{ops::Kind::kPool, write_pool}};

}  // namespace

std::span<const ExportRule> pool_export_rules() { return kRules; }

}  // namespace nestrt::compiler
