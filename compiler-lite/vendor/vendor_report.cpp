// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/vendor_report.h"

#include <fmt/core.h>

#include "runtime/text/escaped.h"
#include "tools/support/text/json.h"

namespace nestrt::compiler {

Result<VendorReport> read_vendor_report(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const tools::Json json, tools::read_json(path));
  constexpr double kLongest = 1e12;
  const std::optional<double> share = json.number("npu_share");
  if (!share || !(*share >= 0 && *share <= 1))
    return Status(Code::kInvalidArgument, "the report needs \"npu_share\", a number from 0 to 1");
  VendorReport report;
  report.npu_share = *share;
  report.microseconds = json.number("microseconds");
  if (report.microseconds && !(*report.microseconds > 0 && *report.microseconds <= kLongest))
    return Status(Code::kInvalidArgument, "\"microseconds\" of the report must be positive and at most 1e12");
  for (const tools::Json& entry : json.objects("on_cpu"))
    report.on_cpu.push_back({entry.text("operator").value_or(""), entry.text("reason").value_or("")});
  return report;
}

std::string operators_on_cpu(const VendorReport& report) {
  constexpr size_t kShown = 8, kMaxText = 200;
  const auto shortened = [](const std::string& text) { return escaped(text.substr(0, kMaxText)); };
  std::string text;
  for (size_t i = 0; i < report.on_cpu.size() && i < kShown; ++i) {
    const VendorReport::OnCpu& entry = report.on_cpu[i];
    text += (i == 0 ? "" : ", ") + shortened(entry.operator_name);
    if (!entry.reason.empty()) text += " (" + shortened(entry.reason) + ")";
  }
  if (report.on_cpu.size() > kShown) text += fmt::format(", and {} more", report.on_cpu.size() - kShown);
  return text;
}

std::string summary_of(const VendorReport& report) {
  const std::string on_cpu = operators_on_cpu(report);
  return fmt::format("{:.3g} % of the work is on the NPU{}{}", 100 * report.npu_share,
                     on_cpu.empty() ? "" : "; on the CPU: ", on_cpu);
}

}  // namespace nestrt::compiler
