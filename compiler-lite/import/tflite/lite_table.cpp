// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/tflite/lite_table.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace nestrt::compiler {
namespace {

auto lite_key(const LiteRule& rule) { return std::tuple(rule.code, rule.custom); }

std::vector<LiteRule> collect_lite_rules() {
  std::vector<LiteRule> all;
  for (const std::span<const LiteRule> family :
       {lite_convolution_rules(), lite_matrix_rules(), lite_element_rules(), lite_reduction_rules(), lite_shape_rules(),
        lite_movement_rules(), lite_resampling_rules(), lite_recurrent_rules(), lite_control_rules(), lite_svdf_rules(),
        lite_detection_rules(), lite_variable_rules()})
    all.insert(all.end(), family.begin(), family.end());
  std::ranges::sort(all, {}, lite_key);
  return all;
}

}  // namespace

std::span<const LiteRule> lite_rules() {
  static const std::vector<LiteRule> kLiteLiteTableRules = collect_lite_rules();
  return kLiteLiteTableRules;
}

const LiteRule* find_lite_rule(const LiteCode& code) {
  const bool is_custom = code.code == LiteOp::CUSTOM;
  const std::tuple wanted(code.code, is_custom ? std::string_view(code.custom) : std::string_view());
  const auto rules = lite_rules();
  const auto found = std::ranges::lower_bound(rules, wanted, {}, lite_key);
  return found == rules.end() || lite_key(*found) != wanted ? nullptr : &*found;
}

}  // namespace nestrt::compiler
