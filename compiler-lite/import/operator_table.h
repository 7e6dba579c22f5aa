// SPDX-License-Identifier: Apache-2.0
// The table of all ONNX operators that can be imported.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "compiler-lite/import/onnx/onnx_names.h"
#include "nestrt/status.h"

namespace nestrt::compiler {

class NodeContext;

// The newest opset against which these functions were checked. A newer model causes a warning.
inline constexpr int64_t kNewestKnownOpset = 28;

struct ImportRule {
  std::string_view op_type;  // preceded by the domain unless it is ONNX: "com.microsoft.QLinearAdd"
  // Imports one node. Nothing in the node is trusted, except that the inputs that it names exist.
  Status (*import)(NodeContext& node) = nullptr;
  int64_t first_opset = kOldestOpset;  // older models are accepted if the operator has not changed since
  int64_t last_opset = INT64_MAX;
};

// Returns the rules that import each operator of `names` with `import`, followed by `others`.
template <typename Kind, size_t N, size_t M>
constexpr std::array<ImportRule, N + M> rules_of(const OnnxName<Kind> (&names)[N], Status (*import)(NodeContext& node),
                                                 const ImportRule (&others)[M]) {
  std::array<ImportRule, N + M> rules;
  for (size_t i = 0; i < N; ++i) rules[i] = {names[i].name, import, names[i].first_opset};
  std::copy(others, others + M, rules.begin() + N);
  return rules;
}

// Sorted by op_type.
std::span<const ImportRule> import_rules();
// Returns null if the operator is not supported in `opset`. Operators of other domains have no opset.
const ImportRule* find_import_rule(std::string_view op_type, int64_t opset);

}  // namespace nestrt::compiler
