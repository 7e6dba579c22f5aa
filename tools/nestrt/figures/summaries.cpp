// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/figures/summaries.h"

#include "nestrt/driver/plan_tables.h"
#include "runtime/plan/queries/describe.h"
#include "tools/support/page/plan_figures.h"

namespace nestrt::command {
namespace {

const plan::Tensor* output_of(const plan::Tables& tables, const plan::Operator& op) {
  return op.outputs.empty() ? nullptr : &tables.tensors[static_cast<uint32_t>(op.outputs[0])];
}

std::vector<OperatorRow> operator_rows(const Session& session) {
  const plan::Tables& tables = session.plan().tables();
  std::vector<OperatorRow> rows;
  uint32_t index = 0;
  for (const OperatorSummary& op : session.operators()) {
    const plan::Operator& table = tables.operators[index++];
    const plan::Tensor* output = output_of(tables, table);
    const OperatorStatistics alone = tools::moved_by(tables, table);
    rows.push_back({std::string(op.name), std::string(op.kind), std::string(op.kernel), std::string(op.unit),
                    output == nullptr ? "" : output->shape.to_string(), output == nullptr ? "" : describe_type(*output),
                    alone.macs, alone.intensity(), alone.bytes(), op.repacked, op.is_row_fused});
  }
  return rows;
}

}  // namespace

PlanSummary summarize_plan(const Session& session) {
  const Plan& plan = session.plan();
  const plan::Tables& tables = plan.tables();
  PlanSummary summary;
  summary.producer = tables.producer;
  summary.model = tables.model_name;
  summary.digest = plan.digest();
  for (const plan::Target& target : tables.targets) summary.targets.push_back(target.unit + " " + target.configuration);
  summary.file_bytes = plan.bytes().size();
  for (const plan::Buffer& buffer : tables.buffers)
    if (buffer.kind == plan::BufferKind::kConstant) summary.weight_bytes += buffer.size;
  summary.program_bytes = tools::program_bytes(tables);
  const auto& memory_plans = tables.memory_plans;
  if (!memory_plans.empty()) summary.arena_lower_bound_bytes = memory_plans[0].lower_bound_bytes;
  summary.num_branches = tables.branches.size();
  summary.memory = session.memory();
  summary.operators = operator_rows(session);
  summary.traffic = tools::traffic_of(session);
  return summary;
}

std::string describe_channels(ChannelRange channels) { return channels.all() ? "" : to_string(channels); }

}  // namespace nestrt::command
