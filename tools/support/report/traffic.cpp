// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/traffic.h"

#include <fmt/core.h>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "runtime/plan/queries/views.h"
#include "tools/support/text/table.h"

namespace nestrt::tools {
namespace {

uint64_t first_output_bytes(const plan::Tables& tables, const plan::Operator& op) {
  if (op.outputs.empty()) return 0;
  const plan::Tensor& output = tables.tensors[static_cast<uint32_t>(op.outputs[0])];
  return static_cast<uint64_t>(storage_bytes(output.type, output.shape, output.layout));
}

}  // namespace

OperatorStatistics moved_by(const plan::Tables& tables, const plan::Operator& op) {
  return is_view(tables, op) ? OperatorStatistics() : statistics(tables, op);
}

Traffic traffic_of(const Session& session) {
  const plan::Tables& tables = session.plan().tables();
  Traffic result;
  uint32_t index = 0;
  for (const OperatorSummary& summary : session.operators()) {
    const plan::Operator& op = tables.operators[index++];
    const OperatorStatistics alone = moved_by(tables, op);
    result.macs += alone.macs;
    result.moved_bytes += alone.bytes();
    if (!summary.is_row_fused) continue;
    ++result.num_row_fused;
    result.kept_bytes += first_output_bytes(tables, op);
  }
  return result;
}

std::string describe_row_fusion(const Traffic& traffic) {
  if (traffic.num_row_fused == 0) return "none";
  const auto intensity = [&](uint64_t bytes) { return static_cast<double>(traffic.macs) / static_cast<double>(bytes); };
  return fmt::format(
      "{} operator{} with the next: {} of results stay in a cache; {:.1f} MAC per byte moved, {:.1f} without",
      traffic.num_row_fused, traffic.num_row_fused == 1 ? "" : "s, each", format_bytes(traffic.kept_bytes),
      intensity(traffic.moved_bytes - 2 * traffic.kept_bytes), intensity(traffic.moved_bytes));
}

}  // namespace nestrt::tools
