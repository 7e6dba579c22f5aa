// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/model_writer.h"

#include <fmt/core.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <type_traits>

#include "compiler-lite/export/batch_normalization.h"
#include "compiler-lite/export/export_table.h"
#include "compiler-lite/export/onnx_numbers.h"
#include "compiler-lite/export/stored_constants.h"
#include "compiler-lite/export/whole_operators.h"
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

// A graph output cannot be an initializer, so a constant that is an output gets another name.
std::string ModelWriter::add_constant(ValueId id) {
  const Value& value = graph_.value(id);
  const bool is_taken = is_output(id) || transposed_.contains(id);
  std::string name = is_taken ? names_.unique(names_.of(id) + ":constant") : names_.of(id);
  fill(*proto_.add_initializer(), name, value.type, value.shape, *value.constant);
  return name;
}

std::string ModelWriter::name_of(ValueId id) {
  const auto [entry, is_new] = written_.try_emplace(id);
  if (is_new) entry->second = graph_.value(id).is_constant() ? add_constant(id) : names_.of(id);
  return entry->second;
}

std::string ModelWriter::dequantized(NodeWriter& node, const Value& integers, const plan::Quantization& quantization,
                                     FunctionRef<std::string()> stored) {
  if (form_.per_tensor && integers.is_constant()) {
    if (const auto rounded = with_one_scale(integers, quantization))
      return node.dequantize(
          add_initializer(node.node(), "per_tensor", integers.type, integers.shape, rounded->elements),
          rounded->quantization, integers.type);
  }
  return node.dequantize(stored(), quantization, integers.type);
}

std::string ModelWriter::as_real(NodeWriter& node, const Value& value, FunctionRef<std::string()> stored) {
  if (is_quantized(value)) return dequantized(node, value, *value.quantization, stored);
  const auto integers = value.is_constant() ? constant_integers(value) : std::nullopt;
  if (!integers) return stored();
  Value source;
  source.type = integers->type;
  source.shape = value.shape;
  source.constant = std::make_shared<const Bytes>(integers->elements);
  const auto add = [&] {
    return add_initializer(node.node(), "quantized", source.type, source.shape, *source.constant);
  };
  return dequantized(node, source, *value.source_quantization, add);
}

std::string ModelWriter::real(NodeWriter& node, ValueId id) {
  const Value& value = graph_.value(id);
  if (const auto found = reals_.find(id); found != reals_.end()) return found->second;
  const auto stored = [&] { return name_of(id); };
  std::string name = as_real(node, value, stored);
  if (is_quantized(value) || name != name_of(id)) reals_[id] = name;
  return name;
}

// Returns the matrix's name in the model, if no other value uses that name. (Import usually transposes such a matrix.)
std::string ModelWriter::name_for_transposed(ValueId id) {
  const std::string& original = original_name(graph_.value(id));
  if (original == graph_.value(id).name && !written_.contains(id) && !is_output(id)) return names_.of(id);
  for (ValueId other = 0; other < static_cast<ValueId>(graph_.num_values()); ++other) {
    const Value& value = graph_.value(other);
    const bool is_unused = value.is_constant() && graph_.users(other).empty() && !graph_.is_output(other);
    if (value.name == original && is_unused && written_.try_emplace(other, names_.of(other)).second)
      return names_.of(other);
  }
  return names_.unique(original);
}

std::string ModelWriter::transposed_real(NodeWriter& node, ValueId id) {
  if (const auto found = transposed_.find(id); found != transposed_.end()) return found->second;
  const Value matrix = transposed(graph_.value(id));
  const auto add = [&] {
    std::string name = name_for_transposed(id);
    fill(*proto_.add_initializer(), name, matrix.type, matrix.shape, *matrix.constant);
    return name;
  };
  return transposed_[id] = as_real(node, matrix, add);
}

void ModelWriter::rename(const std::string& from, const std::string& to) {
  for (int i = first_node_; i < proto_.node_size(); ++i) {
    onnx::NodeProto& proto = *proto_.mutable_node(i);
    for (std::string& output : *proto.mutable_output())
      if (output == from) output = to;
    for (std::string& input : *proto.mutable_input())
      if (input == from) input = to;
  }
  for (auto* names : {&reals_, &transposed_})
    for (auto& [id, name] : *names)
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

Result<size_t> ModelWriter::write_next(size_t first) {
  const auto nodes = std::span<const Node* const>(part_.nodes).subspan(first);
  if (nodes.size() > 1 && is_batch_normalization(graph_, *nodes[0], *nodes[1])) {
    NodeWriter writer(*this, *nodes[1]);
    finish(*nodes[1], nodes[1]->outputs[0], write_batch_normalization(writer, name_of(nodes[0]->inputs[0]), *nodes[0]));
    return size_t{2};
  }
  const size_t count = form_.whole_operators ? whole_operator_size(graph_, nodes) : 0;
  if (count == 0) {
    NESTRT_RETURN_IF_ERROR(write_operator(*nodes[0]));
    return size_t{1};
  }
  NodeWriter writer(*this, *nodes[0]);
  for (const WholeResult& result : write_whole_operator(writer, nodes.first(count)))
    finish(*result.node, result.node->outputs[0], result.name);
  return count;
}

Status ModelWriter::write() {
  proto_.set_name(part_.name);
  for (size_t i = 0; i < part_.nodes.size();) {
    first_node_ = proto_.node_size();
    NESTRT_ASSIGN_OR_RETURN(const size_t count, write_next(i));
    ends_.insert(ends_.end(), count - 1, first_node_);
    i += count;
    name_nodes(proto_, first_node_, part_.nodes[i - 1]->name, names_);
    ends_.push_back(proto_.node_size());
  }
  write_outputs();
  write_interface();
  return {};
}

}  // namespace nestrt::compiler
