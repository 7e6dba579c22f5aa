// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/onnx/inline_functions.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "runtime/core/budget.h"

namespace nestrt::compiler {
namespace {

constexpr int kMaxCallDepth = 64;  // of calls within calls

using CallNames =
    std::unordered_map<std::string, std::string>;  // from a value's name in the function to its name in the caller

// One call of a function.
struct Call {
  const OnnxFunction& function;
  const OnnxNode& node;
  std::string prefix;
  CallNames names;

  std::string renamed(const std::string& name) const {
    if (name.empty()) return name;
    const auto found = names.find(name);
    return found == names.end() ? prefix + name : found->second;
  }
};

// Returns the value that the call passes for a parameter, the parameter's default, or null.
const OnnxAttribute* find_parameter(const Call& call, const std::string& name) {
  if (const auto given = call.node.attributes.find(name); given != call.node.attributes.end()) return &given->second;
  const auto standard = call.function.defaults.find(name);
  return standard == call.function.defaults.end() ? nullptr : &standard->second;
}

OnnxGraph renamed_graph(const OnnxGraph& graph, const Call& call);

OnnxNode renamed_node(const OnnxNode& node, const Call& call) {
  OnnxNode result = node;
  result.name = call.prefix + node.name;
  if (result.opset == 0) result.opset = call.function.opset;
  for (std::string& input : result.inputs) input = call.renamed(input);
  for (std::string& output : result.outputs) output = call.renamed(output);
  for (auto entry = result.attributes.begin(); entry != result.attributes.end();) {
    OnnxAttribute& value = entry->second;
    if (const auto* reference = std::get_if<OnnxReference>(&value)) {
      const OnnxAttribute* const given = find_parameter(call, reference->parameter);
      if (given == nullptr) {
        entry = result.attributes.erase(entry);
        continue;
      }
      value = OnnxAttribute(*given);
    } else if (const auto* graph = std::get_if<std::shared_ptr<const OnnxGraph>>(&value)) {
      value = std::make_shared<const OnnxGraph>(renamed_graph(**graph, call));
    }
    ++entry;
  }
  return result;
}

OnnxGraph renamed_graph(const OnnxGraph& graph, const Call& call) {
  OnnxGraph result = graph;
  for (OnnxValueInfo& input : result.inputs) input.name = call.renamed(input.name);
  for (std::string& output : result.outputs) output = call.renamed(output);
  for (OnnxTensor& tensor : result.initializers) tensor.name = call.renamed(tensor.name);
  for (OnnxNode& node : result.nodes) node = renamed_node(node, call);
  return result;
}

// Returns approximately how many bytes a copy of the node needs, without shared data.
uint64_t size_of(const OnnxNode& node) {
  uint64_t bytes = sizeof(OnnxNode) + node.name.size();
  for (const auto* names : {&node.inputs, &node.outputs})
    for (const std::string& name : *names) bytes += sizeof(std::string) + name.size();
  for (const auto& [name, attribute] : node.attributes) {
    bytes += sizeof(OnnxAttribute) + name.size();
    if (const auto* text = std::get_if<std::string>(&attribute)) bytes += text->size();
    if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute)) bytes += list->size() * sizeof(int64_t);
    if (const auto* list = std::get_if<std::vector<float>>(&attribute)) bytes += list->size() * sizeof(float);
    if (const auto* list = std::get_if<std::vector<std::string>>(&attribute))
      for (const std::string& text : *list) bytes += sizeof(std::string) + text.size();
    if (const auto* graph = std::get_if<std::shared_ptr<const OnnxGraph>>(&attribute))
      for (const OnnxNode& inner : (*graph)->nodes) bytes += size_of(inner);
  }
  return bytes;
}

class Inliner {
 public:
  Inliner(const OnnxModel& model, const ImportLimits& limits)
      : functions_(model.functions),
        nodes_(static_cast<uint64_t>(limits.max_nodes(model.file_bytes))),
        bytes_(static_cast<uint64_t>(limits.message_bytes)) {}

  // Replaces the calls in a list of nodes and in their subgraphs.
  Status expand(std::vector<OnnxNode>& nodes, int depth) {
    if (depth > kMaxCallDepth)
      return Status(Code::kInvalidModel,
                    fmt::format("functions of the model call each other more than {} deep; export the model without "
                                "recursive functions",
                                kMaxCallDepth));
    std::vector<OnnxNode> expanded;
    for (OnnxNode& node : nodes) {
      if (!nodes_.charge(1)) return too_many_nodes(static_cast<int64_t>(nodes_.limit()));
      NESTRT_RETURN_IF_ERROR(expand_subgraphs(node, depth));
      const auto function = functions_.find(node.function_name());
      if (function == functions_.end()) {
        expanded.push_back(std::move(node));
        continue;
      }
      NESTRT_ASSIGN_OR_RETURN(std::vector<OnnxNode> body, body_of(node, function->second));
      NESTRT_RETURN_IF_ERROR(expand(body, depth + 1));
      std::move(body.begin(), body.end(), std::back_inserter(expanded));
    }
    nodes = std::move(expanded);
    return ok_status();
  }

 private:
  Status expand_subgraphs(OnnxNode& node, int depth) {
    for (auto& [name, attribute] : node.attributes) {
      const auto* graph = std::get_if<std::shared_ptr<const OnnxGraph>>(&attribute);
      if (graph == nullptr) continue;
      auto copy = std::make_shared<OnnxGraph>(**graph);
      NESTRT_RETURN_IF_ERROR(expand(copy->nodes, depth + 1));
      attribute = std::shared_ptr<const OnnxGraph>(std::move(copy));
    }
    return ok_status();
  }

  // Returns the nodes of a call with the caller's names.
  Result<std::vector<OnnxNode>> body_of(const OnnxNode& node, const OnnxFunction& function) {
    if (node.inputs.size() > function.inputs.size() || node.outputs.size() > function.outputs.size())
      return Status(
          Code::kInvalidModel,
          fmt::format("{}: {} inputs and {} outputs do not fit a function with {} and {}", node.label(),
                      node.inputs.size(), node.outputs.size(), function.inputs.size(), function.outputs.size()));
    Call call{function, node, fmt::format("{}.{}/", node.op_type.substr(0, 64), ++num_calls_), {}};
    for (size_t i = 0; i < function.inputs.size(); ++i)
      call.names.emplace(function.inputs[i], i < node.inputs.size() ? node.inputs[i] : std::string());
    const std::vector<OnnxNode> copies = name_outputs(call);
    std::vector<OnnxNode> body;
    for (const OnnxNode& inner : function.nodes) {
      if (!bytes_.charge(size_of(inner)) || !bytes_.charge(size_of(body.emplace_back(renamed_node(inner, call)))))
        return Status(Code::kInvalidModel,
                      fmt::format("{}: the calls of the model's functions need more than {} bytes; export the model "
                                  "without functions",
                                  node.label(), bytes_.limit()));
    }
    body.insert(body.end(), copies.begin(), copies.end());
    return body;
  }

  // Renames the function's outputs to the caller's names. Returns Identity nodes for outputs that cannot be renamed:
  // function inputs, and outputs that are listed twice.
  static std::vector<OnnxNode> name_outputs(Call& call) {
    std::unordered_set<std::string> computed;
    for (const OnnxNode& inner : call.function.nodes) computed.insert(inner.outputs.begin(), inner.outputs.end());
    std::vector<OnnxNode> copies;
    for (size_t i = 0; i < call.node.outputs.size(); ++i) {
      const std::string &own = call.function.outputs[i], &wanted = call.node.outputs[i];
      if (wanted.empty()) continue;
      if (computed.count(own) != 0 && call.names.emplace(own, wanted).second) continue;
      OnnxNode copy;
      copy.op_type = "Identity";
      copy.name = fmt::format("{}output{}", call.prefix, i);
      copy.inputs = {call.renamed(own)};
      copy.outputs = {wanted};
      copies.push_back(std::move(copy));
    }
    return copies;
  }

  const std::map<std::string, OnnxFunction>& functions_;
  Budget nodes_;  // of the expanded model
  Budget bytes_;  // of copies of nodes
  int num_calls_ = 0;
};

}  // namespace

Status inline_functions(OnnxModel& model, const ImportLimits& limits) {
  if (model.functions.empty()) return ok_status();
  return Inliner(model, limits).expand(model.nodes, 0);
}

}  // namespace nestrt::compiler
