// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/node_context.h"

#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/constant_elements.h"
#include "compiler-lite/import/graph_builder.h"
#include "compiler-lite/import/graph_nodes.h"
#include "compiler-lite/import/onnx/onnx_model.h"

namespace nestrt::compiler {
namespace {

// Returns the attribute, or null if the node does not have it.
const OnnxAttribute* find(const OnnxNode& node, std::string_view name) {
  const auto found = node.attributes.find(std::string(name));
  return found == node.attributes.end() ? nullptr : &found->second;
}

}  // namespace

NodeContext::NodeContext(GraphBuilder& builder, const OnnxNode& node, int64_t opset)
    : builder_(builder),
      node_(node),
      opset_(opset),
      label_(node.label()),
      first_own_value_(builder.graph().num_values()) {
  for (const std::string& input : node.inputs) inputs_.push_back(input.empty() ? kNoValue : builder.find(input));
}

const std::string& NodeContext::op_type() const { return node_.op_type; }

Status NodeContext::invalid(std::string_view what) const {
  return Status(Code::kInvalidModel, fmt::format("{}: {}", label_, what));
}

Status NodeContext::unsupported(std::string_view what) const {
  return Status(Code::kUnsupported, fmt::format("{}: {}", label_, what));
}

Status NodeContext::unsupported_value(std::string_view name, std::string_view value, std::string_view supported) const {
  return unsupported(fmt::format("{} '{}' is not supported; supported: {}", name, value, supported));
}

const Value& NodeContext::value(ValueId id) const { return builder_.graph().value(id); }

const Node* NodeContext::producer(ValueId id) const { return builder_.graph().producer(id); }

int32_t NodeContext::narrow_type(ValueId id) const { return builder_.narrow_type(id); }

void NodeContext::set_narrow_type(ValueId id, int32_t onnx_type) { builder_.set_narrow_type(id, onnx_type); }

bool NodeContext::has_input(size_t index) const {
  asked_inputs_ = std::max(asked_inputs_, index + 1);
  return index < inputs_.size() && inputs_[index] != kNoValue;
}

Result<ValueId> NodeContext::input(size_t index) const {
  if (has_input(index)) return inputs_[index];
  return invalid(fmt::format("input {} is missing", index));
}

Result<std::vector<ValueId>> NodeContext::all_inputs() const {
  if (inputs_.empty()) return invalid("has no inputs");
  for (size_t i = 0; i < inputs_.size(); ++i) NESTRT_RETURN_IF_ERROR(input(i).error());
  return inputs_;
}

Result<std::vector<int64_t>> NodeContext::constant_ints(size_t index, std::string_view what) const {
  NESTRT_ASSIGN_OR_RETURN(const ValueId id, input(index));
  return ints_of(id, what);
}

Result<std::vector<float>> NodeContext::constant_floats(size_t index, std::string_view what) const {
  NESTRT_ASSIGN_OR_RETURN(const ValueId id, input(index));
  return floats_of(id, what);
}

Result<std::vector<int64_t>> NodeContext::ints_of(ValueId id, std::string_view what) const {
  NESTRT_RETURN_IF_ERROR(check_known(id, what, DataType::kS64));
  if (value(id).type != DataType::kF32) return integers_as<int64_t>(value(id));
  return invalid(fmt::format("{} must be integers, not {}", what, name(value(id).type)));
}

IntegerExtremes NodeContext::extremes(ValueId id) { return builder_.extremes(id); }

Result<std::vector<float>> NodeContext::floats_of(ValueId id, std::string_view what) const {
  NESTRT_RETURN_IF_ERROR(check_known(id, what, DataType::kF32));
  if (value(id).type != DataType::kF32) return integers_as<float>(value(id));
  return elements_as<float, float>(value(id));
}

// `copy`: element type of the caller's copy, which may be larger than the tensor.
Status NodeContext::check_known(ValueId id, std::string_view what, DataType copy) const {
  const Value& found = value(id);
  if (found.is_constant()) return check_constant(copy, found.shape);
  const std::string why = builder_.is_costly(id)
                              ? " must be known at compile time, but computing it exceeds the limits for computed "
                                "constants; raise them with --computed-constants, or simplify the model, e.g. with "
                                "onnxsim"
                              : " must be known at compile time; fix the shapes it depends on, or bind the input";
  return unsupported(fmt::format("{} (tensor '{}'){}", what, found.name, why));
}

bool NodeContext::has_attribute(std::string_view name) const { return find(node_, name) != nullptr; }

template <typename T>
T NodeContext::read(std::string_view name, T fallback) {
  ignore(name);
  const OnnxAttribute* attribute = find(node_, name);
  if (attribute == nullptr) return fallback;
  if (const T* value = std::get_if<T>(attribute)) return *value;
  wrong_attribute_ = std::string(name);
  return fallback;
}

template int64_t NodeContext::read(std::string_view, int64_t);
template float NodeContext::read(std::string_view, float);
template std::string NodeContext::read(std::string_view, std::string);
template std::vector<int64_t> NodeContext::read(std::string_view, std::vector<int64_t>);
template std::vector<float> NodeContext::read(std::string_view, std::vector<float>);
template std::vector<std::string> NodeContext::read(std::string_view, std::vector<std::string>);

Result<OnnxTensor> NodeContext::tensor_attribute(std::string_view name) {
  ignore(name);
  const OnnxAttribute* attribute = find(node_, name);
  if (attribute != nullptr && std::holds_alternative<OnnxTensor>(*attribute)) return std::get<OnnxTensor>(*attribute);
  return invalid(fmt::format("attribute '{}' must be a tensor", name));
}

Result<int64_t> NodeContext::required_int(std::string_view name) {
  if (!has_attribute(name)) return invalid(fmt::format("attribute '{}' is missing", name));
  return attribute(name, int64_t{0});
}

Result<std::vector<ValueId>> NodeContext::subgraph(std::string_view attribute, const std::vector<ValueId>& inputs,
                                                   std::string_view scope) {
  ignore(attribute);
  const OnnxAttribute* found = find(node_, attribute);
  const auto* graph = found == nullptr ? nullptr : std::get_if<std::shared_ptr<const OnnxGraph>>(found);
  if (graph == nullptr) return invalid(fmt::format("attribute '{}' must be a graph", attribute));
  auto outputs = import_subgraph(builder_, **graph, inputs, fmt::format("{}.{}", operator_name(), scope), opset_);
  if (!outputs) return outputs.error().with_context(label_);
  return outputs;
}

bool NodeContext::is_last(size_t index) const {
  return index < node_.outputs.size() && builder_.is_last_value(node_.outputs[index]);
}

Result<int> NodeContext::axis(int64_t stated, int rank) const {
  if (stated >= -rank && stated < rank) return static_cast<int>(stated < 0 ? stated + rank : stated);
  return invalid(fmt::format("axis {} is outside a tensor of rank {}", stated, rank));
}

Result<std::vector<int64_t>> NodeContext::stated_axes() {
  if (has_input(1)) return constant_ints(1, "axes");
  return attribute("axes", std::vector<int64_t>());
}

Result<std::vector<int>> NodeContext::axes(const std::vector<int64_t>& stated, int rank) const {
  std::vector<int> result;
  for (int64_t entry : stated) {
    NESTRT_ASSIGN_OR_RETURN(const int valid, axis(entry, rank));
    if (std::find(result.begin(), result.end(), valid) != result.end()) {
      return invalid(fmt::format("axis {} is repeated", entry));
    }
    result.push_back(valid);
  }
  std::sort(result.begin(), result.end());
  return result;
}

Status NodeContext::check_size(DataType type, const Shape& shape) const {
  return builder_.check_size(node_.outputs.empty() ? "" : node_.outputs.front(), type, shape).with_context(label_);
}

Status NodeContext::check_constant(DataType type, const Shape& shape) const {
  return builder_.check_constant(node_.outputs.empty() ? "" : node_.outputs.front(), type, shape).with_context(label_);
}

const std::string& NodeContext::operator_name() const {
  return !node_.name.empty() || node_.outputs.empty() ? node_.name : node_.outputs.front();
}

std::string NodeContext::next_name() {
  const std::string base = node_.outputs.empty() ? node_.op_type : node_.outputs.front();
  return builder_.scoped(fmt::format("{}:{}", base, num_added_++));
}

Result<ValueId> NodeContext::add(ops::Attributes attributes, std::vector<ValueId> inputs,
                                 const std::optional<plan::Quantization>& quantization) {
  NESTRT_ASSIGN_OR_RETURN(
      const std::vector<ValueId> outputs,
      builder_.add(label_, operator_name(), std::move(attributes), std::move(inputs), {next_name()}, quantization));
  return outputs.front();
}

Result<std::vector<ValueId>> NodeContext::add_all(ops::Attributes attributes, std::vector<ValueId> inputs,
                                                  size_t num_outputs) {
  std::vector<std::string> names;
  for (size_t i = 0; i < num_outputs; ++i) names.push_back(next_name());
  return builder_.add(label_, operator_name(), std::move(attributes), std::move(inputs), names);
}

Result<ValueId> NodeContext::reinterpret(ValueId id, const std::optional<plan::Quantization>& quantization) {
  return builder_.reinterpret(label_, next_name(), id, quantization);
}

Result<ValueId> NodeContext::labelled(Result<ValueId> id) const {
  return id ? std::move(id) : Result<ValueId>(id.error().with_context(label_));
}

Result<ValueId> NodeContext::constant(DataType type, const Shape& shape, Bytes elements) {
  return labelled(builder_.add_constant(next_name(), type, shape, std::move(elements)));
}

Result<ValueId> NodeContext::constant(OnnxTensor tensor) {
  tensor.name = next_name();
  return builder_.add_constant(tensor);
}

Result<ValueId> NodeContext::constant(const std::vector<float>& elements, const Shape& shape) {
  return constant(DataType::kF32, shape, to_bytes(elements));
}

Result<ValueId> NodeContext::factors(const std::vector<float>& elements, const Shape& shape,
                                     BatchNormalization source) {
  const Shape stated{4, static_cast<int64_t>(elements.size())};
  NESTRT_RETURN_IF_ERROR(check_constant(DataType::kF32, stated));
  static_cast<void>(builder_.graph().folding.charge(elements.size() * 4 * sizeof(float), 0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId id, constant(elements, shape));
  builder_.graph().value(id).source_normalization = std::make_shared<const BatchNormalization>(std::move(source));
  return id;
}

void NodeContext::set_source_blocks(ValueId id, std::shared_ptr<const BlockQuantization> source) {
  builder_.graph().value(id).source_blocks = std::move(source);
}

Result<ValueId> NodeContext::constant(const std::vector<int64_t>& elements, const Shape& shape) {
  return constant(DataType::kS64, shape, to_bytes(elements));
}

Result<ValueId> NodeContext::scalar_of(DataType type, double element) {
  switch (type) {
    case DataType::kF32:
      return constant(type, Shape(), to_bytes(std::vector{static_cast<float>(element)}));
    case DataType::kS32:
      return constant(type, Shape(), to_bytes(std::vector{static_cast<int32_t>(element)}));
    case DataType::kS64:
      return constant(type, Shape(), to_bytes(std::vector{static_cast<int64_t>(element)}));
    case DataType::kS8:
      return constant(type, Shape(), to_bytes(std::vector{static_cast<int8_t>(element)}));
    case DataType::kU8:
      return constant(type, Shape(), to_bytes(std::vector{static_cast<uint8_t>(element)}));
    case DataType::kBool:
      return constant(type, Shape(), to_bytes(std::vector{uint8_t{element != 0}}));
  }
  return invalid("unknown element type");
}

Result<ValueId> NodeContext::reshape(ValueId id, const Shape& shape) {
  if (value(id).shape == shape) return id;
  return add(ops::Reshape{.shape = {shape.begin(), shape.end()}}, {id});
}

Result<ValueId> NodeContext::transpose(ValueId id, const std::vector<int>& permutation) {
  if (!value(id).is_constant()) return add(ops::Transpose{.permutation = permutation}, {id});
  if (const ValueId found = builder_.find_transposed(id, permutation); found != kNoValue) return found;
  NESTRT_ASSIGN_OR_RETURN(const ValueId transposed, add(ops::Transpose{.permutation = permutation}, {id}));
  if (value(transposed).is_constant()) builder_.remember_transposed(id, permutation, transposed);
  return transposed;
}

Result<ValueId> NodeContext::slice(ValueId id, const std::vector<int64_t>& start, const std::vector<int64_t>& step,
                                   const Shape& shape) {
  const auto is_one = [](int64_t entry) { return entry == 1; };
  if (value(id).shape == shape && std::all_of(step.begin(), step.end(), is_one)) return id;
  return add(ops::Slice{.start = start, .step = step, .shape = {shape.begin(), shape.end()}}, {id});
}

Result<ValueId> NodeContext::cast(ValueId id, DataType type) {
  if (value(id).type == type) return id;
  return add(ops::Cast{.to = type}, {id});
}

Result<ValueId> NodeContext::unary(ops::UnaryKind kind, ValueId id, float alpha, float beta) {
  return add(ops::Unary{.kind = kind, .alpha = alpha, .beta = beta}, {id});
}

Result<ValueId> NodeContext::binary(ops::BinaryKind kind, ValueId a, ValueId b) {
  const DataType narrow = type(a);
  if (narrow == type(b) && (narrow == DataType::kS8 || narrow == DataType::kU8)) {
    NESTRT_ASSIGN_OR_RETURN(a, cast(a, DataType::kS32));
    NESTRT_ASSIGN_OR_RETURN(b, cast(b, DataType::kS32));
    NESTRT_ASSIGN_OR_RETURN(const ValueId wide, binary(kind, a, b));
    return type(wide) == DataType::kS32 ? cast(wide, narrow) : wide;  // comparisons stay boolean
  }
  ops::Binary binary;
  binary.kind = kind;
  return add(binary, {a, b});
}

size_t NodeContext::num_outputs() const { return node_.outputs.size(); }

bool NodeContext::wants_output(size_t index) const {
  return index < node_.outputs.size() && !node_.outputs[index].empty();
}

Status NodeContext::set_output(size_t index, ValueId id) {
  if (!wants_output(index)) return ok_status();
  const std::string& name = node_.outputs[index];
  if (static_cast<size_t>(id) >= first_own_value_) builder_.graph().value(id).name = builder_.scoped(name);
  return builder_.define(name, id).with_context(label_);
}

Status NodeContext::set_output(Result<ValueId> id) { return id ? set_output(0, *id) : id.error(); }

Status NodeContext::close() const {
  if (!wrong_attribute_.empty()) return invalid(fmt::format("attribute '{}' has the wrong type", wrong_attribute_));
  for (const auto& [name, unused] : node_.attributes) {
    if (used_.count(name) == 0) return unsupported(fmt::format("unknown attribute '{}'", name));
  }
  for (size_t i = asked_inputs_; i < inputs_.size(); ++i) {
    if (inputs_[i] == kNoValue) continue;
    return invalid(fmt::format("has {} inputs, expected at most {}", inputs_.size(), asked_inputs_));
  }
  for (const std::string& output : node_.outputs) {
    if (!output.empty() && builder_.find(output) == kNoValue) {
      return unsupported(fmt::format("output '{}' is not supported; only the first output is supported", output));
    }
  }
  return ok_status();
}

}  // namespace nestrt::compiler
