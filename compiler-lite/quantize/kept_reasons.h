// SPDX-License-Identifier: Apache-2.0
// Converts the reasons of a QuantizationReport to the form that plan reports use (tools/support/page/precisions.h).
#pragma once

#include <map>
#include <string>

#include "compiler-lite/quantize/quantize.h"

namespace nestrt::compiler {

// Returns, by node name, why nodes stay f32.
inline std::map<std::string, std::string> kept_reasons(const QuantizationReport& report) {
  std::map<std::string, std::string> reasons;
  for (const KeptNode& node : report.kept) reasons.emplace(node.name, node.reason);
  return reasons;
}

}  // namespace nestrt::compiler
