// SPDX-License-Identifier: Apache-2.0
// Small ONNX models built in memory, for tests of the importer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler-lite/import/import.h"

// Files that access protobuf messages must include onnx/onnx_pb.h themselves, because it compiles slowly.
namespace onnx {
class GraphProto;
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace nestrt::test {

// Numbers of TensorProto.DataType.
namespace onnx_type {
inline constexpr int32_t kFloat = 1, kUint8 = 2, kInt8 = 3, kInt32 = 6, kInt64 = 7, kBool = 9;
}

class ModelBuilder {
 public:
  explicit ModelBuilder(int64_t opset = 13);
  ModelBuilder(ModelBuilder&&) noexcept;
  ~ModelBuilder();

  onnx::ModelProto& proto() { return *model_; }
  onnx::GraphProto& graph();

  // Adds an input. Dimensions below 1 are dynamic.
  ModelBuilder& input(const std::string& name, const std::vector<int64_t>& dims, int32_t type = onnx_type::kFloat);
  ModelBuilder& output(const std::string& name);
  ModelBuilder& constant(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& elements);
  ModelBuilder& constant(const std::string& name, const std::vector<int64_t>& elements);  // a vector
  // Adds a constant of a type that fits in 32 bits.
  ModelBuilder& constant(const std::string& name, const std::vector<int64_t>& dims,
                         const std::vector<int32_t>& elements, int32_t type);
  // Returns the added node, so that attributes can be set. The default name is the node's type and number.
  onnx::NodeProto& node(const std::string& op_type, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const std::string& name = "");

  std::string bytes() const;
  Result<compiler::Graph> import(const compiler::ImportOptions& options = {}) const;

 private:
  std::unique_ptr<onnx::ModelProto> model_;
};

void set_attribute(onnx::NodeProto& node, const std::string& name, int64_t value);
void set_attribute(onnx::NodeProto& node, const std::string& name, float value);
void set_attribute(onnx::NodeProto& node, const std::string& name, const std::string& value);
void set_attribute(onnx::NodeProto& node, const std::string& name, const std::vector<int64_t>& value);

Result<compiler::Graph> import_bytes(const std::string& bytes, const compiler::ImportOptions& options = {});

// Imports and optimises a model. Fails the test on errors.
compiler::Graph optimised(const ModelBuilder& model);

// Runs a graph with one f32 output on f32 inputs. Fails the test on errors.
std::vector<float> run(const compiler::Graph& graph, const std::vector<std::vector<float>>& inputs);

}  // namespace nestrt::test
