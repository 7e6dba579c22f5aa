#include "compiler-lite/import/import.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "compiler-lite/import/graph_builder.h"
#include "compiler-lite/import/graph_inputs.h"
#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/onnx_model.h"
#include "compiler-lite/import/operator_table.h"
#include "nestrt/log.h"

namespace nestrt::compiler {
namespace {

bool is_supported(const OnnxNode& node, int64_t opset) {
  return find_import_rule(node.qualified_type(), opset) != nullptr;
}

// Nodes of an operator that cannot be imported.
struct MissingOperator {
  int64_t nodes = 0;
  std::string first;  // its name
};
using MissingOperators = std::map<std::string, MissingOperator>;  // by type

MissingOperators missing_operators(const OnnxModel& model) {
  MissingOperators missing;
  const auto look_at = [&](const OnnxNode& node) {
    if (is_supported(node, model.opset)) return;
    MissingOperator& entry = missing[node.qualified_type()];
    if (entry.nodes++ == 0) entry.first = !node.name.empty() || node.outputs.empty() ? node.name : node.outputs.front();
  };
  std::for_each(model.nodes.begin(), model.nodes.end(), look_at);
  std::for_each(model.subgraph_nodes.begin(), model.subgraph_nodes.end(), look_at);
  return missing;
}

std::string list_of(const MissingOperators& missing) {
  constexpr size_t kMostListed = 200;
  std::string list;
  size_t listed = 0;
  for (const auto& [op_type, entry] : missing) {
    if (listed++ == kMostListed) break;
    list += fmt::format("{}{} ({} {} '{}')", list.empty() ? "" : ", ",
                        op_type.empty() ? "nodes without an operator" : op_type, entry.nodes,
                        entry.nodes == 1 ? "node," : "nodes, first", entry.first);
  }
  if (listed > kMostListed) list += fmt::format(", and {} more", missing.size() - kMostListed);
  return list;
}

// One message for all operators that are missing.
Status check_operators(const OnnxModel& model) {
  const MissingOperators missing = missing_operators(model);
  if (missing.empty()) return ok_status();
  const char* const remedy =
      model.opset >= kOldestOpset ? "" : "; convert the model to a newer opset with onnx.version_converter";
  return Status(
      Code::kUnsupported,
      fmt::format(
          "{} operators of the model (opset {}) are not supported: {}; docs/operators.md lists the supported ones{}",
          missing.size(), model.opset, list_of(missing), remedy));
}

// Nodes by index in an order that respects the data flow; file order where that does.
class NodeOrder {
 public:
  static Result<std::vector<size_t>> of(const OnnxModel& model, const GraphBuilder& builder) {
    NodeOrder order(model, builder);
    NESTRT_RETURN_IF_ERROR(order.find_producers());
    NESTRT_RETURN_IF_ERROR(order.find_users());
    return order.sort();
  }

 private:
  NodeOrder(const OnnxModel& model, const GraphBuilder& builder)
      : model_(model), builder_(builder), users_(model.nodes.size()), waiting_(model.nodes.size()) {}

  Status find_producers() {
    for (size_t i = 0; i < model_.nodes.size(); ++i) {
      for (const std::string& output : model_.nodes[i].outputs) {
        if (output.empty()) continue;
        if (!producer_.emplace(output, i).second || builder_.find(output) != kNoValue) {
          return Status(Code::kInvalidModel,
                        fmt::format("{}: value '{}' is defined twice", model_.nodes[i].label(), output));
        }
      }
    }
    return ok_status();
  }

  Status find_users() {
    for (size_t i = 0; i < model_.nodes.size(); ++i) {
      for (const std::string& input : model_.nodes[i].inputs) {
        if (input.empty() || builder_.find(input) != kNoValue) continue;
        const auto found = producer_.find(input);
        if (found == producer_.end()) {
          return Status(Code::kInvalidModel, fmt::format("{}: tensor '{}' is neither an input, nor an initializer, nor "
                                                         "made by a node; the model is incomplete, export it again",
                                                         model_.nodes[i].label(), input));
        }
        users_[found->second].push_back(i);
        ++waiting_[i];
      }
    }
    return ok_status();
  }

  Result<std::vector<size_t>> sort() {
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < waiting_.size(); ++i)
      if (waiting_[i] == 0) ready.push(i);
    std::vector<size_t> sorted;
    while (!ready.empty()) {
      const size_t current = ready.top();
      ready.pop();
      sorted.push_back(current);
      for (size_t user : users_[current])
        if (--waiting_[user] == 0) ready.push(user);
    }
    if (sorted.size() == waiting_.size()) return sorted;
    const auto stuck = std::find_if(waiting_.begin(), waiting_.end(), [](size_t count) { return count != 0; });
    return Status(Code::kInvalidModel,
                  fmt::format("{}: is part of a cycle, or fed by one; a network's nodes must not depend on their own "
                              "results, so export the model again",
                              model_.nodes[static_cast<size_t>(stuck - waiting_.begin())].label()));
  }

  const OnnxModel& model_;
  const GraphBuilder& builder_;
  std::unordered_map<std::string, size_t> producer_;
  std::vector<std::vector<size_t>> users_;
  std::vector<size_t> waiting_;  // inputs whose producer is not sorted yet
};

Status import_node(GraphBuilder& builder, const OnnxNode& node, int64_t opset) {
  NodeContext context(builder, node, opset);
  NESTRT_RETURN_IF_ERROR(find_import_rule(node.qualified_type(), opset)->import(context));
  return context.close();
}

Status add_outputs(GraphBuilder& builder, const OnnxModel& model) {
  if (model.outputs.empty()) return Status(Code::kInvalidModel, "the model has no outputs");
  std::unordered_set<std::string_view> names;
  for (const std::string& name : model.outputs) {
    if (!names.insert(name).second)
      return Status(Code::kInvalidModel, fmt::format("output '{}' is listed twice", name));
    const ValueId id = builder.find(name);
    if (id == kNoValue) return Status(Code::kInvalidModel, fmt::format("output '{}' is made by no node", name));
    NESTRT_ASSIGN_OR_RETURN(const ValueId output, builder.as_output(id, name));
    builder.graph().outputs.push_back(output);
  }
  return ok_status();
}

Result<Graph> build(const OnnxModel& model, const ImportOptions& options) {
  if (static_cast<int64_t>(model.nodes.size() + model.subgraph_nodes.size()) > options.limits.nodes)
    return too_many_nodes(options.limits.nodes);
  NESTRT_RETURN_IF_ERROR(check_operators(model));
  if (model.opset > kNewestKnownOpset) {
    log(LogLevel::kWarning,
        fmt::format("the model is of opset {}, newer than the newest known ({}): check its results with nestc check",
                    model.opset, kNewestKnownOpset));
  }
  for (const std::string& type : model.converted_types)
    log(LogLevel::kInfo, fmt::format("{} of the model is computed in f32", type));
  GraphBuilder builder(options.limits, model.file_bytes);
  builder.graph().name = model.name;
  for (const OnnxTensor& tensor : model.initializers)
    NESTRT_RETURN_IF_ERROR(builder.define(tensor.name, builder.add_constant(tensor)));
  NESTRT_RETURN_IF_ERROR(add_inputs(builder, model, options));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<size_t> order, NodeOrder::of(model, builder));
  for (size_t index : order) NESTRT_RETURN_IF_ERROR(import_node(builder, model.nodes[index], model.opset));
  NESTRT_RETURN_IF_ERROR(add_outputs(builder, model));
  builder.graph().tidy();
  return std::move(builder.graph());
}

}  // namespace

Result<Graph> import_onnx(const std::string& path, const ImportOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const OnnxModel model, read_onnx_model(path, options.limits));
  auto graph = build(model, options);
  if (!graph) return graph.error().with_context(path);
  if (graph->name.empty()) graph->name = std::filesystem::path(path).stem().string();
  return graph;
}

Result<Graph> import_onnx(std::span<const std::byte> bytes, const ImportOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const OnnxModel model, read_onnx_model(bytes, options.limits));
  return build(model, options);
}

}  // namespace nestrt::compiler
