// SPDX-License-Identifier: Apache-2.0
// OnnxModel: an ONNX file as plain structures without protobuf, with all tensors decoded. The importer uses no other
// view of the model.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler-lite/graph/graph.h"
#include "compiler-lite/import/onnx/limits.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

struct OnnxTensor {
  std::string name;
  DataType type = DataType::kF32;
  Shape shape;
  std::shared_ptr<const Bytes> elements;
  int32_t narrow_type = 0;                                  // the ONNX type if find_narrow_type() knows it, or else 0
  std::optional<IntegerRange> stated_range = std::nullopt;  // range of the file's type, if `type` is wider
};

// An attribute type that no supported operator uses (list of tensors, list of subgraphs, type).
struct OnnxOpaque {};

// A reference to a parameter of the function that contains the node.
struct OnnxReference {
  std::string parameter;
};

struct OnnxGraph;

using OnnxAttribute =
    std::variant<OnnxOpaque, int64_t, float, std::string, OnnxTensor, std::vector<int64_t>, std::vector<float>,
                 std::vector<std::string>, std::shared_ptr<const OnnxGraph>, OnnxReference>;

struct OnnxNode {
  std::string op_type;
  std::string domain;  // empty for ONNX's own operators
  std::string name;
  std::string overload;             // selects one of several functions with this name
  int64_t opset = 0;                // of ONNX operators, in nodes of a function; 0: the model's
  std::vector<std::string> inputs;  // empty string: absent optional input
  std::vector<std::string> outputs;
  std::map<std::string, OnnxAttribute> attributes;

  // Returns op_type, preceded by the domain unless it is ONNX: "com.microsoft.QLinearAdd".
  std::string qualified_type() const { return (domain.empty() ? "" : domain + ".") + op_type; }
  // Returns the key in OnnxModel::functions of the function that the node calls, if it exists.
  std::string function_name() const { return qualified_type() + (overload.empty() ? "" : ":" + overload); }
  // Returns "node 'conv1' (Conv)". A node without a name is identified by its first output.
  std::string label() const;
};

inline constexpr int64_t kDynamic = INT64_MIN;

struct OnnxValueInfo {
  std::string name;
  std::optional<DataType> type;              // after conversion; absent if the value is not a tensor of numbers
  std::string type_name;                     // name of the type in the model; empty if the value is not a tensor
  std::optional<std::vector<int64_t>> dims;  // as declared; kDynamic if symbolic; absent if the rank is unknown
  std::vector<std::string> dim_names;        // for messages
  int32_t narrow_type = 0;                   // see OnnxTensor::narrow_type
};

// The graph of the model, or a subgraph of If, Loop or Scan, whose nodes may refer to values of enclosing graphs.
struct OnnxGraph {
  std::string name;
  std::vector<OnnxValueInfo> inputs;  // without inputs that are also initializers
  std::vector<std::string> outputs;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxNode> nodes;  // in file order
};

// A function that the model defines. Nodes call it like an operator.
struct OnnxFunction {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, OnnxAttribute> defaults;  // default values of the function's parameters
  std::vector<OnnxNode> nodes;
  int64_t opset = 0;  // opset of ONNX operators in the nodes; 0 if not specified
};

struct OnnxModel : OnnxGraph {
  int64_t file_bytes = 0;                         // without external data
  int64_t opset = 0;                              // opset of ONNX operators; 0 if not specified
  std::set<std::string> converted_types;          // float types of the file that became f32
  std::vector<OnnxNode> subgraph_nodes;           // of all subgraphs: op_type, domain and name only
  std::optional<std::string> rounding;            // metadata of kRoundingKey (compiler-lite/graph/rounding.h)
  std::map<std::string, OnnxFunction> functions;  // by OnnxNode::function_name()
};

// Decode a file, or its bytes. The bytes must not refer to external data.
Result<OnnxModel> read_onnx_model(const std::string& path, const ImportLimits& limits);
Result<OnnxModel> read_onnx_model(std::span<const std::byte> bytes, const ImportLimits& limits);

// Returns the paths of the external data files that a model refers to. Errors: those of read_onnx_model().
Result<std::vector<std::string>> external_files(const std::string& path);

}  // namespace nestrt::compiler
