// SPDX-License-Identifier: Apache-2.0
#include "tools/onnxruntime/provider.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "compiler-lite/import/operator_table.h"
#include "runtime/platform/guard.h"
#include "tools/onnxruntime/errors.h"
#include "tools/onnxruntime/part_model.h"

namespace nestrt::ort {
namespace {

constexpr const char* kName = "nestrt";

Predecessors predecessors_of(const GraphView& graph) {
  const std::vector<size_t> producers = graph.producers();
  Predecessors result(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const auto* values : {&graph.nodes[i].inputs, &graph.nodes[i].implicit_inputs})
      for (const size_t value : *values)
        if (value != kNoValue && producers[value] != kNoValue) result[i].push_back(producers[value]);
  return result;
}

bool is_candidate(const GraphView& graph, const ViewedNode& node) {
  const std::string name = node.domain.empty() ? node.op_type : node.domain + "." + node.op_type;
  return !node.has_subgraphs && !node.is_taken && compiler::find_import_rule(name, graph.opset(node.domain)) != nullptr;
}

// nestc replaces some data types by others. ONNX Runtime must receive the types that it expects.
Status check_outputs(const GraphView& graph, const PartModel& model, const Plan& plan) {
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    const ViewedValue& expected = graph.values[model.outputs[i]];
    const TensorInfo& actual = plan.outputs()[i];
    const bool is_same_shape = expected.dims.empty() ||
                               std::ranges::any_of(expected.dims, [](int64_t dim) { return dim < 0; }) ||
                               std::ranges::equal(expected.dims, actual.shape);
    if (plan_type(expected.onnx_type) != actual.type || !is_same_shape)
      return Status(Code::kUnsupported,
                    fmt::format("output '{}' would be {} {}; ONNX Runtime expects another type or shape", expected.name,
                                name(actual.type), actual.shape.to_string()));
  }
  return {};
}

// The functions in ProviderTable.
const char* get_name(const ProviderTable*) { return kName; }

Error* get_capability(ProviderTable* table, const Graph* graph, Support* support) {
  Provider* const provider = Provider::of(table);
  return error_of(provider->api(), guarded([&] { return provider->claim(graph, support); }));
}

Error* compile_parts(ProviderTable* table, const Graph**, const GraphNode** fused_nodes, size_t count,
                     ComputeTable** compute, GraphNode**) {
  Provider* const provider = Provider::of(table);
  const Status status = guarded([&]() -> Status {
    std::vector<std::unique_ptr<Part>> parts;
    for (size_t i = 0; i < count; ++i) {
      NESTRT_ASSIGN_OR_RETURN(parts.emplace_back(), provider->part_of(fused_nodes[i]));
    }
    for (size_t i = 0; i < count; ++i) compute[i] = parts[i].release()->table();
    return {};
  });
  return error_of(provider->api(), status);
}

void release_compute(ProviderTable*, ComputeTable** compute, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (compute[i] != nullptr) delete Part::of(compute[i]);
}

}  // namespace

Provider::Provider(const Api& api, const Logger* logger, ProviderOptions options, UnitList units)
    : api_(api), logger_(logger), options_(std::move(options)), units_(std::move(units)), compiler_(options_) {
  table_.provider = this;
  table_.get_name = get_name;
  table_.get_capability = get_capability;
  table_.compile = compile_parts;
  table_.release_compute = release_compute;
}

Result<std::unique_ptr<Provider>> Provider::create(const Api& api, const Options* session, const Logger* logger) {
  NESTRT_ASSIGN_OR_RETURN(ProviderOptions options, read_options(api, session));
  UnitOptions unit_options;
  unit_options.num_threads = options.threads;
  NESTRT_ASSIGN_OR_RETURN(UnitList units, open_units(options.units, unit_options));
  return std::unique_ptr<Provider>(new Provider(api, logger, std::move(options), std::move(units)));
}

Status Provider::claim(const Graph* graph, Support* support) {
  const GraphNode* parent = nullptr;
  NESTRT_RETURN_IF_ERROR(status_of(api_, api_.graph_get_parent_node(graph, &parent)));
  if (parent != nullptr) return {};
  NESTRT_ASSIGN_OR_RETURN(const GraphView view, view_graph(api_, graph));
  std::vector<bool> wanted(view.nodes.size());
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = is_candidate(view, view.nodes[i]);
  num_claimed_ = num_groups_ = 0;
  NESTRT_RETURN_IF_ERROR(claim_groups(view, predecessors_of(view), wanted, support));
  log(kInfo, fmt::format("nestrt runs {} of {} nodes, parts: {}", num_claimed_, view.nodes.size(), num_groups_));
  return {};
}

Status Provider::claim_groups(const GraphView& graph, const Predecessors& predecessors, const std::vector<bool>& wanted,
                              Support* support) {
  for (const std::vector<size_t>& group : convex_groups(predecessors, wanted)) {
    if (group.size() < std::max<size_t>(options_.min_nodes, 1)) continue;
    const Status status = claim_group(graph, group, support);
    if (status.ok()) continue;
    log(kVerbose, fmt::format("group of {} nodes starting at '{}': {}", group.size(), graph.nodes[group.front()].name,
                              status.to_string()));
    for (const std::vector<bool>& rest : smaller(graph, group))
      NESTRT_RETURN_IF_ERROR(claim_groups(graph, predecessors, rest, support));
  }
  return {};
}

Status Provider::claim_group(const GraphView& graph, std::span<const size_t> group, Support* support) {
  NESTRT_ASSIGN_OR_RETURN(const PartModel model, part_model(api_, graph, group));
  if (model.outputs.empty()) return Status(Code::kUnsupported, "nothing reads the results");
  NESTRT_ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan, compiler_.plan_of(model.bytes));
  NESTRT_RETURN_IF_ERROR(check_outputs(graph, model, *plan));
  std::vector<const GraphNode*> nodes;
  for (const size_t node : group) nodes.push_back(graph.nodes[node].node);
  const FusionOptions fusion;
  NESTRT_RETURN_IF_ERROR(status_of(api_, api_.add_nodes_to_fuse(support, nodes.data(), nodes.size(), &fusion)));
  for (const size_t output : model.outputs) plans_[graph.values[output].name] = plan;
  num_claimed_ += group.size();
  ++num_groups_;
  return {};
}

std::vector<std::vector<bool>> Provider::smaller(const GraphView& graph, std::span<const size_t> group) const {
  if (group.size() < 2) return {};
  std::vector<bool> accepted(graph.nodes.size(), false);
  for (const size_t node : group) {
    const auto model = part_model(api_, graph, {&node, 1});
    const Status status = model ? PartCompiler::check(model->bytes) : model.error();
    accepted[node] = status.ok();
    if (!status.ok())
      log(kVerbose,
          fmt::format("node '{}' ({}): {}", graph.nodes[node].name, graph.nodes[node].op_type, status.to_string()));
  }
  const auto count = static_cast<size_t>(std::ranges::count(accepted, true));
  if (count < group.size()) return {std::move(accepted)};
  // nestc accepts each node alone, so the group exceeds a limit. Nodes in the first half cannot read results of the
  // second.
  std::vector<bool> second(graph.nodes.size(), false);
  for (const size_t node : group.subspan(group.size() / 2)) {
    accepted[node] = false;
    second[node] = true;
  }
  return {std::move(accepted), std::move(second)};
}

Result<std::unique_ptr<Part>> Provider::part_of(const GraphNode* fused_node) {
  NESTRT_ASSIGN_OR_RETURN(const auto inputs, input_names(api_, fused_node));
  NESTRT_ASSIGN_OR_RETURN(const auto outputs, output_names(api_, fused_node));
  const auto known = outputs.empty() ? plans_.end() : plans_.find(outputs.front());
  if (known == plans_.end()) return Status(Code::kInternal, "ONNX Runtime fused nodes that nestrt did not claim");
  return Part::create(api_, known->second, units_, inputs, outputs);
}

void Provider::log(int level, const std::string& text) const {
  if (Error* const error = api_.logger_log_message(logger_, level, text.c_str(), __FILE__, __LINE__, "nestrt"))
    api_.release_status(error);
}

}  // namespace nestrt::ort
