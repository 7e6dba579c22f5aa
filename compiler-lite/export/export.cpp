// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/export.h"

#include <fmt/core.h>
#include <onnx/onnx_pb.h>

#include <climits>
#include <optional>
#include <unordered_set>

#include "compiler-lite/emit/version.h"
#include "compiler-lite/export/check_model.h"
#include "compiler-lite/export/model_writer.h"
#include "compiler-lite/graph/rounding.h"

namespace nestrt::compiler {
namespace {

// Returns the ONNX file format version (IR version) for the opset.
int64_t ir_version(int64_t opset) { return opset < 15 ? 7 : opset < 19 ? 8 : opset < 21 ? 9 : 10; }

void state_rounding(ops::Rounding rounding, onnx::ModelProto& model) {
  onnx::StringStringEntryProto& entry = *model.add_metadata_props();
  entry.set_key(std::string(kRoundingKey));
  entry.set_value(std::string(ops::name(rounding)));
}

// Writes the model without a check.
Status write_model(const Graph& graph, const ExportedPart& part, ValueNames& names, const ExportForm& form,
                   onnx::ModelProto& model) {
  model.set_ir_version(ir_version(form.opset));
  model.set_producer_name(form.producer);
  if (form.producer == kProducer) model.set_producer_version(kVersion);
  onnx::OperatorSetIdProto& operators = *model.add_opset_import();
  operators.set_domain("");
  operators.set_version(form.opset);
  if (graph.qdq_rounding != ops::Rounding::kHalfEven) state_rounding(graph.qdq_rounding, model);
  return ModelWriter(graph, part, names, form, *model.mutable_graph()).write();
}

// Copies the types of values that both models compute.
void copy_types(const onnx::GraphProto& from, onnx::GraphProto& to) {
  std::unordered_set<std::string> wanted;
  for (const onnx::NodeProto& node : to.node()) wanted.insert(node.output().begin(), node.output().end());
  for (const auto* stated : {&to.output(), &to.value_info()})
    for (const onnx::ValueInfoProto& value : *stated) wanted.erase(value.name());
  for (const onnx::ValueInfoProto& value : from.value_info())
    if (wanted.contains(value.name())) *to.add_value_info() = value;
}

Status too_large() { return Status(Code::kUnsupported, "the ONNX model exceeds 2 GiB, the limit for one file"); }

}  // namespace

ValueNames::ValueNames(const Graph& graph) : names_(graph.num_values()) {
  const auto keep = [&](ValueId id) {
    std::string& name = names_[static_cast<size_t>(id)];
    if (name.empty()) name = unique(graph.value(id).name);
  };
  for (const GraphInput& input : graph.inputs) keep(input.value);
  for (const ValueId id : graph.outputs) keep(id);
  for (size_t id = 0; id < names_.size(); ++id) keep(static_cast<ValueId>(id));
}

Status check_export_opset(int64_t opset) {
  if (opset >= kOldestExportOpset && opset <= kNewestExportOpset) return {};
  return Status(Code::kInvalidArgument, fmt::format("opset {} is not supported; supported: {} to {}", opset,
                                                    kOldestExportOpset, kNewestExportOpset));
}

std::string ValueNames::first_free(Taken& taken, const std::string& wanted) {
  if (!wanted.empty() && taken.try_emplace(wanted, 2).second) return wanted;
  for (;;) {
    std::string name = fmt::format("{}_{}", wanted, taken[wanted]++);
    if (taken.try_emplace(name, 2).second) return name;
  }
}

std::string ValueNames::unique(const std::string& wanted) { return first_free(taken_, wanted); }
std::string ValueNames::unique_node(const std::string& wanted) { return first_free(taken_nodes_, wanted); }

ExportedPart whole_graph(const Graph& graph) {
  ExportedPart part;
  part.name = graph.name.empty() ? "model" : graph.name;
  for (const auto& node : graph.nodes()) part.nodes.push_back(node.get());
  for (const GraphInput& input : graph.inputs) part.inputs.push_back(input.value);
  part.outputs.assign(graph.outputs.begin(), graph.outputs.end());
  return part;
}

Result<std::string> export_onnx(const Graph& graph, const ExportedPart& part, ValueNames& names,
                                const ExportForm& form) {
  NESTRT_RETURN_IF_ERROR(check_export_opset(form.opset));
  const bool is_newer = form.opset > kNewestCheckedOpset;
  std::optional<ValueNames> same_names;
  if (is_newer) same_names = names;
  onnx::ModelProto model, checked;
  NESTRT_RETURN_IF_ERROR(write_model(graph, part, names, form, model));
  if (is_newer) {
    ExportForm older = form;
    older.opset = kNewestCheckedOpset;
    NESTRT_RETURN_IF_ERROR(write_model(graph, part, *same_names, older, checked));
  }
  onnx::ModelProto& checkable = is_newer ? checked : model;
  if (checkable.ByteSizeLong() > INT_MAX) return too_large();
  NESTRT_RETURN_IF_ERROR(check_onnx_model(checkable));
  if (is_newer) copy_types(checked.graph(), *model.mutable_graph());
  std::string bytes;
  if (model.ByteSizeLong() > INT_MAX || !model.SerializeToString(&bytes)) return too_large();
  return bytes;
}

Result<std::string> export_onnx(const Graph& graph, const ExportForm& form) {
  ValueNames names(graph);
  return export_onnx(graph, whole_graph(graph), names, form);
}

}  // namespace nestrt::compiler
