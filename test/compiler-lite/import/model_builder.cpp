// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/import/model_builder.h"

#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <span>

#include "compiler-lite/graph/interpreter.h"
#include "compiler-lite/passes/optimise.h"

namespace nestrt::test {
namespace {

onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const std::string& name,
                                    onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

static_assert(onnx_type::kFloat == onnx::TensorProto::FLOAT && onnx_type::kBool == onnx::TensorProto::BOOL &&
              onnx_type::kUint8 == onnx::TensorProto::UINT8 && onnx_type::kInt8 == onnx::TensorProto::INT8 &&
              onnx_type::kInt32 == onnx::TensorProto::INT32 && onnx_type::kInt64 == onnx::TensorProto::INT64);

}  // namespace

ModelBuilder::ModelBuilder(int64_t opset) : model_(std::make_unique<onnx::ModelProto>()) {
  model_->set_ir_version(8);
  model_->add_opset_import()->set_version(opset);
  graph().set_name("test");
}

ModelBuilder::ModelBuilder(ModelBuilder&&) noexcept = default;
ModelBuilder::~ModelBuilder() = default;

onnx::GraphProto& ModelBuilder::graph() { return *model_->mutable_graph(); }

std::string ModelBuilder::bytes() const { return model_->SerializeAsString(); }

ModelBuilder& ModelBuilder::input(const std::string& name, const std::vector<int64_t>& dims, int32_t type) {
  onnx::ValueInfoProto& info = *graph().add_input();
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (int64_t dim : dims) {
    auto& added = *tensor.mutable_shape()->add_dim();
    if (dim > 0) {
      added.set_dim_value(dim);
    } else {
      added.set_dim_param("N");
    }
  }
  return *this;
}

ModelBuilder& ModelBuilder::output(const std::string& name) {
  graph().add_output()->set_name(name);
  return *this;
}

ModelBuilder& ModelBuilder::constant(const std::string& name, const std::vector<int64_t>& dims,
                                     const std::vector<float>& elements) {
  onnx::TensorProto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t dim : dims) tensor.add_dims(dim);
  for (float element : elements) tensor.add_float_data(element);
  return *this;
}

ModelBuilder& ModelBuilder::constant(const std::string& name, const std::vector<int64_t>& elements) {
  onnx::TensorProto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<int64_t>(elements.size()));
  for (int64_t element : elements) tensor.add_int64_data(element);
  return *this;
}

ModelBuilder& ModelBuilder::constant(const std::string& name, const std::vector<int64_t>& dims,
                                     const std::vector<int32_t>& elements, int32_t type) {
  onnx::TensorProto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (int64_t dim : dims) tensor.add_dims(dim);
  for (int32_t element : elements) tensor.add_int32_data(element);
  return *this;
}

onnx::NodeProto& ModelBuilder::node(const std::string& op_type, const std::vector<std::string>& inputs,
                                    const std::vector<std::string>& outputs, const std::string& name) {
  onnx::NodeProto& added = *graph().add_node();
  added.set_op_type(op_type);
  added.set_name(name.empty() ? op_type + std::to_string(graph().node_size()) : name);
  for (const std::string& input : inputs) added.add_input(input);
  for (const std::string& output : outputs) added.add_output(output);
  return added;
}

Result<compiler::Graph> ModelBuilder::import(const compiler::ImportOptions& options) const {
  return import_bytes(bytes(), options);
}

void set_attribute(onnx::NodeProto& node, const std::string& name, int64_t value) {
  add_attribute(node, name, onnx::AttributeProto::INT).set_i(value);
}

void set_attribute(onnx::NodeProto& node, const std::string& name, float value) {
  add_attribute(node, name, onnx::AttributeProto::FLOAT).set_f(value);
}

void set_attribute(onnx::NodeProto& node, const std::string& name, const std::string& value) {
  add_attribute(node, name, onnx::AttributeProto::STRING).set_s(value);
}

void set_attribute(onnx::NodeProto& node, const std::string& name, const std::vector<int64_t>& value) {
  onnx::AttributeProto& attribute = add_attribute(node, name, onnx::AttributeProto::INTS);
  for (int64_t entry : value) attribute.add_ints(entry);
}

Result<compiler::Graph> import_bytes(const std::string& bytes, const compiler::ImportOptions& options) {
  return compiler::import_onnx(std::as_bytes(std::span(bytes.data(), bytes.size())), options);
}

compiler::Graph optimised(const ModelBuilder& model) {
  auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  REQUIRE(compiler::optimise(*graph).ok());
  return std::move(*graph);
}

std::vector<float> run(const compiler::Graph& graph, const std::vector<std::vector<float>>& inputs) {
  std::vector<compiler::HostTensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const compiler::Value& value = graph.value(graph.inputs.at(i).value);
    tensors.push_back({value.type, value.shape, compiler::Bytes(inputs[i].size() * sizeof(float))});
    std::memcpy(tensors.back().elements.data(), inputs[i].data(), tensors.back().elements.size());
  }
  const auto outputs = compiler::interpret(graph, tensors);
  INFO(outputs.error().to_string());
  REQUIRE(outputs);
  std::vector<float> result(outputs->front().elements.size() / sizeof(float));
  std::memcpy(result.data(), outputs->front().elements.data(), outputs->front().elements.size());
  return result;
}

}  // namespace nestrt::test
