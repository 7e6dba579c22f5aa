#include "compiler-lite/import/graph_builder.h"

#include <algorithm>

#include "compiler-lite/graph/bound_operator.h"

namespace nestrt::compiler {
namespace {

// Multiply-adds per output element: the length of the inner product, or 1.
int64_t steps_per_element(const Graph& graph, plan::Attributes kind, const std::vector<ValueId>& inputs) {
  const auto elements = [&](size_t i) { return graph.value(inputs[i]).shape.num_elements(); };
  const auto dim = [&](size_t i, int axis) { return graph.value(inputs[i]).shape[axis]; };
  switch (kind) {
    case plan::Attributes::Conv:
      return elements(1) / std::max<int64_t>(dim(1, 0), 1);
    case plan::Attributes::ConvTranspose:
      return elements(1) / std::max<int64_t>(dim(1, 1), 1);
    case plan::Attributes::Dense:
      return dim(1, 0);
    case plan::Attributes::MatMul:
      return dim(0, std::max(graph.value(inputs[0]).shape.rank() - 1, 0));
    case plan::Attributes::Pool:
      return std::max<int64_t>(elements(0), 1);  // a window covers the input at most
    default:
      return 1;
  }
}

}  // namespace

ValueId GraphBuilder::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? kNoValue : found->second;
}

Status GraphBuilder::define(const std::string& name, ValueId id) {
  if (values_.emplace(name, id).second) return ok_status();
  return Status(Code::kInvalidModel, "value '" + name + "' is defined twice");
}

Status GraphBuilder::check_size(const std::string& name, DataType type, const Shape& shape) const {
  int64_t bytes = static_cast<int64_t>(size_bytes(type));
  for (int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(bytes, std::max<int64_t>(dim, 1), &bytes) || bytes > limits_.tensor_bytes) {
      return Status(Code::kInvalidModel, "tensor '" + name + "' of shape " + shape.to_string() +
                                             " is larger than the limit of " + std::to_string(limits_.tensor_bytes) +
                                             " bytes");
    }
  }
  return ok_status();
}

Status GraphBuilder::account(int64_t bytes) {
  constant_bytes_ += bytes;
  if (constant_bytes_ <= limits_.constant_bytes) return ok_status();
  return Status(Code::kInvalidModel,
                "constants take more than " + std::to_string(limits_.constant_bytes) + " bytes, the limit");
}

Result<ValueId> GraphBuilder::add_constant(std::string name, DataType type, const Shape& shape, Bytes elements) {
  NESTRT_RETURN_IF_ERROR(account(static_cast<int64_t>(elements.size())));
  return graph_.add_constant(std::move(name), type, shape, std::move(elements));
}

Result<ValueId> GraphBuilder::add_constant(const OnnxTensor& tensor) {
  NESTRT_RETURN_IF_ERROR(account(static_cast<int64_t>(tensor.elements->size())));
  Value value;
  value.name = tensor.name;
  value.type = tensor.type;
  value.shape = tensor.shape;
  value.constant = tensor.elements;
  return graph_.add_value(std::move(value));
}

bool GraphBuilder::may_fold(const plan::AttributesUnion& attributes, const std::vector<ValueId>& inputs,
                            const std::vector<TensorSpec>& outputs) {
  int64_t elements = 0;
  for (ValueId id : inputs) {
    if (id == kNoValue) continue;
    if (!graph_.value(id).is_constant()) return false;
    elements += graph_.value(id).shape.num_elements();
  }
  for (const TensorSpec& output : outputs) {
    int64_t steps = 0;
    if (__builtin_mul_overflow(output.shape.num_elements(), steps_per_element(graph_, attributes.type, inputs),
                               &steps) ||
        __builtin_add_overflow(elements, steps, &elements)) {
      return false;
    }
  }
  // Past the budget the operator stays in the graph: right, and no slower to import.
  if (elements > limits_.folding_steps - folding_steps_) return false;
  folding_steps_ += elements;
  return true;
}

Result<std::vector<ValueId>> GraphBuilder::fold(const std::string& label, Node& node,
                                                const std::vector<TensorSpec>& specs,
                                                const std::vector<std::string>& output_names) {
  for (size_t i = 0; i < specs.size(); ++i) {
    NESTRT_RETURN_IF_ERROR(account(specs[i].storage_bytes()).with_context(label));
    Value value;
    value.name = output_names[i];
    value.type = specs[i].type;
    value.shape = specs[i].shape;
    node.outputs.push_back(graph_.add_value(std::move(value)));
  }
  auto results = evaluate(graph_, node);
  if (!results) return results.error().with_context(label);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    graph_.value(node.outputs[i]).constant = std::make_shared<const Bytes>(std::move((*results)[i]));
  }
  return std::move(node.outputs);
}

Result<std::vector<ValueId>> GraphBuilder::add(const std::string& label, std::string node_name,
                                               plan::AttributesUnion attributes, std::vector<ValueId> inputs,
                                               const std::vector<std::string>& output_names) {
  auto specs = infer(graph_, attributes, inputs);
  if (!specs) return specs.error().with_context(label);
  if (specs->size() != output_names.size()) return Status(Code::kInvalidModel, label + ": wrong number of outputs");
  for (size_t i = 0; i < specs->size(); ++i) {
    NESTRT_RETURN_IF_ERROR(check_size(output_names[i], (*specs)[i].type, (*specs)[i].shape).with_context(label));
  }
  if (may_fold(attributes, inputs, *specs)) {
    Node node{std::move(node_name), std::move(attributes), std::move(inputs), {}};
    return fold(label, node, *specs, output_names);
  }
  NESTRT_ASSIGN_OR_RETURN(
      const Node* node, graph_.add_node(std::move(node_name), std::move(attributes), std::move(inputs), output_names));
  return node->outputs;
}

Result<ValueId> GraphBuilder::as_output(ValueId id, const std::string& name) {
  Value& value = graph_.value(id);
  if (value.name == name) return id;
  if (graph_.producer(id) != nullptr && !graph_.is_output(id)) {
    value.name = name;
    return id;
  }
  if (value.is_constant()) {
    Value copy = value;
    copy.name = name;
    return graph_.add_value(std::move(copy));
  }
  // An input, or a value that is an output under another name already.
  plan::ReshapeT same;
  same.shape.assign(value.shape.begin(), value.shape.end());
  NESTRT_ASSIGN_OR_RETURN(const Node* node, graph_.add_node(name, attributes(std::move(same)), {id}, {name}));
  return node->outputs.front();
}

}  // namespace nestrt::compiler
