// SPDX-License-Identifier: Apache-2.0
#include "tools/onnxruntime/graph_view.h"

#include <algorithm>
#include <unordered_map>

#include "nestrt/shape.h"
#include "tools/onnxruntime/errors.h"

namespace nestrt::ort {
namespace {

// Returns a list that ONNX Runtime provides through two functions, one for its size and one for its items.
template <typename Item, typename Object>
Result<std::vector<Item>> list(const Api& api, const Object* object, Error* (*count)(const Object*, size_t*),
                               Error* (*get)(const Object*, Item*, size_t)) {
  size_t size = 0;
  NESTRT_RETURN_IF_ERROR(status_of(api, count(object, &size)));
  std::vector<Item> items(size);
  NESTRT_RETURN_IF_ERROR(status_of(api, get(object, items.data(), size)));
  return items;
}

Result<std::string> text(const Api& api, const GraphNode* node, Error* (*get)(const GraphNode*, const char**)) {
  const char* found = nullptr;
  NESTRT_RETURN_IF_ERROR(status_of(api, get(node, &found)));
  return std::string(found == nullptr ? "" : found);
}

Result<std::string> name_of(const Api& api, const ValueInfo* info) {
  const char* name = nullptr;
  if (info != nullptr) NESTRT_RETURN_IF_ERROR(status_of(api, api.get_value_info_name(info, &name)));
  return std::string(name == nullptr ? "" : name);
}

Result<std::vector<std::string>> names_of(const Api& api, const std::vector<const ValueInfo*>& infos) {
  std::vector<std::string> names;
  for (const ValueInfo* info : infos) {
    NESTRT_ASSIGN_OR_RETURN(names.emplace_back(), name_of(api, info));
  }
  return names;
}

class Reader {
 public:
  Reader(const Api& api, const Graph* graph) : api_(api), graph_(graph) {}

  Result<GraphView> read() {
    NESTRT_RETURN_IF_ERROR(read_opsets());
    NESTRT_ASSIGN_OR_RETURN(const auto nodes, list(api_, graph_, api_.graph_get_num_nodes, api_.graph_get_nodes));
    for (const GraphNode* node : nodes) NESTRT_RETURN_IF_ERROR(add_node(node));
    NESTRT_ASSIGN_OR_RETURN(const auto outputs, list(api_, graph_, api_.graph_get_num_outputs, api_.graph_get_outputs));
    NESTRT_ASSIGN_OR_RETURN(view_.outputs, add_values(outputs));
    return std::move(view_);
  }

 private:
  Status read_opsets() {
    size_t count = 0;
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.graph_get_num_operator_sets(graph_, &count)));
    std::vector<const char*> domains(count);
    std::vector<int64_t> versions(count);
    NESTRT_RETURN_IF_ERROR(
        status_of(api_, api_.graph_get_operator_sets(graph_, domains.data(), versions.data(), count)));
    for (size_t i = 0; i < count; ++i) view_.opsets.emplace_back(domain_of(domains[i]), versions[i]);
    return {};
  }

  static std::string domain_of(std::string name) { return name == "ai.onnx" ? std::string() : name; }

  Status add_node(const GraphNode* node) {
    ViewedNode viewed;
    viewed.node = node;
    NESTRT_ASSIGN_OR_RETURN(viewed.name, text(api_, node, api_.node_get_name));
    NESTRT_ASSIGN_OR_RETURN(viewed.op_type, text(api_, node, api_.node_get_operator_type));
    NESTRT_ASSIGN_OR_RETURN(const std::string domain, text(api_, node, api_.node_get_domain));
    viewed.domain = domain_of(domain);
    NESTRT_ASSIGN_OR_RETURN(const auto inputs, list(api_, node, api_.node_get_num_inputs, api_.node_get_inputs));
    NESTRT_ASSIGN_OR_RETURN(viewed.inputs, add_values(inputs));
    NESTRT_ASSIGN_OR_RETURN(const auto outputs, list(api_, node, api_.node_get_num_outputs, api_.node_get_outputs));
    NESTRT_ASSIGN_OR_RETURN(viewed.outputs, add_values(outputs));
    NESTRT_ASSIGN_OR_RETURN(const auto implicit,
                            list(api_, node, api_.node_get_num_implicit_inputs, api_.node_get_implicit_inputs));
    NESTRT_ASSIGN_OR_RETURN(viewed.implicit_inputs, add_values(implicit));
    size_t subgraphs = 0;
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.node_get_num_subgraphs(node, &subgraphs)));
    viewed.has_subgraphs = subgraphs > 0;
    NESTRT_ASSIGN_OR_RETURN(const std::string provider, text(api_, node, api_.node_get_ep_name));
    viewed.is_taken = !provider.empty();
    view_.nodes.push_back(std::move(viewed));
    return {};
  }

  Result<std::vector<size_t>> add_values(const std::vector<const ValueInfo*>& infos) {
    std::vector<size_t> indices;
    for (const ValueInfo* info : infos) {
      NESTRT_ASSIGN_OR_RETURN(indices.emplace_back(), add_value(info));
    }
    return indices;
  }

  Result<size_t> add_value(const ValueInfo* info) {
    NESTRT_ASSIGN_OR_RETURN(const std::string name, name_of(api_, info));
    if (name.empty()) return kNoValue;
    const auto [known, is_new] = indices_.emplace(name, view_.values.size());
    if (!is_new) return known->second;
    ViewedValue value;
    value.name = name;
    NESTRT_RETURN_IF_ERROR(read_type(info, value));
    bool is_constant = false;
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.value_info_is_constant_initializer(info, &is_constant)));
    if (is_constant)
      NESTRT_RETURN_IF_ERROR(status_of(api_, api_.value_info_get_initializer_value(info, &value.constant)));
    view_.values.push_back(std::move(value));
    return known->second;
  }

  Status read_type(const ValueInfo* info, ViewedValue& value) {
    const TypeInfo* type = nullptr;
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.get_value_info_type_info(info, &type)));
    const TensorFacts* tensor = nullptr;
    if (type != nullptr) NESTRT_RETURN_IF_ERROR(status_of(api_, api_.cast_type_info_to_tensor_info(type, &tensor)));
    if (tensor == nullptr) return {};
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.get_tensor_element_type(tensor, &value.onnx_type)));
    NESTRT_ASSIGN_OR_RETURN(value.dims, list(api_, tensor, api_.get_dimensions_count, api_.get_dimensions));
    return {};
  }

  const Api& api_;
  const Graph* graph_;
  GraphView view_;
  std::unordered_map<std::string, size_t> indices_;
};

}  // namespace

std::optional<DataType> plan_type(int onnx_type) {
  switch (onnx_type) {
    case 1:
      return DataType::kF32;
    case 2:
      return DataType::kU8;
    case 3:
      return DataType::kS8;
    case 6:
      return DataType::kS32;
    case 7:
      return DataType::kS64;
    case 9:
      return DataType::kBool;
    default:
      return std::nullopt;
  }
}

bool ViewedValue::can_enter_plan() const {
  return plan_type(onnx_type).has_value() && !dims.empty() && dims.size() <= static_cast<size_t>(Shape::kMaxRank) &&
         std::ranges::all_of(dims, [](int64_t dim) { return dim > 0; });
}

int64_t GraphView::opset(const std::string& domain) const {
  const auto found = std::ranges::find(opsets, domain, &std::pair<std::string, int64_t>::first);
  return found == opsets.end() ? 0 : found->second;
}

std::vector<size_t> GraphView::producers() const {
  std::vector<size_t> result(values.size(), kNoValue);
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const size_t value : nodes[i].outputs)
      if (value != kNoValue) result[value] = i;
  return result;
}

Result<GraphView> view_graph(const Api& api, const Graph* graph) { return Reader(api, graph).read(); }

Result<std::vector<std::string>> input_names(const Api& api, const GraphNode* node) {
  NESTRT_ASSIGN_OR_RETURN(const auto infos, list(api, node, api.node_get_num_inputs, api.node_get_inputs));
  return names_of(api, infos);
}

Result<std::vector<std::string>> output_names(const Api& api, const GraphNode* node) {
  NESTRT_ASSIGN_OR_RETURN(const auto infos, list(api, node, api.node_get_num_outputs, api.node_get_outputs));
  return names_of(api, infos);
}

}  // namespace nestrt::ort
