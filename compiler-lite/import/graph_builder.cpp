// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/graph_builder.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "compiler-lite/graph/bound_operator.h"
#include "compiler-lite/graph/evaluation_steps.h"
#include "compiler-lite/import/onnx/onnx_model.h"

namespace nestrt::compiler {

ValueId GraphBuilder::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? kNoValue : found->second;
}

Status GraphBuilder::define(const std::string& name, ValueId id) {
  if (!values_.emplace(name, id).second)
    return Status(Code::kInvalidModel, fmt::format("value '{}' is defined twice", name));
  if (!scopes_.empty()) scopes_.back().names.push_back(name);
  return ok_status();
}

void GraphBuilder::enter_scope(std::string_view name) {
  scopes_.push_back({fmt::format("{}/", scoped(std::string(name))), {}});
}

void GraphBuilder::leave_scope() {
  for (const std::string& name : scopes_.back().names) values_.erase(name);
  scopes_.pop_back();
}

Status GraphBuilder::charge_subgraph(size_t nodes) {
  if (operators_.charge(nodes + 1)) return ok_status();
  return too_many_operators(static_cast<int64_t>(operators_.limit()));
}

Status GraphBuilder::check_size(const std::string& name, DataType type, const Shape& shape) const {
  int64_t bytes = static_cast<int64_t>(size_bytes(type));
  for (int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(bytes, std::max<int64_t>(dim, 1), &bytes) || bytes > limits_.tensor_bytes) {
      return Status(Code::kInvalidModel, fmt::format("tensor '{}' of shape {} is larger than the limit of {} bytes",
                                                     name, shape.to_string(), limits_.tensor_bytes));
    }
  }
  return ok_status();
}

Status GraphBuilder::check_constant(const std::string& name, DataType type, const Shape& shape) const {
  NESTRT_RETURN_IF_ERROR(check_size(name, type, shape));
  if (graph_.folding.fits(static_cast<uint64_t>(storage_bytes(type, shape, Layout::kPlain)))) return ok_status();
  return Status(Code::kInvalidModel,
                fmt::format("tensor '{}' of shape {} exceeds the limit of {} bytes for computed constants; reduce "
                            "them, store them in the model, or raise the limit (--computed-constants)",
                            name, shape.to_string(), graph_.folding.max_bytes()));
}

Result<ValueId> GraphBuilder::add_constant(std::string name, DataType type, const Shape& shape, Bytes elements) {
  NESTRT_RETURN_IF_ERROR(charge(0));
  NESTRT_RETURN_IF_ERROR(check_constant(name, type, shape));
  static_cast<void>(graph_.folding.charge(elements.size(), 0));  // check_constant() has checked the budget
  return graph_.add_constant(std::move(name), type, shape, std::move(elements));
}

ValueId GraphBuilder::add_constant(const OnnxTensor& tensor) {
  // One or more nodes, such as a Cast and a Mul, convert 8-bit weights to floats; a later pass may convert them back.
  const bool is_narrow = tensor.type == DataType::kS8 || tensor.type == DataType::kU8;
  // Constants of a subgraph may be added once per iteration.
  if (scopes_.empty()) graph_.folding.extend(tensor.elements->size() * (is_narrow ? sizeof(float) : 1));
  Value value;
  value.name = scoped(tensor.name);
  value.type = tensor.type;
  value.shape = tensor.shape;
  value.constant = tensor.elements;
  value.stated_range = tensor.stated_range;
  const ValueId id = graph_.add_value(std::move(value));
  if (tensor.narrow_type != 0) set_narrow_type(id, tensor.narrow_type);
  return id;
}

ValueId GraphBuilder::find_transposed(ValueId id, const std::vector<int>& permutation) const {
  const auto found = transposed_.find({id, permutation});
  return found == transposed_.end() ? kNoValue : found->second;
}

void GraphBuilder::remember_transposed(ValueId id, const std::vector<int>& permutation, ValueId transposed) {
  transposed_.emplace(std::pair(id, permutation), transposed);
  graph_.value(transposed).same_elements_as = original_name(graph_.value(id));
}

Status GraphBuilder::charge(size_t operands) {
  if (!operators_.charge(1)) return too_many_operators(static_cast<int64_t>(operators_.limit()));
  if (operands_.charge(operands)) return ok_status();
  return Status(Code::kInvalidModel,
                fmt::format("the model's operators have more than {} operands; split the model", operands_.limit()));
}

void GraphBuilder::note_costly(const Node& node) {
  if (costly_.empty()) first_costly_ = graph_.value(node.outputs.front()).name;
  costly_.insert(node.outputs.begin(), node.outputs.end());
  for (const ValueId id : node.outputs)
    costly_bytes_ += static_cast<uint64_t>(tensor_spec(graph_.value(id)).storage_bytes());
}

std::string GraphBuilder::describe_costly() const {
  if (costly_.empty()) return "";
  const uint64_t needed = (static_cast<uint64_t>(limits_.folded_bytes) + costly_bytes_ + (1 << 20) - 1) >> 20;
  return fmt::format(
      "{} operators, the first of which computes '{}', depend only on constants but run in every inference: their "
      "results exceed the limit of {} MB for computed constants; try --computed-constants {}",
      costly_.size(), first_costly_, graph_.folding.max_bytes() >> 20,
      std::min<uint64_t>(needed, kMaxComputedMegabytes));
}

bool GraphBuilder::is_known(const std::vector<ValueId>& inputs) const {
  return std::all_of(inputs.begin(), inputs.end(),
                     [this](ValueId id) { return id == kNoValue || graph_.value(id).is_constant(); });
}

Result<std::vector<ValueId>> GraphBuilder::fold(const std::string& label, Node& node,
                                                const std::vector<TensorSpec>& specs,
                                                const std::vector<std::string>& output_names,
                                                const Quantization& quantization) {
  for (size_t i = 0; i < specs.size(); ++i) {
    Value value;
    value.name = output_names[i];
    value.type = specs[i].type;
    value.shape = specs[i].shape;
    value.quantization = quantization;
    value.source_quantization = source_quantization(graph_, node);
    value.source_blocks = source_blocks(graph_, node);
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
                                               ops::Attributes attributes, std::vector<ValueId> inputs,
                                               const std::vector<std::string>& output_names,
                                               const Quantization& quantization) {
  NESTRT_RETURN_IF_ERROR(charge(inputs.size() + output_names.size()).with_context(label));
  auto specs = infer(graph_, attributes, inputs);
  if (!specs) return specs.error().with_context(label);
  if (specs->size() != output_names.size())
    return Status(Code::kInvalidModel, fmt::format("{}: wrong number of outputs", label));
  for (size_t i = 0; i < specs->size(); ++i) {
    NESTRT_RETURN_IF_ERROR(check_size(output_names[i], (*specs)[i].type, (*specs)[i].shape).with_context(label));
  }
  // If evaluation would exceed the limits, the operator stays in the graph. This is correct and does not slow down the
  // import.
  if (is_known(inputs) && charge_folding(graph_, attributes, inputs, *specs)) {
    Node node{std::move(node_name), std::move(attributes), std::move(inputs), {}};
    return fold(label, node, *specs, output_names, quantization);
  }
  const bool costly = std::all_of(inputs.begin(), inputs.end(), [this](ValueId id) {
    return id == kNoValue || graph_.value(id).is_constant() || is_costly(id);
  });
  NESTRT_ASSIGN_OR_RETURN(
      const Node* node, graph_.add_node(std::move(node_name), std::move(attributes), std::move(inputs), output_names));
  for (ValueId id : node->outputs) graph_.value(id).quantization = quantization;
  if (costly) note_costly(*node);
  return node->outputs;
}

Result<ValueId> GraphBuilder::reinterpret(const std::string& label, std::string name, ValueId id,
                                          const Quantization& quantization) {
  if (graph_.value(id).is_constant()) {
    NESTRT_RETURN_IF_ERROR(charge(0).with_context(label));
    Value value = graph_.value(id);
    value.name = std::move(name);
    value.quantization = quantization;
    return graph_.add_value(std::move(value));
  }
  const Shape& shape = graph_.value(id).shape;
  ops::Reshape same{.shape = {shape.begin(), shape.end()}};
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> outputs,
                          add(label, name, std::move(same), {id}, {name}, quantization));
  return outputs.front();
}

Result<ValueId> GraphBuilder::as_output(ValueId id, const std::string& name) {
  Value& value = graph_.value(id);
  if (value.name == name) return id;
  if (graph_.producer(id) != nullptr && !graph_.is_output(id)) {
    value.name = name;
    return id;
  }
  NESTRT_RETURN_IF_ERROR(charge(2).with_context(fmt::format("output '{}'", name)));
  if (value.is_constant()) {
    Value copy = value;
    copy.name = name;
    return graph_.add_value(std::move(copy));
  }
  // `id` is an input, or already an output under another name.
  ops::Reshape same{.shape = {value.shape.begin(), value.shape.end()}};
  NESTRT_ASSIGN_OR_RETURN(const Node* node, graph_.add_node(name, std::move(same), {id}, {name}));
  return node->outputs.front();
}

namespace {

template <typename T>
IntegerExtremes extremes_of(const Value& value) {
  IntegerExtremes result;
  for (const T element : std::span(value.data<T>(), value.constant->size() / sizeof(T))) {
    result.min = std::min<int64_t>(result.min, element);
    result.max = std::max<int64_t>(result.max, element);
  }
  return result;
}

}  // namespace

IntegerExtremes GraphBuilder::extremes(ValueId id) {
  const auto [entry, is_new] = extremes_.try_emplace(id);
  const Value& value = graph_.value(id);
  if (is_new) entry->second = value.type == DataType::kS64 ? extremes_of<int64_t>(value) : extremes_of<int32_t>(value);
  return entry->second;
}

}  // namespace nestrt::compiler
