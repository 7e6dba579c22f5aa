// SPDX-License-Identifier: Apache-2.0
#include "tools/onnxruntime/part_model.h"

#include <fmt/core.h>
#include <onnx/onnx_pb.h>

#include <climits>
#include <cstring>

#include "tools/onnxruntime/errors.h"

namespace nestrt::ort {
namespace {

constexpr int kIrVersion = 8;  // valid for every opset from 6 on

// A set of values.
class Marks {
 public:
  explicit Marks(const GraphView& graph) : marks_(graph.values.size(), false) {}
  bool contains(size_t value) const { return value != kNoValue && marks_[value]; }
  // Returns true if the value was not in the set.
  bool add(size_t value) {
    if (value == kNoValue || marks_[value]) return false;
    marks_[value] = true;
    return true;
  }
  void add_all(std::span<const size_t> values) {
    for (const size_t value : values) add(value);
  }

 private:
  std::vector<bool> marks_;
};

// Returns the values that are read outside the part.
Marks read_outside(const GraphView& graph, std::span<const size_t> part) {
  std::vector<bool> inside(graph.nodes.size(), false);
  for (const size_t node : part) inside[node] = true;
  Marks result(graph);
  result.add_all(graph.outputs);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (inside[i]) continue;
    result.add_all(graph.nodes[i].inputs);
    result.add_all(graph.nodes[i].implicit_inputs);
  }
  return result;
}

void write_type(const ViewedValue& value, onnx::ValueInfoProto& info) {
  info.set_name(value.name);
  auto* const type = info.mutable_type()->mutable_tensor_type();
  type->set_elem_type(value.onnx_type);
  for (const int64_t dim : value.dims) type->mutable_shape()->add_dim()->set_dim_value(dim);
}

class Writer {
 public:
  Writer(const Api& api, const GraphView& graph) : api_(api), graph_(graph), computed_(graph), known_(graph) {}

  Result<PartModel> write(std::span<const size_t> nodes) {
    model_.set_ir_version(kIrVersion);
    for (const auto& [domain, version] : graph_.opsets) {
      auto* const opset = model_.add_opset_import();
      opset->set_domain(domain);
      opset->set_version(version);
    }
    model_.mutable_graph()->set_name("part");
    for (const size_t node : nodes) computed_.add_all(graph_.nodes[node].outputs);
    for (const size_t node : nodes) NESTRT_RETURN_IF_ERROR(add_node(graph_.nodes[node]));
    add_outputs(nodes);
    return finish();
  }

 private:
  Status add_node(const ViewedNode& node) {
    if (node.has_subgraphs) return Status(Code::kUnsupported, fmt::format("node '{}' has subgraphs", node.name));
    auto* const written = model_.mutable_graph()->add_node();
    written->set_name(node.name);
    written->set_op_type(node.op_type);
    written->set_domain(node.domain);
    for (const size_t value : node.inputs) {
      written->add_input(value == kNoValue ? "" : graph_.values[value].name);
      NESTRT_RETURN_IF_ERROR(add_operand(value));
    }
    for (const size_t value : node.outputs) written->add_output(value == kNoValue ? "" : graph_.values[value].name);
    return add_attributes(node.node, *written);
  }

  Status add_operand(size_t index) {
    if (computed_.contains(index) || !known_.add(index)) return {};
    const ViewedValue& value = graph_.values[index];
    if (value.constant != nullptr) {
      auto* const tensor = model_.mutable_graph()->add_initializer();
      tensor->set_name(value.name);
      return write_tensor(value.constant, *tensor);
    }
    if (!value.can_enter_plan())
      return Status(
          Code::kUnsupported,
          fmt::format("input '{}' has a type that plans do not support, a dimension that is not fixed, or an "
                      "unknown rank; fix the dimensions, for example with add_free_dimension_override_by_name",
                      value.name));
    write_type(value, *model_.mutable_graph()->add_input());
    part_.inputs.push_back(index);
    return {};
  }

  Status write_tensor(const Value* value, onnx::TensorProto& tensor) {
    TensorFacts* info = nullptr;
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.get_tensor_type_and_shape(value, &info)));
    const Status status = write_shape(info, tensor);
    api_.release_tensor_type_and_shape(info);
    NESTRT_RETURN_IF_ERROR(status);
    if (tensor.data_type() == onnx::TensorProto::STRING)
      return Status(Code::kUnsupported, fmt::format("constant '{}' contains strings", tensor.name()));
    const void* data = nullptr;
    size_t bytes = 0;
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.get_tensor_data(value, &data)));
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.get_tensor_size_in_bytes(value, &bytes)));
    constant_bytes_ += bytes;
    if (constant_bytes_ > INT_MAX) return too_large();
    tensor.set_raw_data(data, bytes);
    return {};
  }

  Status write_shape(const TensorFacts* info, onnx::TensorProto& tensor) {
    int type = 0;
    size_t rank = 0;
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.get_tensor_element_type(info, &type)));
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.get_dimensions_count(info, &rank)));
    std::vector<int64_t> dims(rank);
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.get_dimensions(info, dims.data(), rank)));
    tensor.set_data_type(type);
    for (const int64_t dim : dims) tensor.add_dims(dim);
    return {};
  }

  Status add_attributes(const GraphNode* node, onnx::NodeProto& written) {
    size_t count = 0;
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.node_get_num_attributes(node, &count)));
    std::vector<const Attribute*> attributes(count);
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.node_get_attributes(node, attributes.data(), count)));
    for (const Attribute* attribute : attributes)
      NESTRT_RETURN_IF_ERROR(add_attribute(attribute, *written.add_attribute()));
    return {};
  }

  Status add_attribute(const Attribute* attribute, onnx::AttributeProto& written) {
    const char* name = nullptr;
    int type = 0;
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.op_attr_get_name(attribute, &name)));
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.op_attr_get_type(attribute, &type)));
    written.set_name(name);
    if (type == kTensor) return add_tensor(attribute, written);
    if (type < kInt || type > kStrings)
      return Status(Code::kUnsupported, fmt::format("attribute '{}' is of a kind that nestc does not support", name));
    NESTRT_ASSIGN_OR_RETURN(const std::vector<char> data, attribute_bytes(attribute, type));
    set_elements(type, data, written);
    return {};
  }

  Status add_tensor(const Attribute* attribute, onnx::AttributeProto& written) {
    Value* value = nullptr;
    NESTRT_RETURN_IF_ERROR(status_of(api_, api_.op_attr_get_tensor(attribute, &value)));
    written.set_type(onnx::AttributeProto::TENSOR);
    const Status status = write_tensor(value, *written.mutable_t());
    api_.release_value(value);
    return status;
  }

  // If the buffer is too small, ONNX Runtime returns the required size.
  Result<std::vector<char>> attribute_bytes(const Attribute* attribute, int type) {
    size_t bytes = 0;
    if (Error* const error = api_.read_op_attr(attribute, type, nullptr, 0, &bytes)) api_.release_status(error);
    std::vector<char> data(bytes);
    if (bytes > 0)
      NESTRT_RETURN_IF_ERROR(status_of(api_, api_.read_op_attr(attribute, type, data.data(), bytes, &bytes)));
    data.resize(bytes);
    return data;
  }

  template <typename T, typename Add>
  static void each(const std::vector<char>& data, Add&& add) {
    for (size_t at = 0; at + sizeof(T) <= data.size(); at += sizeof(T)) {
      T element;
      std::memcpy(&element, data.data() + at, sizeof(T));
      add(element);
    }
  }

  static void set_elements(int type, const std::vector<char>& data, onnx::AttributeProto& written) {
    switch (type) {
      case kInt:
        written.set_type(onnx::AttributeProto::INT);
        return each<int64_t>(data, [&](int64_t value) { written.set_i(value); });
      case kInts:
        written.set_type(onnx::AttributeProto::INTS);
        return each<int64_t>(data, [&](int64_t value) { written.add_ints(value); });
      case kFloat:
        written.set_type(onnx::AttributeProto::FLOAT);
        return each<float>(data, [&](float value) { written.set_f(value); });
      case kFloats:
        written.set_type(onnx::AttributeProto::FLOATS);
        return each<float>(data, [&](float value) { written.add_floats(value); });
      case kString:
        written.set_type(onnx::AttributeProto::STRING);
        written.set_s(std::string(data.data(), ::strnlen(data.data(), data.size())));
        return;
      default:
        written.set_type(onnx::AttributeProto::STRINGS);
        for (size_t at = 0; at < data.size();
             at += written.strings().rbegin()->size() + 1)  // each string ends with NUL
          written.add_strings(std::string(data.data() + at, ::strnlen(data.data() + at, data.size() - at)));
    }
  }

  void add_outputs(std::span<const size_t> nodes) {
    const Marks wanted = read_outside(graph_, nodes);
    for (const size_t node : nodes)
      for (const size_t value : graph_.nodes[node].outputs)
        if (wanted.contains(value)) {
          part_.outputs.push_back(value);
          model_.mutable_graph()->add_output()->set_name(graph_.values[value].name);
          model_.mutable_graph()->mutable_output()->rbegin()->mutable_type()->mutable_tensor_type()->set_elem_type(
              graph_.values[value].onnx_type);
        }
  }

  Result<PartModel> finish() {
    if (model_.ByteSizeLong() > INT_MAX) return too_large();
    model_.SerializeToString(&part_.bytes);
    return std::move(part_);
  }

  static Status too_large() {
    return Status(Code::kUnsupported, "the constants exceed 2 GiB, the limit of ONNX files without external data");
  }

  const Api& api_;
  const GraphView& graph_;
  Marks computed_, known_;
  size_t constant_bytes_ = 0;
  PartModel part_;
  onnx::ModelProto model_;
};

}  // namespace

Result<PartModel> part_model(const Api& api, const GraphView& graph, std::span<const size_t> nodes) {
  return Writer(api, graph).write(nodes);
}

}  // namespace nestrt::ort
