// SPDX-License-Identifier: Apache-2.0
// The reasons of a QuantizationReport in the form that reports of plans use (tools/support/page/precisions.h).
#pragma once

#include <map>
#include <string>

#include "compiler-lite/quantize/quantize.h"

namespace nestrt::compiler {

// Returns why nodes stay f32, by their name.
inline std::map<std::string, std::string> kept_reasons(const QuantizationReport& report) {
  std::map<std::string, std::string> reasons;
  for (const KeptNode& node : report.kept) reasons.emplace(node.name, node.reason);
  return reasons;
}

}  // namespace nestrt::compiler
