#include "runtime/command/summaries.h"

#include "nestrt/plan_generated.h"
#include "runtime/plan/statistics.h"

namespace nestrt::command {
namespace {

// A field that the file leaves out is null.
std::string text_of(const flatbuffers::String* text) { return text == nullptr ? "" : text->str(); }

template <typename Vector>
uint32_t size_of(const Vector* items) {
  return items == nullptr ? 0 : items->size();
}

std::string output_shape(const plan::Plan& tables, const plan::Operator& op) {
  if (size_of(op.outputs()) == 0) return "";
  const auto* dims = tables.tensors()->Get(static_cast<uint32_t>(op.outputs()->Get(0)))->shape();
  Shape shape;
  for (uint32_t axis = 0; axis < size_of(dims) && axis < Shape::kMaxRank; ++axis) shape.push_back(dims->Get(axis));
  return shape.to_string();
}

std::vector<OperatorRow> operator_rows(const Session& session) {
  const plan::Plan& tables = session.plan().tables();
  std::vector<OperatorRow> rows;
  uint32_t index = 0;
  for (const OperatorSummary& op : session.operators()) {
    const plan::Operator& table = *tables.operators()->Get(index++);
    rows.push_back({std::string(op.name), std::string(op.kind), std::string(op.kernel), std::string(op.unit),
                    output_shape(tables, table), statistics(tables, table).macs, op.repacked});
  }
  return rows;
}

}  // namespace

PlanSummary summarize_plan(const Session& session) {
  const Plan& plan = session.plan();
  const plan::Plan& tables = plan.tables();
  PlanSummary summary;
  summary.producer = text_of(tables.producer());
  summary.model = text_of(tables.model_name());
  summary.digest = plan.digest();
  for (uint32_t i = 0; i < size_of(tables.targets()); ++i) {
    const plan::Target& target = *tables.targets()->Get(i);
    summary.targets.push_back(text_of(target.unit()) + " " + text_of(target.configuration()));
  }
  summary.file_bytes = plan.bytes().size();
  for (uint32_t i = 0; i < size_of(tables.buffers()); ++i) {
    const plan::Buffer& buffer = *tables.buffers()->Get(i);
    if (buffer.kind() == plan::BufferKind::constant) summary.weight_bytes += buffer.size();
  }
  if (size_of(tables.memory_plans()) > 0) {
    summary.arena_lower_bound_bytes = tables.memory_plans()->Get(0)->lower_bound_bytes();
  }
  summary.num_branches = size_of(tables.branches());
  summary.memory = session.memory();
  summary.operators = operator_rows(session);
  for (const OperatorRow& op : summary.operators) summary.macs += op.macs;
  return summary;
}

}  // namespace nestrt::command
