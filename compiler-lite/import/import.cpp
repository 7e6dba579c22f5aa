// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/import.h"

#include <fmt/core.h>

#include <filesystem>
#include <string_view>
#include <unordered_set>

#include "compiler-lite/import/graph_builder.h"
#include "compiler-lite/import/graph_inputs.h"
#include "compiler-lite/import/graph_nodes.h"
#include "compiler-lite/import/onnx/inline_functions.h"
#include "compiler-lite/import/onnx/onnx_model.h"
#include "compiler-lite/import/operator_table.h"
#include "nestrt/log.h"

namespace nestrt::compiler {
namespace {

Status add_outputs(GraphBuilder& builder, const OnnxModel& model) {
  if (model.outputs.empty()) return Status(Code::kInvalidModel, "the model has no outputs");
  std::unordered_set<std::string_view> names;
  for (const std::string& name : model.outputs) {
    if (!names.insert(name).second)
      return Status(Code::kInvalidModel, fmt::format("output '{}' is listed twice", name));
    const ValueId id = builder.find(name);
    if (id == kNoValue) return Status(Code::kInvalidModel, fmt::format("no node computes output '{}'", name));
    NESTRT_ASSIGN_OR_RETURN(const ValueId output, builder.as_output(id, name));
    builder.graph().outputs.push_back(output);
  }
  return ok_status();
}

void drop_read_values(const OnnxGraph& graph, std::unordered_set<std::string>& names) {
  for (const OnnxNode& node : graph.nodes) {
    for (const std::string& input : node.inputs) names.erase(input);
    for (const auto& [name, attribute] : node.attributes)
      if (const auto* subgraph = std::get_if<std::shared_ptr<const OnnxGraph>>(&attribute))
        drop_read_values(**subgraph, names);
  }
}

// Records the outputs of the model that no node reads.
void note_last_values(GraphBuilder& builder, const OnnxModel& model) {
  std::unordered_set<std::string> last(model.outputs.begin(), model.outputs.end());
  drop_read_values(model, last);
  builder.set_last_values(std::move(last));
}

Result<Graph> build(OnnxModel& model, const ImportOptions& options) {
  if (static_cast<int64_t>(model.nodes.size() + model.subgraph_nodes.size()) > options.limits.nodes)
    return too_many_nodes(options.limits.nodes);
  NESTRT_RETURN_IF_ERROR(inline_functions(model, options.limits));
  NESTRT_RETURN_IF_ERROR(check_operators(model, model.opset));
  if (model.opset > kNewestKnownOpset) {
    log(LogLevel::kWarning,
        fmt::format(
            "the model uses opset {}, newer than the newest tested opset {}; check its results with nestc check",
            model.opset, kNewestKnownOpset));
  }
  for (const std::string& type : model.converted_types)
    log(LogLevel::kInfo, fmt::format("{} of the model is computed in f32", type));
  GraphBuilder builder(options.limits, model.file_bytes);
  note_last_values(builder, model);
  builder.graph().name = model.name;
  for (const OnnxTensor& tensor : model.initializers)
    NESTRT_RETURN_IF_ERROR(builder.define(tensor.name, builder.add_constant(tensor)));
  NESTRT_RETURN_IF_ERROR(add_inputs(builder, model, options));
  NESTRT_RETURN_IF_ERROR(import_nodes(builder, model, model.opset));
  NESTRT_RETURN_IF_ERROR(add_outputs(builder, model));
  builder.graph().tidy();
  return std::move(builder.graph());
}

}  // namespace

Result<Graph> import_onnx(const std::string& path, const ImportOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(OnnxModel model, read_onnx_model(path, options.limits));
  auto graph = build(model, options);
  if (!graph) return graph.error().with_context(path);
  if (graph->name.empty()) graph->name = std::filesystem::path(path).stem().string();
  return graph;
}

Result<Graph> import_onnx(std::span<const std::byte> bytes, const ImportOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(OnnxModel model, read_onnx_model(bytes, options.limits));
  return build(model, options);
}

}  // namespace nestrt::compiler
