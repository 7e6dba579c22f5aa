// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/export_table.h"

#include <array>

#include "compiler-lite/export/ops/families.h"

namespace nestrt::compiler {
namespace {

std::array<ExportRule, ops::kNumKinds> collect_export_rules() {
  std::array<ExportRule, ops::kNumKinds> by_kind = {};
  for (std::span<const ExportRule> family :
       {convolution_export_rules(), pool_export_rules(), matrix_export_rules(), unary_export_rules(),
        binary_export_rules(), normalization_export_rules(), reduction_export_rules(), shape_export_rules(),
        movement_export_rules(), resampling_export_rules(), selection_export_rules(), recurrent_export_rules(),
        quantization_export_rules()}) {
    for (const ExportRule& rule : family) by_kind[static_cast<size_t>(rule.kind)] = rule;
  }
  return by_kind;
}

}  // namespace

const ExportRule* find_export_rule(ops::Kind kind) {
  static const std::array<ExportRule, ops::kNumKinds> kRules = collect_export_rules();
  const ExportRule& rule = kRules[static_cast<size_t>(kind)];
  return rule.write == nullptr ? nullptr : &rule;
}

}  // namespace nestrt::compiler
