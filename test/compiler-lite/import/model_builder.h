// Small ONNX models made in memory, for tests of the importer.
#pragma once

#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "compiler-lite/import/import.h"

namespace nestrt::test {

class ModelBuilder {
 public:
  explicit ModelBuilder(int64_t opset = 13);

  onnx::ModelProto& proto() { return model_; }
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  // Dimensions below 1 are left open.
  ModelBuilder& input(const std::string& name, const std::vector<int64_t>& dims,
                      int32_t type = onnx::TensorProto::FLOAT);
  ModelBuilder& output(const std::string& name);
  ModelBuilder& constant(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& elements);
  ModelBuilder& constant(const std::string& name, const std::vector<int64_t>& elements);  // a vector
  // Of a type that fits 32 bits.
  ModelBuilder& constant(const std::string& name, const std::vector<int64_t>& dims,
                         const std::vector<int32_t>& elements, int32_t type);
  // The node that was added, for its attributes.
  onnx::NodeProto& node(const std::string& op_type, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs);

  std::string bytes() const { return model_.SerializeAsString(); }
  Result<compiler::Graph> import(const compiler::ImportOptions& options = {}) const;

 private:
  onnx::ModelProto model_;
};

void set_attribute(onnx::NodeProto& node, const std::string& name, int64_t value);
void set_attribute(onnx::NodeProto& node, const std::string& name, float value);
void set_attribute(onnx::NodeProto& node, const std::string& name, const std::string& value);
void set_attribute(onnx::NodeProto& node, const std::string& name, const std::vector<int64_t>& value);

Result<compiler::Graph> import_bytes(const std::string& bytes, const compiler::ImportOptions& options = {});

// Runs a graph of one f32 output on f32 inputs; fails the test where it cannot.
std::vector<float> run(const compiler::Graph& graph, const std::vector<std::vector<float>>& inputs);

}  // namespace nestrt::test
