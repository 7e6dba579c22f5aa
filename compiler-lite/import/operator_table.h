// The table of every ONNX operator that can be imported.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "nestrt/status.h"

namespace nestrt::compiler {

class NodeContext;

// Operators of earlier opsets are supported where they did not change since.
inline constexpr int64_t kOldestOpset = 6;
// The newest opset whose operators were compared with these functions. A newer model is accepted with a warning.
inline constexpr int64_t kNewestKnownOpset = 28;

struct ImportRule {
  std::string_view op_type;  // with its domain where that is not ONNX's own: "com.microsoft.QLinearAdd"
  // Translates one node. Everything of the node is untrusted but this: named inputs exist.
  Status (*import)(NodeContext& node) = nullptr;
  int64_t first_opset = kOldestOpset;  // older where the operator did not change since
  int64_t last_opset = INT64_MAX;
};

// Sorted by op_type.
std::span<const ImportRule> import_rules();
// Null where the operator does not exist in that opset, or is not supported. Other domains' operators have no opset.
const ImportRule* find_import_rule(std::string_view op_type, int64_t opset);

}  // namespace nestrt::compiler
