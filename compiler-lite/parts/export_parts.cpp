// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/export_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "compiler-lite/parts/borders.h"
#include "compiler-lite/parts/part_names.h"
#include "compiler-lite/passes/passes.h"

namespace nestrt::compiler {
namespace {

// Finds the parts that each part reads from.
class Predecessors {
 public:
  std::vector<std::string> of(const Part& part) {
    std::vector<std::string> names;
    for (const ValueId id : part.exported.inputs) {
      const auto found = producer_.find(id);
      if (found != producer_.end() && std::find(names.begin(), names.end(), found->second) == names.end())
        names.push_back(found->second);
    }
    for (const ValueId id : part.exported.outputs) producer_[id] = part.name;
    return names;
  }

 private:
  std::unordered_map<ValueId, std::string> producer_;  // name of the part that computes the value
};

}  // namespace

Result<Manifest> export_parts(const Graph& graph, const Cut& cut, const PartsOptions& options, const PartSink& sink) {
  ValueNames names(graph);
  const ExportedPart whole = whole_graph(graph);
  Manifest manifest{whole.name, options.model_digest, options.form.opset, options.folded_batch_norm, {}, {}, {}};
  manifest.inputs = borders_of(graph, names, whole.inputs);
  manifest.outputs = borders_of(graph, names, whole.outputs);
  Predecessors predecessors;
  for (const Part& part : cut.parts) {
    if (!is_part_name(part.name))
      return Status(Code::kInvalidArgument, fmt::format("part '{}': {}", part.name, kPartNameRule));
    const auto bytes = export_onnx(graph, part.exported, names, options.form);
    if (!bytes) return bytes.error().with_context(fmt::format("part '{}'", part.name));
    ManifestPart& entry = manifest.parts.emplace_back();
    entry.name = part.name;
    entry.backend = part.backend;
    entry.file = part.name + ".onnx";
    for (const uint32_t op : part.operators) entry.operators.push_back(cut.operators[op].name);
    entry.inputs = borders_of(graph, names, part.exported.inputs);
    entry.outputs = borders_of(graph, names, part.exported.outputs);
    entry.after = predecessors.of(part);
    NESTRT_RETURN_IF_ERROR(sink(entry.file, *bytes));
  }
  return manifest;
}

Status fold_batch_normalization(Graph& graph) {
  for (;;) {
    NESTRT_ASSIGN_OR_RETURN(const int changes, fuse_batchnorm(graph));
    if (changes == 0) return {};
  }
}

}  // namespace nestrt::compiler
