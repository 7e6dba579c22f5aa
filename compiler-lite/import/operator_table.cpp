// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/operator_table.h"

#include <algorithm>
#include <vector>

#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

std::vector<ImportRule> collect_import_rules() {
  std::vector<ImportRule> all;
  for (std::span<const ImportRule> family :
       {convolution_rules(),   pool_rules(),         matrix_rules(),  unary_rules(),       binary_rules(),
        normalization_rules(), reduction_rules(),    shape_rules(),   constant_rules(),    movement_rules(),
        resampling_rules(),    quantization_rules(), dynamic_rules(), weight_only_rules(), fused_rules(),
        selection_rules(),     recurrent_rules(),    einsum_rules(),  attention_rules(),   loss_rules(),
        control_rules()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  std::sort(all.begin(), all.end(), [](const ImportRule& a, const ImportRule& b) { return a.op_type < b.op_type; });
  return all;
}

}  // namespace

std::span<const ImportRule> import_rules() {
  static const std::vector<ImportRule> kRules = collect_import_rules();
  return kRules;
}

const ImportRule* find_import_rule(std::string_view op_type, int64_t opset) {
  const auto rules = import_rules();
  auto rule = std::lower_bound(rules.begin(), rules.end(), op_type,
                               [](const ImportRule& entry, std::string_view name) { return entry.op_type < name; });
  for (; rule != rules.end() && rule->op_type == op_type; ++rule) {
    if (opset >= rule->first_opset && opset <= rule->last_opset) return &*rule;
  }
  return nullptr;
}

}  // namespace nestrt::compiler
