// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/export.h"

#include <fmt/core.h>
#include <onnx/onnx_pb.h>

#include <climits>

#include "compiler-lite/emit/version.h"
#include "compiler-lite/export/check_model.h"
#include "compiler-lite/export/model_writer.h"
#include "compiler-lite/graph/rounding.h"

namespace nestrt::compiler {
namespace {

// Returns the file format version that belongs to the opset.
int64_t ir_version(int64_t opset) { return opset < 15 ? 7 : 8; }

void state_rounding(ops::Rounding rounding, onnx::ModelProto& model) {
  onnx::StringStringEntryProto& entry = *model.add_metadata_props();
  entry.set_key(std::string(kRoundingKey));
  entry.set_value(std::string(ops::name(rounding)));
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

Result<std::string> export_onnx(const Graph& graph, const ExportedPart& part, ValueNames& names, int64_t opset) {
  NESTRT_RETURN_IF_ERROR(check_export_opset(opset));
  onnx::ModelProto model;
  model.set_ir_version(ir_version(opset));
  model.set_producer_name("nestc");
  model.set_producer_version(kVersion);
  onnx::OperatorSetIdProto& operators = *model.add_opset_import();
  operators.set_domain("");
  operators.set_version(opset);
  if (graph.qdq_rounding != ops::Rounding::kHalfEven) state_rounding(graph.qdq_rounding, model);
  NESTRT_RETURN_IF_ERROR(ModelWriter(graph, part, names, opset, *model.mutable_graph()).write());
  if (model.ByteSizeLong() > INT_MAX) return too_large();
  NESTRT_RETURN_IF_ERROR(check_onnx_model(model));
  std::string bytes;
  if (model.ByteSizeLong() > INT_MAX || !model.SerializeToString(&bytes)) return too_large();
  return bytes;
}

Result<std::string> export_onnx(const Graph& graph, int64_t opset) {
  ValueNames names(graph);
  return export_onnx(graph, whole_graph(graph), names, opset);
}

}  // namespace nestrt::compiler
