#include "tools/nestrt/summaries.h"

#include "nestrt/plan_generated.h"
#include "runtime/plan/describe.h"
#include "runtime/plan/statistics.h"
#include "runtime/plan/tables.h"

namespace nestrt::command {
namespace {

const plan::Tensor* output_of(const plan::Plan& tables, const plan::Operator& op) {
  const auto& outputs = items(op.outputs());
  return outputs.size() == 0 ? nullptr : items(tables.tensors())[static_cast<uint32_t>(outputs[0])];
}

std::vector<OperatorRow> operator_rows(const Session& session) {
  const plan::Plan& tables = session.plan().tables();
  std::vector<OperatorRow> rows;
  uint32_t index = 0;
  for (const OperatorSummary& op : session.operators()) {
    const plan::Operator& table = *items(tables.operators())[index++];
    const plan::Tensor* output = output_of(tables, table);
    rows.push_back({std::string(op.name), std::string(op.kind), std::string(op.kernel), std::string(op.unit),
                    output == nullptr ? "" : shape_of(*output).to_string(),
                    output == nullptr ? "" : describe_type(*output), statistics(tables, table).macs, op.repacked});
  }
  return rows;
}

}  // namespace

PlanSummary summarize_plan(const Session& session) {
  const Plan& plan = session.plan();
  const plan::Plan& tables = plan.tables();
  PlanSummary summary;
  summary.producer = view(tables.producer());
  summary.model = view(tables.model_name());
  summary.digest = plan.digest();
  for (const plan::Target* target : items(tables.targets()))
    summary.targets.push_back(std::string(view(target->unit())) + " " + std::string(view(target->configuration())));
  summary.file_bytes = plan.bytes().size();
  for (const plan::Buffer* buffer : items(tables.buffers()))
    if (buffer->kind() == plan::BufferKind::constant) summary.weight_bytes += buffer->size();
  const auto& memory_plans = items(tables.memory_plans());
  if (memory_plans.size() > 0) summary.arena_lower_bound_bytes = memory_plans[0]->lower_bound_bytes();
  summary.num_branches = items(tables.branches()).size();
  summary.memory = session.memory();
  summary.operators = operator_rows(session);
  for (const OperatorRow& op : summary.operators) summary.macs += op.macs;
  return summary;
}

}  // namespace nestrt::command
