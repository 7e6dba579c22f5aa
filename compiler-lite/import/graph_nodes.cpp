// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/graph_nodes.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>
#include <variant>

#include "compiler-lite/import/graph_builder.h"
#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/onnx/onnx_model.h"
#include "compiler-lite/import/operator_table.h"

namespace nestrt::compiler {
namespace {

// `opset`: the model's opset.
const ImportRule* rule_of(const OnnxNode& node, int64_t opset) {
  return find_import_rule(node.qualified_type(), node.opset != 0 ? node.opset : opset);
}

// Domains whose operators are written only by ONNX Runtime's optimizer.
constexpr std::string_view kOptimizerDomains[] = {"com.microsoft.nchwc.", "com.ms.internal.nhwc."};

bool is_from_optimizer(std::string_view op_type) {
  return std::any_of(std::begin(kOptimizerDomains), std::end(kOptimizerDomains),
                     [&](std::string_view domain) { return op_type.starts_with(domain); });
}

// Unsupported operator type.
struct MissingOperator {
  int64_t nodes = 0;
  std::string first;  // name of the first such node
};
using MissingOperators = std::map<std::string, MissingOperator>;  // by type

MissingOperators missing_operators(const OnnxGraph& graph, int64_t opset) {
  MissingOperators missing;
  const auto look_at = [&](const OnnxNode& node) {
    if (rule_of(node, opset) != nullptr) return;
    MissingOperator& entry = missing[node.qualified_type()];
    if (entry.nodes++ == 0) entry.first = !node.name.empty() || node.outputs.empty() ? node.name : node.outputs.front();
  };
  std::for_each(graph.nodes.begin(), graph.nodes.end(), look_at);
  return missing;
}

std::string list_of(const MissingOperators& missing) {
  constexpr size_t kMaxListed = 200;
  std::string list;
  size_t listed = 0;
  for (const auto& [op_type, entry] : missing) {
    if (listed++ == kMaxListed) break;
    list += fmt::format("{}{} ({} {} '{}')", list.empty() ? "" : ", ",
                        op_type.empty() ? "nodes without an operator" : op_type, entry.nodes,
                        entry.nodes == 1 ? "node," : "nodes, first", entry.first);
  }
  if (listed > kMaxListed) list += fmt::format(", and {} more", missing.size() - kMaxListed);
  return list;
}

// Returns the node indices in topological order. Keeps file order where the data flow permits.
class NodeOrder {
 public:
  static Result<std::vector<size_t>> of(const OnnxGraph& graph, const GraphBuilder& builder) {
    NodeOrder order(graph, builder);
    NESTRT_RETURN_IF_ERROR(order.find_producers());
    NESTRT_RETURN_IF_ERROR(order.find_users());
    return order.sort();
  }

 private:
  NodeOrder(const OnnxGraph& graph, const GraphBuilder& builder)
      : graph_(graph), builder_(builder), users_(graph.nodes.size()), waiting_(graph.nodes.size()) {}

  Status find_producers() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const std::string& output : graph_.nodes[i].outputs) {
        if (output.empty()) continue;
        if (!producer_.emplace(output, i).second || builder_.find(output) != kNoValue) {
          return Status(Code::kInvalidModel,
                        fmt::format("{}: value '{}' is defined twice", graph_.nodes[i].label(), output));
        }
      }
    }
    return ok_status();
  }

  // Adds `user` as a user of the values of this graph that the node's subgraphs read.
  void find_users_within(const OnnxGraph& subgraph, size_t user) {
    const auto use = [&](const std::string& name) {
      const auto found = producer_.find(name);
      if (found == producer_.end() || found->second == user) return;
      users_[found->second].push_back(user);
      ++waiting_[user];
    };
    std::for_each(subgraph.outputs.begin(), subgraph.outputs.end(), use);
    for (const OnnxNode& node : subgraph.nodes) {
      std::for_each(node.inputs.begin(), node.inputs.end(), use);
      find_users_within_all(node, user);
    }
  }

  void find_users_within_all(const OnnxNode& node, size_t user) {
    for (const auto& [name, attribute] : node.attributes)
      if (const auto* subgraph = std::get_if<std::shared_ptr<const OnnxGraph>>(&attribute))
        find_users_within(**subgraph, user);
  }

  Status find_users() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      find_users_within_all(graph_.nodes[i], i);
      for (const std::string& input : graph_.nodes[i].inputs) {
        if (input.empty() || builder_.find(input) != kNoValue) continue;
        const auto found = producer_.find(input);
        if (found == producer_.end()) {
          return Status(Code::kInvalidModel,
                        fmt::format("{}: tensor '{}' is neither an input, nor an initializer, nor the output of a "
                                    "node; the model is incomplete: export it again",
                                    graph_.nodes[i].label(), input));
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
                  fmt::format("{}: is part of a cycle or depends on one; export the model again without cycles",
                              graph_.nodes[static_cast<size_t>(stuck - waiting_.begin())].label()));
  }

  const OnnxGraph& graph_;
  const GraphBuilder& builder_;
  std::unordered_map<std::string, size_t> producer_;
  std::vector<std::vector<size_t>> users_;
  std::vector<size_t> waiting_;  // number of inputs whose producer is not sorted yet
};

Status import_node(GraphBuilder& builder, const OnnxNode& node, int64_t opset) {
  NodeContext context(builder, node, node.opset != 0 ? node.opset : opset);
  NESTRT_RETURN_IF_ERROR(rule_of(node, opset)->import(context));
  return context.close();
}

// Removes the names that a subgraph has defined, even after an error.
class Scope {
 public:
  Scope(GraphBuilder& builder, std::string_view name) : builder_(builder) { builder_.enter_scope(name); }
  ~Scope() { builder_.leave_scope(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  GraphBuilder& builder_;
};

Status define_values(GraphBuilder& builder, const OnnxGraph& graph, const std::vector<ValueId>& inputs) {
  if (inputs.size() != graph.inputs.size())
    return Status(Code::kInvalidModel, fmt::format("subgraph '{}' has {} inputs, but the operator passes {}",
                                                   graph.name, graph.inputs.size(), inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) NESTRT_RETURN_IF_ERROR(builder.define(graph.inputs[i].name, inputs[i]));
  for (const OnnxTensor& tensor : graph.initializers)
    NESTRT_RETURN_IF_ERROR(builder.define(tensor.name, builder.add_constant(tensor)));
  return ok_status();
}

}  // namespace

Status check_operators(const OnnxGraph& graph, int64_t opset) {
  const MissingOperators missing = missing_operators(graph, opset);
  if (missing.empty()) return ok_status();
  std::string remedy = opset >= kOldestOpset ? "" : "; convert the model to a newer opset with onnx.version_converter";
  if (std::any_of(missing.begin(), missing.end(), [](const auto& entry) { return is_from_optimizer(entry.first); }))
    remedy += "; ONNX Runtime has optimized this file for one processor: compile the original model instead";
  return Status(Code::kUnsupported, fmt::format("{} operators of the model (opset {}) are not supported: {}; "
                                                "docs/reference/operators.md lists the supported ones{}",
                                                missing.size(), opset, list_of(missing), remedy));
}

Status import_nodes(GraphBuilder& builder, const OnnxGraph& graph, int64_t opset) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<size_t> order, NodeOrder::of(graph, builder));
  for (const size_t index : order) NESTRT_RETURN_IF_ERROR(import_node(builder, graph.nodes[index], opset));
  return ok_status();
}

Result<std::vector<ValueId>> import_subgraph(GraphBuilder& builder, const OnnxGraph& graph,
                                             const std::vector<ValueId>& inputs, std::string_view scope_name,
                                             int64_t opset) {
  NESTRT_RETURN_IF_ERROR(builder.charge_subgraph(graph.nodes.size() + graph.initializers.size()));
  NESTRT_RETURN_IF_ERROR(check_operators(graph, opset));
  const Scope scope(builder, scope_name);
  NESTRT_RETURN_IF_ERROR(define_values(builder, graph, inputs));
  NESTRT_RETURN_IF_ERROR(import_nodes(builder, graph, opset));
  std::vector<ValueId> outputs;
  for (const std::string& name : graph.outputs) {
    outputs.push_back(builder.find(name));
    if (outputs.back() == kNoValue)
      return Status(Code::kInvalidModel,
                    fmt::format("no node computes output '{}' of subgraph '{}'", name, graph.name));
  }
  return outputs;
}

}  // namespace nestrt::compiler
