// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/model_writer.h"

#include <fmt/core.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <type_traits>

#include "compiler-lite/export/batch_normalization.h"
#include "compiler-lite/export/export_table.h"
#include "compiler-lite/export/onnx_numbers.h"
#include "compiler-lite/graph/constant_integers.h"

namespace nestrt::compiler {
namespace {

void set(onnx::AttributeProto& proto, const WrittenAttribute& attribute) {
  proto.set_name(std::string(attribute.name));
  if (const auto* integer = std::get_if<int64_t>(&attribute.value)) {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(*integer);
  } else if (const auto* real = std::get_if<float>(&attribute.value)) {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(*real);
  } else if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(*text);
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute.value)) {
    proto.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& entry : *texts) proto.add_strings(entry);
  } else if (const auto* reals = std::get_if<std::vector<float>>(&attribute.value)) {
    proto.set_type(onnx::AttributeProto::FLOATS);
    for (const float entry : *reals) proto.add_floats(entry);
  } else {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const int64_t entry : std::get<std::vector<int64_t>>(attribute.value)) proto.add_ints(entry);
  }
}

void state(onnx::ValueInfoProto& proto, const std::string& name, const Value& value) {
  proto.set_name(name);
  auto& tensor = *proto.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx_number(value.type));
  tensor.mutable_shape();  // also for a scalar
  for (const int64_t dim : value.shape) tensor.mutable_shape()->add_dim()->set_dim_value(dim);
}

void fill(onnx::TensorProto& proto, const std::string& name, DataType type, const Shape& shape,
          std::span<const std::byte> elements) {
  proto.set_name(name);
  proto.set_data_type(onnx_number(type));
  for (const int64_t dim : shape) proto.add_dims(dim);
  proto.set_raw_data(elements.data(), elements.size());
}

bool is_quantized(const Value& value) { return value.quantization.has_value(); }

}  // namespace

int32_t onnx_number(DataType type) {
  switch (type) {
    case DataType::kF32:
      return onnx::TensorProto::FLOAT;
    case DataType::kS8:
      return onnx::TensorProto::INT8;
    case DataType::kU8:
      return onnx::TensorProto::UINT8;
    case DataType::kS32:
      return onnx::TensorProto::INT32;
    case DataType::kS64:
      return onnx::TensorProto::INT64;
    case DataType::kBool:
      return onnx::TensorProto::BOOL;
  }
  return onnx::TensorProto::UNDEFINED;
}

std::string ModelWriter::write_node(const Node& node, std::string_view op_type, std::vector<std::string> inputs,
                                    const WrittenAttributes& attributes) {
  return write_outputs_of(node, op_type, std::move(inputs), attributes, {true}).front();
}

std::vector<std::string> ModelWriter::write_outputs_of(const Node& node, std::string_view op_type,
                                                       std::vector<std::string> inputs,
                                                       const WrittenAttributes& attributes,
                                                       const std::vector<bool>& wanted) {
  onnx::NodeProto& proto = *proto_.add_node();
  proto.set_op_type(std::string(op_type));
  for (std::string& input : inputs) proto.add_input(std::move(input));
  const std::string& result = names_.of(node.outputs[0]);
  for (const bool is_wanted : wanted)
    proto.add_output(is_wanted ? names_.unique(fmt::format("{}:{}", result, op_type)) : std::string());
  for (const WrittenAttribute& attribute : attributes) set(*proto.add_attribute(), attribute);
  return {proto.output().begin(), proto.output().end()};
}

std::string ModelWriter::add_initializer(const Node& node, std::string_view suffix, DataType type, const Shape& shape,
                                         std::span<const std::byte> elements) {
  std::string name = names_.unique(fmt::format("{}:{}", names_.of(node.outputs[0]), suffix));
  fill(*proto_.add_initializer(), name, type, shape, elements);
  return name;
}

// An output cannot be an initializer, so a constant that is one gets another name.
std::string ModelWriter::add_constant(ValueId id) {
  const Value& value = graph_.value(id);
  std::string name = is_output(id) ? names_.unique(names_.of(id) + ":constant") : names_.of(id);
  fill(*proto_.add_initializer(), name, value.type, value.shape, *value.constant);
  return name;
}

std::string ModelWriter::name_of(ValueId id) {
  const auto [entry, is_new] = written_.try_emplace(id);
  if (is_new) entry->second = graph_.value(id).is_constant() ? add_constant(id) : names_.of(id);
  return entry->second;
}

std::string ModelWriter::real(NodeWriter& node, ValueId id) {
  const Value& value = graph_.value(id);
  if (const auto found = reals_.find(id); found != reals_.end()) return found->second;
  std::string name;
  if (is_quantized(value)) {
    name = node.dequantize(name_of(id), *value.quantization, value.type);
  } else if (const auto integers = value.is_constant() ? constant_integers(value) : std::nullopt) {
    const std::string stored =
        add_initializer(node.node(), "quantized", integers->type, value.shape, integers->elements);
    name = node.dequantize(stored, *value.source_quantization, integers->type);
  } else {
    return name_of(id);
  }
  return reals_[id] = name;
}

void ModelWriter::rename(const std::string& from, const std::string& to) {
  for (int i = first_node_; i < proto_.node_size(); ++i) {
    onnx::NodeProto& proto = *proto_.mutable_node(i);
    for (std::string& output : *proto.mutable_output())
      if (output == from) output = to;
    for (std::string& input : *proto.mutable_input())
      if (input == from) input = to;
  }
  for (auto& [id, name] : reals_)
    if (name == from) name = to;
}

// Renames the output of the operator's last node to the result's name. If the operator wrote no node, such as a Reshape
// to the same shape, the result becomes an alias; a graph output becomes a copy.
void ModelWriter::finish(const Node& node, ValueId result, const std::string& written) {
  const auto& nodes = proto_.node();
  const bool is_new = proto_.node_size() > first_node_ &&
                      std::count(nodes.rbegin()->output().begin(), nodes.rbegin()->output().end(), written) != 0;
  if (is_new) {
    rename(written, names_.of(result));
    written_[result] = names_.of(result);
  } else if (is_output(result)) {
    rename(write_node(node, "Identity", {written}, {}), names_.of(result));
    written_[result] = names_.of(result);
  } else {
    written_[result] = written;
  }
}

namespace {

// Names the last node of an operator after the operator, and the others after the operator and their type.
void name_nodes(onnx::GraphProto& graph, int first, const std::string& name, ValueNames& names) {
  for (int i = first; i < graph.node_size(); ++i) {
    onnx::NodeProto& proto = *graph.mutable_node(i);
    const bool is_last = i + 1 == graph.node_size();
    proto.set_name(names.unique_node(is_last ? name : fmt::format("{}:{}", name, proto.op_type())));
  }
}

}  // namespace

Status ModelWriter::write_operator(const Node& node) {
  NodeWriter writer(*this, node);
  const ExportRule* rule = find_export_rule(node.kind());
  if (rule == nullptr) return writer.unsupported("has no form in ONNX");
  NESTRT_ASSIGN_OR_RETURN(std::string written, rule->write(writer));
  const Value& result = writer.result();
  const bool renames = node.kind() == ops::Kind::kReshape && written == writer.input(0);
  if (is_quantized(result) && !renames) written = writer.quantize(written, *result.quantization, result.type);
  finish(node, node.outputs[0], written);
  // The last node of an operator with several outputs computes all of them.
  const int last = proto_.node_size() - 1;
  for (size_t i = 1; i < node.outputs.size(); ++i)
    finish(node, node.outputs[i], proto_.node(last).output(static_cast<int>(i)));
  return {};
}

// Writes constants that are graph outputs as copies.
void ModelWriter::write_outputs() {
  for (const ValueId id : part_.outputs) {
    if (!graph_.value(id).is_constant()) continue;
    onnx::NodeProto& proto = *proto_.add_node();
    proto.set_op_type("Identity");
    proto.set_name(names_.unique_node(graph_.value(id).name));
    proto.add_output(names_.of(id));
    proto.add_input(name_of(id));
  }
}

void ModelWriter::write_interface() {
  for (const ValueId id : part_.inputs) state(*proto_.add_input(), names_.of(id), graph_.value(id));
  for (const ValueId id : part_.outputs) state(*proto_.add_output(), names_.of(id), graph_.value(id));
  for (const Node* node : part_.nodes) {
    const ValueId id = node->outputs[0];
    const auto found = written_.find(id);  // the product of a BatchNormalization is not written
    if (found == written_.end() || found->second != names_.of(id) || is_output(id)) continue;
    state(*proto_.add_value_info(), found->second, graph_.value(id));
  }
}

Status ModelWriter::write() {
  proto_.set_name(part_.name);
  for (size_t i = 0; i < part_.nodes.size(); ++i) {
    const Node& node = *part_.nodes[i];
    const Node* next = i + 1 < part_.nodes.size() ? part_.nodes[i + 1] : nullptr;
    first_node_ = proto_.node_size();
    if (next != nullptr && is_batch_normalization(graph_, node, *next)) {
      NodeWriter writer(*this, *next);
      finish(*next, next->outputs[0], write_batch_normalization(writer, name_of(node.inputs[0]), node));
      ends_.push_back(first_node_);
      ++i;
    } else {
      NESTRT_RETURN_IF_ERROR(write_operator(node));
    }
    name_nodes(proto_, first_node_, node.name, names_);
    ends_.push_back(proto_.node_size());
  }
  write_outputs();
  write_interface();
  return {};
}

}  // namespace nestrt::compiler
